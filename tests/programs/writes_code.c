/*
 * writes_code THREADS ROUNDS: threads that count in neighbouring words, by code that the program
 * has written itself. Exits with 77 on machines whose code it does not know.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST 64

#if defined(__x86_64__)
/* 1: addq $1, (%rdi); subq $1, %rsi; jnz 1b; ret */
static const unsigned char code[] = {
	0x48, 0x83, 0x07, 0x01, 0x48, 0x83, 0xee, 0x01, 0x75, 0xf6, 0xc3};
#elif defined(__aarch64__)
/* 1: ldr x2, [x0]; add x2, x2, #1; str x2, [x0]; subs x1, x1, #1; b.ne 1b; ret */
static const unsigned code[] = {
	0xf9400002, 0x91000442, 0xf9000002, 0xf1000421, 0x54ffff81, 0xd65f03c0};
#else
static const unsigned char code[1];
#endif

typedef void count_fn(volatile long *word, long rounds);

static volatile long words[MOST] __attribute__((aligned(128)));
static count_fn *count;
static long rounds;

static void *work(void *word)
{
	count(word, rounds);
	return NULL;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 2;
	char *const page = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread[MOST];

	if (sizeof code == 1 || page == MAP_FAILED || n < 1 || n > MOST)
		return 77;
	memcpy(page, code, sizeof code);
	__builtin___clear_cache(page, page + sizeof code);
	memcpy(&count, &page, sizeof count);
	rounds = argc > 2 ? atol(argv[2]) / n : 1000000;
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, work, (void *)(size_t)&words[i]);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
