#include "measure/record_save.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "output/output_file.h"
#include "plan/one_run.h"
#include "plan/schedule.h"

#define WRITING .05 /* of the time */

/* A good run at every core count of the plan that is run natively. */
static int is_complete(const struct sd_record *record)
{
	for (size_t p = 0; p < record->plan.n_point; p++)
		if (!record->plan.point[p].simulated && sd_schedule_runs(record, p) == 0)
			return 0;
	return record->plan.n_point > 0;
}

static int has_good_run(const struct sd_record *record)
{
	for (size_t i = 0; i < record->n_run; i++)
		if (sd_one_run_good(&record->run[i]))
			return 1;
	return 0;
}

static int write_at(struct sd_record_save *s, const char *path, const struct sd_record *record,
	const struct sd_sink *sink)
{
	const int rc = sd_record_journal_begin(&s->journal, path, record, sink);

	if (!rc)
		s->at = path;
	return rc;
}

/* NULL: nowhere yet. */
static const char *where_it_belongs(const struct sd_record_save *s, const struct sd_record *record)
{
	if (s->older && s->unfinished && s->at != s->path && !record->complete &&
		!is_complete(record))
		return has_good_run(record) ? s->unfinished : NULL;
	return s->path;
}

/* Gives the older record its other name; it keeps this one until the new record is written. */
static void keep_older(const struct sd_record_save *s, const struct sd_sink *sink)
{
	if (unlink(s->previous) < 0 && errno != ENOENT)
		goto failed;
	/* a file system without a second name for a file */
	if (link(s->path, s->previous) == 0 || rename(s->path, s->previous) == 0)
		return;
failed:
	sd_say(sink, SD_LEVEL_WARNING, "%s: the older record is not kept: %s", s->previous,
		strerror(errno));
}

static int write_to(struct sd_record_save *s, const char *path, const struct sd_record *record,
	const struct sd_sink *sink)
{
	const char *const before = s->at;
	int rc;

	if (path == s->path && s->older && s->previous && before != path)
		keep_older(s, sink);
	rc = write_at(s, path, record, sink);
	if (path != s->path)
		return rc;
	if (!rc && before && before == s->unfinished)
		unlink(s->unfinished);
	if (sd_output_file_refused(rc) && s->unfinished && record->n_run &&
		write_at(s, s->unfinished, record, sink) == 0)
		sd_say(sink, SD_LEVEL_NOTE, "%s: has the %zu finished runs", s->unfinished,
			record->n_run);
	return rc;
}

static int is_time(const struct sd_record_save *s)
{
	return sd_clock_s() - s->written >= s->took / WRITING;
}

static void took_since(struct sd_record_save *s, double begin)
{
	s->written = sd_clock_s();
	s->took = s->written - begin;
}

int sd_record_save_write(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink)
{
	const char *const path = where_it_belongs(s, record);
	const double begin = sd_clock_s();
	const int rc = path ? write_to(s, path, record, sink) : 0;

	took_since(s, begin);
	s->behind = 0;
	return rc;
}

/* 0; -ESTALE: it is to be written whole; or another -errno. */
static int append(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink)
{
	double begin;
	int rc = sd_record_journal_add(&s->journal, record, sink);

	if (rc)
		return rc;
	s->behind = 1;
	if (!is_time(s))
		return 0;
	begin = sd_clock_s();
	rc = sd_record_journal_sync(s->journal, sink);
	took_since(s, begin);
	return rc;
}

int sd_record_save_run(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink)
{
	int rc = -ESTALE;

	if (s->at && s->at == where_it_belongs(s, record))
		rc = append(s, record, sink);
	if (rc != -ESTALE) {
		/* a record that could not be written is not tried again */
		s->behind = !rc;
		return rc;
	}
	if (s->at && !is_time(s)) {
		s->behind = 1;
		return 0;
	}
	return sd_record_save_write(s, record, sink);
}

void sd_record_save_end(struct sd_record_save *s)
{
	sd_record_journal_end(&s->journal);
}
