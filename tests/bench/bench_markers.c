/*
 * Cost of the calls of scalediag.h, in CPU time of their thread, and that over what they may:
 * without a file 1 ns, with one 300 ns a call. Regions in pairs of begin and end; the loop around
 * them is taken out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "markers/scalediag.h"

#define CALLS 5000000
#define MOST_OFF 1.0
#define MOST_ON 300.0
#define TURNS 5

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void call_nothing(void)
{
}

static void call_progress(void)
{
	sd_progress("requests", 1);
}

static void call_region(void)
{
	sd_region_begin("part");
	sd_region_end("part");
}

/* The least of some turns, ns a call. Inlined: what it calls is known. */
static inline __attribute__((always_inline)) double least(void (*call)(void))
{
	double best = 1e9;

	for (int turn = 0; turn < TURNS; turn++) {
		const double start = cpu_ns();

		for (long i = 0; i < CALLS; i++) {
			call();
			__asm__ volatile("" ::: "memory");
		}
		if ((cpu_ns() - start) / CALLS < best)
			best = (cpu_ns() - start) / CALLS;
	}
	return best;
}

struct costs {
	double progress, region; /* region: of one of the two calls */
};

static struct costs measure(void)
{
	const double nothing = least(call_nothing);

	return (struct costs){fmax(0, least(call_progress) - nothing),
		fmax(0, (least(call_region) - nothing) / 2)};
}

static void print(const char *what, double off, double on)
{
	printf("%-16s off %.2f ns (%.2f of what it may), on %.0f ns (%.2f)\n", what, off,
		off / MOST_OFF, on, on / MOST_ON);
}

int main(void)
{
	char path[] = "/tmp/scalediag-bench-XXXXXX";
	const int fd = mkstemp(path);
	struct costs off, on;

	unsetenv("SCALEDIAG_MARKERS");
	off = measure();
	if (fd < 0 || setenv("SCALEDIAG_MARKERS", path, 1))
		return 1;
	close(fd);
	sd_marker_state.mode = SD_MARKER_UNKNOWN; /* as a program that is started anew */
	on = measure();
	unlink(path);
	print("sd_progress()", off.progress, on.progress);
	print("sd_region_*()", off.region, on.region);
	return 0;
}
