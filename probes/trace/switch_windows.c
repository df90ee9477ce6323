#include "trace/switch_windows.h"

#include <math.h>

/* However fast it switches: in a second there are some windows. */
#define LONGEST 15

/* 0.5 to 1.5 (Numerical Recipes' generator: the same in every run, and of no program's rhythm). */
static double about_one(struct sd_switch_windows *w)
{
	w->random = w->random * 1664525u + 1013904223u;
	return .5 + (double)(w->random >> 8) / (1 << 24);
}

uint64_t sd_switch_windows_gap(struct sd_switch_windows *w, double rate, int wakes, double thin)
{
	const double hz = wakes ? SD_SWITCH_WINDOWS_WOKEN_HZ : SD_SWITCH_WINDOWS_HZ;
	const double many = rate > SD_SWITCH_WINDOWS_ALL_HZ ? rate / hz - 1 : 0;
	const double windows = fmin(LONGEST, fmax(many, thin - 1));

	return windows > 0 ? (uint64_t)((double)SD_SWITCH_WINDOWS_NS * windows * about_one(w)) : 0;
}
