/*
 * Where the record of a session is written, so that a failed one costs no older record.
 *
 * An older record of the same name stays until the new one is worth a report: a good run at every
 * core count that is run. Until then the new one grows beside it, from its first good run on, so
 * that a death at any moment loses no finished run of either.
 */
#ifndef SD_RECORD_SAVE_H
#define SD_RECORD_SAVE_H

#include "record/record.h"
#include "base/sink.h"

struct sd_record_save {
	const char *path;       /* borrowed */
	const char *unfinished; /* borrowed, beside it; NULL: there is no such name */
	int older;              /* there is an older record at `path`; needs `unfinished` */
	const char *at;         /* where the record is now: one of both; NULL nowhere yet */
};

/*
 * Writes the record where it belongs now. 0 or -errno, said: what is refused at `path` because
 * something else has come there is written to `unfinished`, if there is such a name, said too.
 */
int sd_record_save_write(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink);

#endif
