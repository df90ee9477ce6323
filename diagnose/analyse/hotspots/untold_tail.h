/*
 * Why it is not told what slow requests did.
 */
#ifndef SD_UNTOLD_TAIL_H
#define SD_UNTOLD_TAIL_H

#include "base/texts.h"
#include "runs/run_selection.h"

/* Adds why the requests of a core count are not compared, which is in `state`. 0 or -ENOMEM. */
int sd_untold_tail_state(enum sd_request_state state, struct sd_texts *notes);

/* Adds why no entry of the region is known in any run. 0 or -ENOMEM. */
int sd_untold_tail_region(
	const struct sd_run_selection *choice, const char *region, struct sd_texts *notes);

#endif
