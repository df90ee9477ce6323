#include "loops/stream.h"

#include <string.h>

#include "loops/plain.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

const struct sd_stream_info sd_stream_info[SD_STREAM_OPS_COUNT] = {
#define X(id, name, arrays, reads, writes, text) \
	[SD_STREAM_##id] = {name, arrays, reads, writes, text},
	SD_STREAM_OPS(X)
#undef X
};

#if defined(__x86_64__)

typedef double vec128 __attribute__((vector_size(16), may_alias));
typedef double vec256 __attribute__((vector_size(32), may_alias));
typedef double vec512 __attribute__((vector_size(64), may_alias));

SD_PLAIN static inline void store_nt_scalar(double *p, double v)
{
	long long bits;

	memcpy(&bits, &v, sizeof bits);
	_mm_stream_si64((long long *)(void *)p, bits);
}

#define ISA scalar
#define NAME "scalar"
#define TARGET
#define VEC double
#define LANES 1u
#define KEEP(v) __asm__ volatile("" : "+x"(v))
#define STORE_NT(p, v) store_nt_scalar((p), (v))
#define FENCE _mm_sfence()
#include "loops/stream_body.inc"

#define ISA sse2
#define NAME "sse2"
#define TARGET
#define VEC vec128
#define LANES 2u
#define KEEP(v) __asm__ volatile("" : "+x"(v))
#define STORE_NT(p, v) _mm_stream_pd((p), (__m128d)(v))
#define FENCE _mm_sfence()
#include "loops/stream_body.inc"

#define ISA avx2
#define NAME "avx2"
#define TARGET __attribute__((target("avx2")))
#define VEC vec256
#define LANES 4u
#define KEEP(v) __asm__ volatile("" : "+x"(v))
#define STORE_NT(p, v) _mm256_stream_pd((p), (__m256d)(v))
#define FENCE _mm_sfence()
#include "loops/stream_body.inc"

#define ISA avx512
#define NAME "avx512"
#define TARGET __attribute__((target("avx512f")))
#define VEC vec512
#define LANES 8u
#define KEEP(v) __asm__ volatile("" : "+v"(v))
#define STORE_NT(p, v) _mm512_stream_pd((p), (__m512d)(v))
#define FENCE _mm_sfence()
#include "loops/stream_body.inc"

#elif defined(__aarch64__)

typedef double vec128 __attribute__((vector_size(16), may_alias));

#define ISA scalar
#define NAME "scalar"
#define TARGET
#define VEC double
#define LANES 1u
#define KEEP(v) __asm__ volatile("" : "+w"(v))
#define NO_NT
#include "loops/stream_body.inc"

/* stnp of a pair is the only non-temporal store of this instruction set: two stores of one half
 * each would be regular ones, so that the register is stored twice as its two halves. */
#define ISA neon
#define NAME "neon"
#define TARGET
#define VEC vec128
#define LANES 2u
#define KEEP(v) __asm__ volatile("" : "+w"(v))
#define STORE_NT(p, v)                                                                 \
	do {                                                                           \
		const double low_ = (v)[0], high_ = (v)[1];                            \
		__asm__ volatile("stnp %d0, %d1, [%2]" ::"w"(low_), "w"(high_), "r"(p) \
				 : "memory");                                          \
	} while (0)
#define FENCE __asm__ volatile("dmb ishst" ::: "memory")
#include "loops/stream_body.inc"

#else

#define ISA scalar
#define NAME "scalar"
#define TARGET
#define VEC double
#define LANES 1u
#define KEEP(v) (void)0
#define NO_NT
#include "loops/stream_body.inc"

#endif

size_t sd_stream_isas(const struct sd_stream_isa *const **out)
{
#if defined(__x86_64__)
	enum { ALL = 8 };
	static const struct sd_stream_isa *const all[ALL] = {&isa_avx512, &isa_ahead_avx512,
		&isa_avx2, &isa_ahead_avx2, &isa_sse2, &isa_ahead_sse2, &isa_scalar,
		&isa_ahead_scalar};
	size_t first = 4;

	if (__builtin_cpu_supports("avx512f"))
		first = 0;
	else if (__builtin_cpu_supports("avx2"))
		first = 2;
	*out = all + first;
	return ALL - first;
#elif defined(__aarch64__)
	static const struct sd_stream_isa *const all[4] = {
		&isa_neon, &isa_ahead_neon, &isa_scalar, &isa_ahead_scalar};

	*out = all;
	return 4;
#else
	static const struct sd_stream_isa *const all[2] = {&isa_scalar, &isa_ahead_scalar};

	*out = all;
	return 2;
#endif
}

const char *sd_stores_name(enum sd_stream_op op, enum sd_stores stores)
{
	if (sd_stream_info[op].writes == 0)
		return "none";
	return stores == SD_STORES_NT ? "nt" : "regular";
}

double sd_stream_bytes(enum sd_stream_op op, size_t n)
{
	const struct sd_stream_info *i = &sd_stream_info[op];

	return (double)(i->reads + i->writes) * (double)sizeof(double) * (double)n;
}

double sd_stream_bytes_allocated(enum sd_stream_op op, enum sd_stores stores, size_t n)
{
	const double read_first = stores == SD_STORES_REGULAR
					  ? (double)sd_stream_info[op].writes * sizeof(double)
					  : 0;

	return sd_stream_bytes(op, n) + read_first * (double)n;
}
