/*
 * A line that threads were seen to share: its time, and its row in the record, with names.
 */
#ifndef SD_TOUCHED_LINE_H
#define SD_TOUCHED_LINE_H

#include "native/watched_samples.h"

enum sd_touched_kind { SD_TOUCHED_FALSE, SD_TOUCHED_TRUE, SD_TOUCHED_LOCK, SD_TOUCHED_KINDS };

struct sd_touched_line {
	const struct sd_touch *touch; /* all of the line, by time; borrowed */
	size_t n_touch;
	double seconds, contested, maybe, read, spun, split; /* as struct sd_native_line */
	double kind[SD_TOUCHED_KINDS];                       /* of contested and spun */
	int pair;
};

enum sd_touched_kind sd_touched_line_kind(const struct sd_touch *e);

/* The times of a line by its n touches; a sample that touches it twice counts once. */
void sd_touched_line_sum(const struct sd_sample_touches *t, const struct sd_touch *list, size_t n,
	struct sd_touched_line *out);

/* The rows of the record: threads and lines of *out, the most contested. kept[i] is the number of
 * line i there, from 1 on; 0: it is not kept. 0 or -ENOMEM. */
int sd_touched_line_keep(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touched_line *line, size_t n, uint32_t *kept, struct sd_native_lines *out);

#endif
