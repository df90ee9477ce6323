/*
 * Decides where a session's record is written, so that a failed session does not destroy an older
 * record.
 *
 * An older record of the same name stays until the new one is worth a report, with a good run at
 * every core count; then it becomes the previous one. Until then the new one is written beside it,
 * from its first good run on. Every run is in the file when it has ended: a line behind the record
 * (record_journal.h), until that is written whole again, which the end of a measurement does.
 */
#ifndef SD_RECORD_SAVE_H
#define SD_RECORD_SAVE_H

#include "record/record.h"
#include "record/record_journal.h"
#include "base/sink.h"

struct sd_record_save {
	const char *path;       /* borrowed */
	const char *unfinished; /* borrowed, beside it; NULL: no such name */
	const char *previous;   /* borrowed: the older record's name from then on; NULL: none */
	int older;              /* there is an older record at `path`; needs `unfinished` */
	const char *at;         /* where the record is now, one of these two; NULL: nowhere yet */
	double took, written;   /* the last write or sync: s, and when (sd_clock_s) */
	int behind;             /* runs were added since it was written whole */
	struct sd_record_journal *journal; /* owned; NULL: nothing can be appended */
};

/*
 * Writes the record whole where it currently belongs. 0, or -errno with one message said. If `path`
 * is refused because something else has appeared there, the record goes to `unfinished`, if that
 * name exists, also with a message.
 */
int sd_record_save_write(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink);

/*
 * After one more run: appends it. That it survives a crash of the machine, too, is waited for at
 * most a twentieth of the time. Where nothing can be appended any more, because another file is
 * there by now, the record is written whole when it is time.
 */
int sd_record_save_run(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink);

void sd_record_save_end(struct sd_record_save *s); /* nothing is appended any more */

#endif
