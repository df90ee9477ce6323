#include "loops/reuse.h"

#include "harness/samples.h"
#include "harness/team.h"
#include "loops/plain.h"
#include "base/clock.h"
#include "base/random.h"

#define LINE 64u
#define LINES 512u
#define ROUNDS 5u
/* In the same page for sure, but out of reach of the prefetchers of neighbouring lines. */
#define SAME_PAGE 2048u

#if defined(__x86_64__)
static void flush(const void *p)
{
	__builtin_ia32_clflush(p);
}

static void fence(void)
{
	__builtin_ia32_mfence();
}
#elif defined(__aarch64__)
static void fence(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

static void flush(const void *p)
{
	__asm__ volatile("dc civac, %0" ::"r"(p) : "memory");
}
#endif

/* Loads one after another; each address waits for the word before it. */
SD_PLAIN static double load_all(const unsigned char *p, const size_t *at, uint64_t zero)
{
	const double begin = sd_clock_s();
	uint64_t x = 0;

	for (unsigned i = 0; i < LINES; i++)
		x = *(const volatile uint64_t *)(const void *)(p + at[i] + (x & zero));
	__asm__ volatile("" ::"r"(x));
	return sd_clock_s() - begin;
}

/* Address translation is the same for both passes: it was used just before. */
SD_PLAIN static void touch_pages(const unsigned char *p, const size_t *at, size_t bytes)
{
	for (unsigned i = 0; i < LINES; i++) {
		const size_t other = at[i] ^ SAME_PAGE;

		(void)*(const volatile unsigned char *)(p + (other < bytes ? other : at[i]));
	}
}

static void flush_all(const unsigned char *p, const size_t *at)
{
#if defined(__x86_64__) || defined(__aarch64__)
	for (unsigned i = 0; i < LINES; i++)
		flush(p + at[i]);
	fence();
#else
	(void)p, (void)at;
#endif
}

struct sd_reuse sd_reuse_measure(const void *p, size_t bytes, uint64_t seed)
{
	const struct sd_reuse cannot = {SD_NOT(UNSUPPORTED), SD_NOT(UNSUPPORTED)};
	const volatile uint64_t zero = 0;
	double ratio[ROUNDS], memory[ROUNDS];
	struct sd_random random;
	size_t at[LINES];

#if !defined(__x86_64__) && !defined(__aarch64__)
	return cannot;
#endif
	if (bytes < SD_REUSE_BYTES_MIN)
		return cannot;
	sd_random_seed(&random, seed, 0);
	for (unsigned r = 0; r < ROUNDS; r++) {
		double now, flushed;

		/* every line once: a stratum each, so that no line repeats */
		for (unsigned i = 0; i < LINES; i++) {
			const size_t lines = bytes / LINES / LINE;

			at[i] = (i * lines + sd_random_below(&random, lines)) * LINE;
		}
		for (unsigned i = LINES - 1; i > 0; i--) {
			const unsigned j = (unsigned)sd_random_below(&random, i + 1);
			const size_t other = at[j];

			at[j] = at[i];
			at[i] = other;
		}
		touch_pages(p, at, bytes);
		now = load_all(p, at, zero);
		flush_all(p, at);
		touch_pages(p, at, bytes);
		flushed = load_all(p, at, zero); /* and they are in the caches again */
		ratio[r] = flushed > 0 ? now / flushed : 1;
		memory[r] = flushed / LINES;
	}
	return (struct sd_reuse){SD_OK(sd_samples_quartiles(ratio, ROUNDS).median),
		SD_OK(sd_samples_quartiles(memory, ROUNDS).median)};
}

struct sd_value sd_reuse_ratio(const void *p, size_t bytes, uint64_t seed)
{
	return sd_reuse_measure(p, bytes, seed).ratio;
}
