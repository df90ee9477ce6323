#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/event_counts.h"
#include "import/perf_lines.h"

static const struct {
	const char *event;
	enum sd_metric metric;
	double unit;
} metrics[] = {
	{"duration_time", SD_METRIC_WALL, 1e-9},
	{"user_time", SD_METRIC_USER, 1e-9},
	{"system_time", SD_METRIC_SYSTEM, 1e-9},
	{"task-clock", SD_METRIC_TASK_CLOCK, 1e-3},
	{"cpu-clock", SD_METRIC_TASK_CLOCK, 1e-3},
	{"task-clock-msecs", SD_METRIC_TASK_CLOCK, 1e-3},
	{"cpu-migrations", SD_METRIC_MIGRATIONS, 1},
	{"minor-faults", SD_METRIC_MINOR_FAULTS, 1},
	{"major-faults", SD_METRIC_MAJOR_FAULTS, 1},
	/* the lines below the counters */
	{"time", SD_METRIC_WALL, 1},
	{"user", SD_METRIC_USER, 1},
	{"sys", SD_METRIC_SYSTEM, 1},
};

struct reader {
	const struct sd_import_text *t;
	struct sd_import *im;
	struct sd_run run;
	struct sd_event_counts counts;
	double utilised; /* CPUs, of task-clock; 0 unknown */
	double interval; /* s, the end of the last one */
	double wall_now; /* the longest duration_time of this interval, s */
	int any, whole;  /* whole: every CPU was counted, not the program alone */
	int spread;      /* it was said that their spread is not used */
	int in_parts;    /* counts are of cores, sockets, threads or intervals, to be added up */
	char cgroup[SD_PERF_FIELD];
};

/* Whose code was counted: ":u" after the name, after a PMU's slash or before it. */
static void mode_of(const char *event, int *user, int *kernel)
{
	const char *const slash = strrchr(event, '/'), *const colon = strrchr(event, ':');
	const char *mode = slash && slash > strchr(event, '/') ? slash + 1 : "";

	if (colon && strspn(colon + 1, "ukhpGHSDIPWe") == strcspn(colon + 1, "/"))
		mode = colon + 1;
	*user = strchr(mode, 'u') != NULL;
	*kernel = strchr(mode, 'k') != NULL;
	if (*user && *kernel)
		*user = *kernel = 0;
}

/* The time of an interval is counted in each of its parts. */
static void add_wall(struct reader *r, const struct sd_perf_counter *c, double v)
{
	struct sd_value *const wall = &r->run.metric[SD_METRIC_WALL];

	if (c->interval > r->interval || wall->status == SD_STATUS_ABSENT)
		r->wall_now = 0;
	if (v > r->wall_now) {
		*wall = SD_OK(wall->value + v - r->wall_now);
		r->wall_now = v;
	}
}

/* 1: it was one; 0: a count; or -EINVAL. */
static int take_metric(struct reader *r, unsigned line, const struct sd_perf_counter *c, double v)
{
	const size_t n = strcspn(c->event, ":");

	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
		struct sd_value *const to = &r->run.metric[metrics[i].metric];
		double unit = metrics[i].unit;

		if (strlen(metrics[i].event) != n || strncmp(metrics[i].event, c->event, n) != 0)
			continue;
		if (unit > .5 && metrics[i].metric <= SD_METRIC_SYSTEM &&
			strcmp(c->unit, "seconds") != 0)
			continue;
		if (strcmp(c->unit, "msec") == 0)
			unit = 1e-3;
		else if (strcmp(c->unit, "ns") == 0)
			unit = 1e-9;
		if (to->status != SD_STATUS_ABSENT && strcmp(c->unit, "seconds") == 0)
			return 1; /* counted already, to the nanosecond */
		if (to->status != SD_STATUS_ABSENT && !r->in_parts)
			return sd_import_bad(r->t, line, "'%.60s' stands here twice", c->event);
		if (metrics[i].metric == SD_METRIC_WALL)
			add_wall(r, c, v * unit);
		else
			*to = SD_OK(to->value + v * unit);
		if (metrics[i].metric == SD_METRIC_TASK_CLOCK &&
			strstr(c->metric_unit, "CPUs utilized"))
			(void)sd_perf_lines_number(c->metric, 0, &r->utilised);
		return 1;
	}
	return 0;
}

