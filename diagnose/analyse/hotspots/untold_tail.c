#include "hotspots/untold_tail.h"

#include <math.h>

int sd_untold_tail_state(enum sd_request_state state, struct sd_texts *notes)
{
	return state == SD_REQUESTS_FEW
		       ? sd_texts_add(notes,
				 "fewer than %u requests a run: too few to tell slow ones from "
				 "typical ones",
				 SD_REQUESTS_LEAST)
		       : sd_texts_add(notes,
				 "context switches were not recorded, so that what slow requests "
				 "waited for is not known: see scalediag doctor");
}

/* Begins and ends of the region without each other, in the run with most of them. */
static double unmatched_of(const struct sd_run_selection *choice, const char *region)
{
	double most = 0;

	for (size_t i = 0; i < choice->n_point; i++)
		for (size_t j = 0; j < choice->point[i].n_run; j++) {
			const struct sd_region_run *const r = choice->point[i].run[j]->regions;
			const struct sd_region_time *const t =
				r ? sd_region_run_find(r, SD_REGION_MARKED, region, 0) : NULL;

			most = t ? fmax(most, t->unmatched) : most;
		}
	return most;
}

int sd_untold_tail_region(
	const struct sd_run_selection *choice, const char *region, struct sd_texts *notes)
{
	const double unmatched = unmatched_of(choice, region);

	return unmatched > 0
		       ? sd_texts_add(notes,
				 "no request can be followed: each thread must end itself what it "
				 "began of the region '%s', and %.0f begins and ends a run were of "
				 "different threads",
				 region, unmatched)
		       : sd_texts_add(notes,
				 "no entry of the region '%s' was noted: the program ended none, or "
				 "was compiled with an older scalediag.h",
				 region);
}
