/*
 * One contested line as `scalediag lines` shows it: who uses which bytes of it, and what to do.
 */
#ifndef SD_LINE_VIEW_H
#define SD_LINE_VIEW_H

#include "analysis/contested_lines.h"

/* All but what needs the other lines, and the advice. */
void sd_line_view_make(const struct sd_sim_contested *c, struct sd_line_view *v);

/* Adds the advice for a line of this machine, of which `line` and `adjacent` are read. 0 or
 * -ENOMEM. */
int sd_line_view_advise(
	const struct sd_stacks *stacks, const struct sd_sim_machine *m, struct sd_line_view *v);

/* The same for one whose bytes all share; and for a lock, to v->advice. */
int sd_line_view_advise_true(struct sd_line_view *v, struct sd_texts *out);
int sd_line_view_advise_lock(struct sd_line_view *v);

#endif
