/*
 * Decides where a session's record is written, so that a failed session does not destroy an older
 * record.
 *
 * An older record of the same name stays until the new one is worth a report, with a good run at
 * every core count. Until then the new one is written beside it, from its first good run on, so
 * that a crash at any moment loses nothing of it, and of the new one what ran since the last write.
 */
#ifndef SD_RECORD_SAVE_H
#define SD_RECORD_SAVE_H

#include "record/record.h"
#include "base/sink.h"

struct sd_record_save {
	const char *path;       /* borrowed */
	const char *unfinished; /* borrowed, beside it; NULL: no such name */
	int older;              /* there is an older record at `path`; needs `unfinished` */
	const char *at;         /* where the record is now, one of these two; NULL: nowhere yet */
	double took, written;   /* the last write: s, and when (sd_clock_s) */
	int behind;             /* runs were added since */
};

/*
 * Writes the record where it currently belongs. 0, or -errno with one message said. If `path` is
 * refused because something else has appeared there, the record goes to `unfinished`, if that name
 * exists, also with a message.
 */
int sd_record_save_write(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink);

/* Likewise after one more run, when it is time: a record is written whole, so writes grow with the
 * runs, and are to take a twentieth of the time at most. What then is not written is `behind`. */
int sd_record_save_run(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink);

#endif