/* The parts of cores and sockets are of whatever ran there. */
static int is_of_machine(const char *part)
{
	return (part[0] == 'S' || part[0] == 'N') && isdigit((unsigned char)part[1])
		       ? 1
		       : strncmp(part, "CPU", 3) == 0 && isdigit((unsigned char)part[3]);
}

/* One cgroup is one program; several are not. */
static int check_cgroup(struct reader *r, unsigned line, const struct sd_perf_counter *c)
{
	if (!c->cgroup[0])
		return 0;
	if (r->cgroup[0] && strcmp(r->cgroup, c->cgroup) != 0)
		return sd_import_bad(r->t, line,
			"is of the cgroup %.60s, and those before of %.60s: import one of them",
			c->cgroup, r->cgroup);
	snprintf(r->cgroup, sizeof r->cgroup, "%s", c->cgroup);
	return 0;
}

static int put_count(
	struct reader *r, unsigned line, const struct sd_perf_counter *c, double v, double running)
{
	int user, kernel, rc;

	mode_of(c->event, &user, &kernel);
	if (kernel)
		return sd_texts_add_once(&r->im->unknown, c->event);
	if (strcmp(c->unit, "MiB") == 0)
		v *= 1048576. / 64;
	for (size_t i = 0; !r->in_parts && i < r->counts.n; i++)
		if (strcmp(r->counts.count[i].name, c->event) == 0 && !strchr(c->event, '/'))
			return sd_import_bad(
				r->t, line, "'%.60s' is counted here already", c->event);
	rc = sd_event_counts_add(
		&r->counts, c->event, v, running >= 99.995 ? 1 : running / 100, user);
	return rc == -E2BIG ? sd_import_bad(r->t, line, "has too many events") : rc;
}

/* A mean of runs has no interval of its own here. */
static void say_spread(struct reader *r, const struct sd_perf_counter *c)
{
	if (c->spread[0] && !r->spread)
		sd_say(r->t->sink, SD_LEVEL_NOTE,
			"%s: is the mean of several runs (perf stat -r, first spread %s): it counts as "
			"one run, without an interval; a file a run has one",
			r->t->name, c->spread);
	r->spread |= c->spread[0] != '\0';
}

static int take(struct reader *r, unsigned line, const struct sd_perf_counter *c)
{
	double v, running = 100;
	const int times = strcmp(c->unit, "msec") == 0 || strcmp(c->unit, "seconds") == 0 ||
			  strncmp(c->event, "task-clock", 10) == 0;
	int rc = check_cgroup(r, line, c);

	if (rc)
		return rc;
	r->any = 1;
	say_spread(r, c);
	r->in_parts |= c->part[0] != '\0' || c->interval > 0;
	r->whole |= is_of_machine(c->part);
	if (c->value[0] == '<' || !c->value[0])
		return 0;
	if (sd_perf_lines_number(c->value, !times, &v))
		return sd_import_bad(
			r->t, line, "%.40s: '%.40s' is not a number", c->event, c->value);
	rc = take_metric(r, line, c, v);
	r->interval = fmax(r->interval, c->interval);
	if (rc)
		return rc < 0 ? rc : 0;
	if (c->running[0] && sd_perf_lines_number(c->running, 0, &running))
		return sd_import_bad(r->t, line, "'%.60s': '%.40s' is no share of the time",
			c->event, c->running);
	if (running <= 0)
		return 0; /* never counted */
	if (running > 100.5)
		return sd_import_bad(
			r->t, line, "'%.60s': counted for %.1f %% of the time", c->event, running);
	return put_count(r, line, c, v, running);
}

