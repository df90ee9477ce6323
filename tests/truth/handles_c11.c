/* An object in use by all: taken and given back. */
#include <stdatomic.h>

#include "crew.h"
#include "work.h"

#define USES (24000000 / SMALLER)

#ifdef FIXED
static const unsigned objects = CREW_MAX;
#else
static const unsigned objects = 1;
#endif

struct object {
	_Alignas(128) atomic_int references;
	int kind;
};
static struct object object[CREW_MAX];

static void part(unsigned id, unsigned n)
{
	struct object *const o = &object[id % objects];
	volatile int kind = 0;

	for (unsigned i = id; i < USES; i += n) {
		atomic_fetch_add(&o->references, 1);
		kind += o->kind;
		atomic_fetch_sub(&o->references, 1);
	}
}

int main(void)
{
	crew_threads(work_threads(), part);
	return 0;
}
