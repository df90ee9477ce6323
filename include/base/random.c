#include "base/random.h"

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void sd_random_seed(struct sd_random *r, uint64_t seed, uint64_t stream)
{
	uint64_t x = seed;

	x = splitmix(&x) ^ (stream * 0xd1342543de82ef95u);
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix(&x);
}

void sd_random_skip(struct sd_random *r, uint64_t n)
{
	while (n-- > 0)
		(void)sd_random_next(r);
}