/* CPU time of a whole machine is none of the program's: as many CPUs as it has, all the time. */
static void drop_machine_time(struct reader *r, unsigned cores)
{
	struct sd_value *const m = r->run.metric;
	const double cpus = m[SD_METRIC_TASK_CLOCK].value / m[SD_METRIC_WALL].value;

	if (m[SD_METRIC_TASK_CLOCK].status != SD_STATUS_OK)
		return;
	r->whole |= cpus > cores + .5 && fabs(cpus - round(cpus)) < .05;
	if (!r->whole)
		return;
	m[SD_METRIC_TASK_CLOCK] = SD_NOT(UNSUPPORTED);
	sd_say(r->t->sink, SD_LEVEL_WARNING,
		"%s: the whole machine was counted (perf stat -a): the counts hold what else ran, "
		"and how much CPU time the program used is not known",
		r->t->name);
}

static int finish(struct sd_import *im, struct reader *r, unsigned line, unsigned cores)
{
	struct sd_value *const m = r->run.metric;
	int rc;

	if (!r->any)
		return sd_import_bad(r->t, line, "has no counter of perf stat");
	if (m[SD_METRIC_WALL].status == SD_STATUS_ABSENT && r->interval > 0)
		m[SD_METRIC_WALL] = SD_OK(r->interval);
	if (m[SD_METRIC_WALL].status == SD_STATUS_ABSENT && r->utilised > 0 &&
		m[SD_METRIC_TASK_CLOCK].status == SD_STATUS_OK)
		m[SD_METRIC_WALL] = SD_OK(m[SD_METRIC_TASK_CLOCK].value / r->utilised);
	if (m[SD_METRIC_WALL].status != SD_STATUS_OK || m[SD_METRIC_WALL].value < 1e-6)
		return sd_import_bad(r->t, line,
			"says nowhere how long it took: measure with -e "
			"duration_time,task-clock,...");
	drop_machine_time(r, cores);
	rc = sd_event_counts_roles(&r->counts, &im->cpu, "perf-stat", &r->run, &im->unknown);
	return rc ? rc : sd_import_add(im, r->t, line, cores, &r->run);
}

/* The head of what toplev -x prints. */
static int is_toplev(const char *p, size_t length)
{
	return memmem(p, length, "Area", 4) && memmem(p, length, "Value", 5) &&
	       memmem(p, length, "Unit", 4) && !memchr(p, '{', length);
}

static int read_line(struct reader *r, unsigned line, const char *p, size_t length, int printed)
{
	struct sd_perf_counter c;
	int rc;

	if (!r->any && is_toplev(p, length))
		return sd_import_bad(r->t, line,
			"is toplev's table of shares, which tell no amount: import the counts that "
			"they are made of, which toplev --perf-output FILE keeps");
	if (printed)
		r->whole |=
			memmem(p, length, "'system wide'", 13) || memmem(p, length, "'CPU(s)", 7);
	rc = printed     ? sd_perf_lines_printed(p, length, &c)
	     : *p == '{' ? sd_perf_lines_json(r->t, line, p, length, &c)
			 : sd_perf_lines_separated(r->t, line, p, length, &c);
	return rc > 0 ? take(r, line, &c) : rc;
}

int sd_import_perf(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	struct reader r = {.t = t, .im = im};
	const int printed = sd_perf_lines_is_printed(t);
	size_t at = 0, length;
	unsigned line = 0;
	const char *p;
	int rc = sd_import_check(t);

	if (rc == 0 && t->size >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	while (rc == 0 && (p = sd_import_line(t, &at, &length, &line))) {
		while (length && isspace((unsigned char)*p)) {
			p++;
			length--;
		}
		if (length == 0 || (*p == '#' && !printed))
			continue;
		rc = read_line(&r, line, p, length, printed);
	}
	if (rc == 0)
		rc = finish(im, &r, line ? line : 1, cores);
	sd_event_counts_free(&r.counts);
	sd_run_free(&r.run);
	return rc;
}
