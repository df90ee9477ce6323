#include "base/clock.h"

#include <stdatomic.h>

static uint64_t read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double sd_clock_day(void)
{
	static atomic_ullong
		from; /* of the epoch's ns to CLOCK_BOOTTIME's 0, modulo 2^64; 0: no call yet */
	const unsigned long long up = read_ns(CLOCK_BOOTTIME);
	unsigned long long was = 0, is = read_ns(CLOCK_REALTIME) - up;

	if (!atomic_compare_exchange_strong(&from, &was, is))
		is = was;
	return (double)(is + up) * 1e-9;
}
