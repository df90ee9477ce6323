#include "machine/core_width.h"

#include <stdint.h>

#include "machine/chained_adds.h"
#include "base/clock.h"

#define CHAIN 2048u /* additions; under a microsecond */
#define TOGETHER 8u /* independent additions a step: more than a core of today does at once */
#define STEPS 512u
/* Parts of one look that differ by more were interrupted. */
#define AGREE 1.15

static double chained(unsigned n)
{
	const uint64_t start = sd_clock_ns();
	uint64_t x = start, y = 1;

	for (unsigned i = 0; i < n / 64; i++) {
		SD_ADD_64(x, y);
	}
	return (double)(sd_clock_ns() - start);
}

static double independent(unsigned steps)
{
	const uint64_t start = sd_clock_ns();
	uint64_t a = start, b = a, c = a, d = a, e = a, f = a, g = a, h = a, y = 1;

	for (unsigned i = 0; i < steps / 2; i++) {
#define STEP          \
	SD_ADD(a, y); \
	SD_ADD(b, y); \
	SD_ADD(c, y); \
	SD_ADD(d, y); \
	SD_ADD(e, y); \
	SD_ADD(f, y); \
	SD_ADD(g, y); \
	SD_ADD(h, y)
		STEP;
		STEP;
#undef STEP
	}
	return (double)(sd_clock_ns() - start);
}

static int agree(double a, double b)
{
	return a > 0 && b > 0 && a < b * AGREE && b < a * AGREE;
}

/* The first round brings the code into the caches. */
double sd_core_width_look(void)
{
	double chain[2], wide[2];

	chained(64);
	independent(16);
	chain[0] = chained(CHAIN);
	wide[0] = independent(STEPS);
	wide[1] = independent(STEPS);
	chain[1] = chained(CHAIN);
	if (!agree(chain[0], chain[1]) || !agree(wide[0], wide[1]))
		return 0;
	return (chain[0] + chain[1]) / CHAIN * (STEPS * TOGETHER) / (wide[0] + wide[1]);
}
