#include "validity/named_neighbours.h"

#include <stdio.h>

#include "analysis/neighbours_met.h"

#define NAMED 3 /* neighbours, in a sentence */

void sd_named_neighbours_warn(struct sd_case *c)
{
	struct sd_neighbours_met met;
	char text[NAMED * 160] = "", does[96];
	size_t n = 0;

	sd_neighbours_met(c->record, &met);
	for (size_t i = 0; i < met.n && i < NAMED; i++) {
		const struct sd_neighbour *const who = &met.row[i].who;

		sd_neighbour_does(who, does, sizeof does);
		n += (size_t)snprintf(text + n, sizeof text - n,
			"%s%s (pid %d) had %.2f cores and %s", i ? "; " : "", who->name, who->pid,
			who->cpu.value, does);
	}
	if (met.n)
		sd_case_warn(c, "beside the runs %s", text);
}
