/* Rows advance in step: the others go on when the first has gone ahead. */
#include <stdatomic.h>

#include "team.h"
#include "work.h"

#define ROWS 80
#define EACH (.4 / ROWS)

#ifdef FIXED
static const double ahead = 0;
#else
static const double ahead = .5;
#endif

static _Alignas(128) atomic_int row;
static _Alignas(128) atomic_int arrived;

static void part(const struct team_member *m)
{
	for (int i = 1; i <= ROWS; i++) {
		if (m->id == 0) {
			while (atomic_load(&arrived) < (i - 1) * (int)(m->n - 1))
				;
			work(ahead * EACH);
			atomic_store(&row, i);
		} else {
			while (atomic_load(&row) < i)
				;
		}
		work((1 - ahead) * EACH / m->n);
		if (m->id)
			atomic_fetch_add(&arrived, 1);
	}
}

int main(void)
{
	team_run(work_threads(), part, NULL);
	return 0;
}
