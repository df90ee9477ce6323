/* Vectors of 512 bits, which emulators may not have. */
#include <stdio.h>

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx512f"))) static int add(int seed)
{
	const __m512i v = _mm512_set1_epi32(seed);

	return _mm512_reduce_add_epi32(v);
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f") || argc > 1)
		printf("%d\n", add(argc));
#else
	(void)argc;
#endif
	return 0;
}
