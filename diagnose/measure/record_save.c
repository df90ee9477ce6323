#include "measure/record_save.h"

#include <unistd.h>

#include "base/clock.h"
#include "output/output_file.h"
#include "record/record_file.h"
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
	const int rc = sd_record_write(path, record, sink);

	if (!rc)
		s->at = path;
	return rc;
}

static int write_where_it_belongs(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink)
{
	const int aside = s->older && s->unfinished && s->at != s->path && !record->complete &&
			  !is_complete(record);
	const char *const before = s->at;
	int rc;

	if (aside)
		return has_good_run(record) ? write_at(s, s->unfinished, record, sink) : 0;
	rc = write_at(s, s->path, record, sink);
	if (!rc && before && before == s->unfinished)
		unlink(s->unfinished);
	if (sd_output_file_refused(rc) && s->unfinished && record->n_run &&
		write_at(s, s->unfinished, record, sink) == 0)
		sd_say(sink, SD_LEVEL_NOTE, "%s: has the %zu finished runs", s->unfinished,
			record->n_run);
	return rc;
}

int sd_record_save_write(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink)
{
	const double begin = sd_clock_s();
	const int rc = write_where_it_belongs(s, record, sink);

	s->written = sd_clock_s();
	s->took = s->written - begin;
	s->behind = 0;
	return rc;
}

int sd_record_save_run(
	struct sd_record_save *s, const struct sd_record *record, const struct sd_sink *sink)
{
	if (s->at && sd_clock_s() - s->written < s->took / WRITING) {
		s->behind = 1;
		return 0;
	}
	return sd_record_save_write(s, record, sink);
}
