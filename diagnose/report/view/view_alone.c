/* Tells of a program in which one thread alone ever worked. */
#include <stdio.h>

#include "view/view_parts.h"

/* Most threads that a run of this point made; 0: nobody looked. */
static size_t threads_at(const struct sd_record *r, size_t point)
{
	size_t most = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == point &&
			r->run[i].n_thread_seen > most)
			most = r->run[i].n_thread_seen;
	return most;
}

/* Did it make more threads where it was given more cores? It was told the count then. */
static int was_told(const struct sd_record *r)
{
	const size_t n = r->plan.n_point, few = n > 1 ? threads_at(r, 0) : 0;

	return few && threads_at(r, n - 1) > few;
}

void sd_view_alone(FILE *f, const struct sd_record *r)
{
	if (r->program.attached)
		fputs(" Only one thread worked while it was watched: its number of threads is set "
		      "where it is started.",
			f);
	else if (was_told(r))
		fputs(" It makes more threads on more cores, and only one at most ever worked.", f);
	else if (sd_program_gives_count(&r->program))
		fputs(" Only one thread ever worked, although {n} hands it the count: does the "
		      "program read it there?",
			f);
	else
		fputs(" Only one thread ever worked: was the program told how many, by {n} in its "
		      "arguments or --env NAME={n}?",
			f);
}
