/* Names waits that cores do not shorten, in a sentence behind the first. */
#include <stdio.h>
#include <stdlib.h>

#include "page/short_names.h"
#include "view/view_parts.h"

#define PLACE 80 /* columns */

void sd_view_own_waits(FILE *f, const struct sd_analysis *a)
{
	const struct sd_point *const pt = a->n_point ? &a->point[a->n_point - 1] : NULL;
	const int sleeps = a->own_wait_of == SD_COMPONENT_SLEEP;
	/* the call that sleeps is known by what it does */
	const struct sd_where at = {.function = a->own_wait_at.function,
		.file = a->own_wait_at.file,
		.line = a->own_wait_at.line};
	char *chain;

	if (!pt || !sd_status_measured(a->own_wait) || !(a->own_wait.value > 0))
		return;
	chain = at.function ? sd_name_chain(&at, PLACE) : NULL;
	fprintf(f,
		" Most of it is %s%s%s: %.2f of the %.2f cores lost. More cores do not shorten "
		"that; %s.",
		sleeps ? "timed sleep" : "waiting for pipes, sockets or a terminal",
		chain ? " in " : "", chain ? chain : "", a->own_wait.value,
		pt->n * (1 - pt->efficiency.value),
		sleeps ? "more sleeping at a time would (a larger pool, or timers without a "
			 "thread each)"
		       : "more requests at a time would");
	free(chain);
}
