#include "record/record_journal.h"

#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "output/output_append.h"
#include "record/record_file.h"
#include "read/journal.h"
#include "write/encode.h"

struct sd_record_journal {
	struct sd_output_append file;
	uint32_t crc; /* of the last line, or of the record before the first */
	/* what is in the file */
	char *part[SD_ENCODE_PARTS];     /* owned; as they were encoded */
	struct sd_machine_layout layout; /* where it was; borrowed, and not looked into */
	struct sd_stacks_count stacks;
	size_t n_run;
	size_t *lanes; /* owned; runs with lanes */
	size_t n_lanes;
};

/* ---- what is in the file --------------------------------------------------------------------- */

static int is_same_layout(const struct sd_machine_layout *a, const struct sd_machine_layout *b)
{
	return a->pu == b->pu && a->n_pu == b->n_pu && a->pairs.s == b->pairs.s &&
	       a->pairs.n == b->pairs.n && a->loaded == b->loaded && a->n_loaded == b->n_loaded;
}

/* The part as it is encoded; NULL: without memory. */
static char *encoded(const struct sd_record *r, enum sd_encode_part part)
{
	char *text = NULL;
	size_t n = 0;
	FILE *const f = open_memstream(&text, &n);
	int rc = f ? sd_encode_part(f, r, part) : -ENOMEM;

	if (f && fclose(f) != 0)
		rc = -ENOMEM;
	if (!rc)
		return text;
	free(text);
	return NULL;
}

/* Writes it to `f`, if it is another one than in the file. A layout is taken as a whole with the
 * calibration, and is too large to be encoded after every run. */
static int put_part(
	FILE *f, struct sd_record_journal *j, const struct sd_record *r, enum sd_encode_part part)
{
	char *text;

	if (part == SD_ENCODE_LAYOUT && is_same_layout(&j->layout, &r->layout))
		return 0;
	text = encoded(r, part);
	if (!text)
		return -ENOMEM;
	if (f && (!j->part[part] || strcmp(j->part[part], text) != 0) && fputs(text, f) < 0) {
		free(text);
		return -ENOMEM;
	}
	free(j->part[part]);
	j->part[part] = text;
	return 0;
}

static int put_parts(FILE *f, struct sd_record_journal *j, const struct sd_record *r)
{
	int rc = 0;

	for (int part = 0; !rc && part < SD_ENCODE_PARTS; part++)
		rc = put_part(f, j, r, (enum sd_encode_part)part);
	j->layout = r->layout;
	return rc;
}

/* The earlier runs that have lost their lanes. */
static void put_lanes(FILE *f, struct sd_record_journal *j, const struct sd_record *r)
{
	const char *before = "\"without_lanes\":[";
	size_t n = 0;

	for (size_t i = 0; i < j->n_lanes; i++) {
		if (r->run[j->lanes[i]].lanes) {
			j->lanes[n++] = j->lanes[i];
			continue;
		}
		fprintf(f, "%s%zu", before, j->lanes[i]);
		before = ",";
	}
	if (*before == ',')
		fputs("],", f);
	j->n_lanes = n;
}

/* The later runs that have some. */
static int take_lanes(struct sd_record_journal *j, const struct sd_record *r)
{
	for (size_t i = j->n_run; i < r->n_run; i++)
		if (r->run[i].lanes && SD_APPEND(j->lanes, j->n_lanes, &i))
			return -ENOMEM;
	return 0;
}

static void take_count(struct sd_record_journal *j, const struct sd_record *r)
{
	j->stacks = (struct sd_stacks_count){r->stacks.n_text, r->stacks.n_frame, r->stacks.n_node};
	j->n_run = r->n_run;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static int put_line(FILE *f, struct sd_record_journal *j, const struct sd_record *r)
{
	int rc = fprintf(f, SD_JOURNAL_HEAD, 0u) < 0 ? -ENOMEM : 0;

	rc = rc ? rc : put_parts(f, j, r);
	if (!rc)
		put_lanes(f, j, r);
	rc = rc ? rc : take_lanes(j, r);
	rc = rc ? rc : sd_encode_new_stacks(f, &r->stacks, &j->stacks);
	return rc ? rc : sd_encode_runs(f, r->run + j->n_run, r->n_run - j->n_run);
}

/* Newlines between members become spaces: within strings there are none. The last one ends it. */
static void seal(struct sd_record_journal *j, char *line, size_t n)
{
	char head[SD_JOURNAL_HEAD_BYTES + 1];

	for (char *at = line; (at = memchr(at, '\n', (size_t)(line + n - 1 - at))) != NULL;)
		*at = ' ';
	j->crc = lzma_crc32((const uint8_t *)line + SD_JOURNAL_HEAD_BYTES,
		n - 1 - SD_JOURNAL_HEAD_BYTES, j->crc);
	snprintf(head, sizeof head, SD_JOURNAL_HEAD, j->crc);
	memcpy(line, head, SD_JOURNAL_HEAD_BYTES);
}

int sd_record_journal_add(struct sd_record_journal **journal, const struct sd_record *record,
	const struct sd_sink *sink)
{
	struct sd_record_journal *const j = *journal;
	char *line = NULL;
	size_t n = 0;
	FILE *f;
	int rc;

	if (!j)
		return -ESTALE;
	f = open_memstream(&line, &n);
	rc = f ? put_line(f, j, record) : -ENOMEM;
	if (f && fclose(f) != 0)
		rc = -ENOMEM;
	/* what it is, writing the whole says */
	rc = rc ? -ESTALE : 0;
	if (!rc) {
		seal(j, line, n);
		take_count(j, record);
		rc = sd_output_append_add(&j->file, line, n, sink);
	}
	free(line);
	if (rc)
		sd_record_journal_end(journal);
	return rc;
}

int sd_record_journal_sync(struct sd_record_journal *j, const struct sd_sink *sink)
{
	return sd_output_append_sync(&j->file, sink);
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct head {
	const struct sd_record *record;
	struct sd_record_journal *journal;
};

static int put_head(FILE *f, const void *head)
{
	const struct head *const h = head;

	return sd_encode_summed(f, h->record, &h->journal->crc);
}

int sd_record_journal_begin(struct sd_record_journal **journal, const char *path,
	const struct sd_record *record, const struct sd_sink *sink)
{
	struct sd_record_journal *j;
	struct head head;
	int rc;

	sd_record_journal_end(journal);
	j = calloc(1, sizeof *j);
	if (!j)
		return sd_record_write(path, record, sink);
	*journal = j;
	head = (struct head){record, j};
	rc = sd_output_append_begin(&j->file, path, SD_OUTPUT_RECORD, put_head, &head, sink);
	/* what cannot be remembered is written whole next time */
	if (rc || put_parts(NULL, j, record) || take_lanes(j, record))
		sd_record_journal_end(journal);
	else
		take_count(j, record);
	return rc;
}

void sd_record_journal_end(struct sd_record_journal **journal)
{
	struct sd_record_journal *const j = *journal;

	if (!j)
		return;
	sd_output_append_end(&j->file);
	for (int part = 0; part < SD_ENCODE_PARTS; part++)
		free(j->part[part]);
	free(j->lanes);
	free(j);
	*journal = NULL;
}
