#include "import/import.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 10, FIELD = 200 };

/* What perf calls it, and what it is here; the kernel's generic cache events are whatever the CPU
 * has that is near. A name that ends in '/' is one of a PMU: "uncore_imc_0/cas_count_read/". */
static const struct {
	const char *event;
	enum sd_role role;
	enum sd_quality quality;
} roles[] = {
	{"cycles", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
	{"cpu-cycles", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
	{"instructions", SD_ROLE_INSTRUCTIONS, SD_QUALITY_EXACT},
	{"ref-cycles", SD_ROLE_REF_CYCLES, SD_QUALITY_EXACT},
	{"bus-cycles", SD_ROLE_BUS_CLOCKS, SD_QUALITY_EXACT},
	{"cache-misses", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"cache-references", SD_ROLE_LLC_ACCESSES, SD_QUALITY_PROXY},
	{"LLC-load-misses", SD_ROLE_LLC_LOAD_MISSES, SD_QUALITY_PROXY},
	{"LLC-loads", SD_ROLE_LLC_READS, SD_QUALITY_PROXY},
	{"L1-dcache-load-misses", SD_ROLE_L1D_MISSES, SD_QUALITY_PROXY},
	{"L1-dcache-loads", SD_ROLE_L1D_ACCESSES, SD_QUALITY_PROXY},
	{"dTLB-load-misses", SD_ROLE_DTLB_LOAD_WALKS, SD_QUALITY_PROXY},
	{"dTLB-store-misses", SD_ROLE_DTLB_STORE_WALKS, SD_QUALITY_PROXY},
	{"node-load-misses", SD_ROLE_REMOTE_ACCESSES, SD_QUALITY_PROXY},
	{"stalled-cycles-frontend", SD_ROLE_STALL_FRONTEND, SD_QUALITY_PROXY},
	{"stalled-cycles-backend", SD_ROLE_STALL_BACKEND, SD_QUALITY_PROXY},
	{"slots", SD_ROLE_TD_SLOTS, SD_QUALITY_EXACT},
	{"topdown-retiring", SD_ROLE_TD_NATIVE_RETIRING, SD_QUALITY_EXACT},
	{"topdown-bad-spec", SD_ROLE_TD_NATIVE_BADSPEC, SD_QUALITY_EXACT},
	{"topdown-fe-bound", SD_ROLE_TD_NATIVE_FRONTEND, SD_QUALITY_EXACT},
	{"topdown-be-bound", SD_ROLE_TD_NATIVE_BACKEND, SD_QUALITY_EXACT},
	{"topdown-mem-bound", SD_ROLE_TD_NATIVE_MEMORY, SD_QUALITY_EXACT},
	{"topdown-heavy-ops", SD_ROLE_TD_NATIVE_HEAVY, SD_QUALITY_EXACT},
	{"topdown-br-mispredict", SD_ROLE_TD_NATIVE_MISPREDICT, SD_QUALITY_EXACT},
	{"topdown-fetch-lat", SD_ROLE_TD_NATIVE_FETCH, SD_QUALITY_EXACT},
	{"cas_count_read", SD_ROLE_DRAM_READ_LINES, SD_QUALITY_EXACT},
	{"cas_count_write", SD_ROLE_DRAM_WRITE_LINES, SD_QUALITY_EXACT},
};

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
	{"cpu-migrations", SD_METRIC_MIGRATIONS, 1},
	{"minor-faults", SD_METRIC_MINOR_FAULTS, 1},
	{"major-faults", SD_METRIC_MAJOR_FAULTS, 1},
};

/* One counter of the file. */
struct counter {
	char value[FIELD], unit[FIELD], event[FIELD], running[FIELD], metric[FIELD],
		metric_unit[FIELD];
};

struct reader {
	const struct sd_import_text *t;
	struct sd_run run;
	double utilised; /* CPUs, of task-clock; 0 unknown */
	int any;
};

/* "cpu_core/cycles/u", "cpu_core/cycles:u/" (rustc-perf's) and "cycles:u" are cycles of user code:
 * the event, its PMU, whose it is. */
static int split_event(const char *full, char *event, int *user, int *kernel)
{
	const char *start = full, *slash = strchr(full, '/'), *end, *mode = "";
	size_t n;

	*user = *kernel = 0;
	if (slash) {
		start = slash + 1;
		end = strchr(start, '/');
		if (!end)
			return -EINVAL;
		mode = end + 1;
		for (const char *p = start; p < end; p++)
			if (*p == ':')
				mode = p + 1, end = p;
	} else {
		end = strchr(start, ':');
		mode = end ? end + 1 : "";
		end = end ? end : start + strlen(start);
	}
	n = (size_t)(end - start);
	if (n == 0 || n >= FIELD)
		return -EINVAL;
	memcpy(event, start, n);
	event[n] = '\0';
	*user = strchr(mode, 'u') != NULL;
	*kernel = strchr(mode, 'k') != NULL;
	if (*user && *kernel)
		*user = *kernel = 0;
	return 0;
}

static int take_metric(
	struct reader *r, unsigned line, const struct counter *c, const char *event, double v)
{
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
		struct sd_value *to = &r->run.metric[metrics[i].metric];
		double unit = metrics[i].unit, ignored;

		if (strcmp(metrics[i].event, event) != 0)
			continue;
		if (strcmp(c->unit, "msec") == 0)
			unit = 1e-3;
		else if (strcmp(c->unit, "ns") == 0)
			unit = 1e-9;
		if (to->status != SD_STATUS_ABSENT)
			return sd_import_bad(r->t, line, "'%.60s' stands here twice", c->event);
		*to = SD_OK(v * unit);
		if (metrics[i].metric == SD_METRIC_TASK_CLOCK &&
			strstr(c->metric_unit, "CPUs utilized") &&
			sd_import_number(r->t, line, "CPUs utilized", c->metric, &ignored) > 0)
			r->utilised = ignored;
		return 1;
	}
	return 0;
}

/* Another PMU's share of the same role (core and atom, memory controllers) is added. */
static int take_role(struct reader *r, unsigned line, const struct counter *c, const char *event,
	double v, double running, int user)
{
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
		int rc;

		if (strcasecmp(roles[i].event, event) != 0)
			continue;
		if (strcmp(c->unit, "MiB") == 0)
			v *= 1048576. / 64;
		rc = sd_import_role(
			&r->run, roles[i].role, v, running, user, roles[i].quality, "perf-stat");
		if (rc == -EEXIST && strchr(c->event, '/')) {
			for (size_t k = 0; k < r->run.n_role; k++)
				if (r->run.role[k].role == roles[i].role) {
					struct sd_role_count *to = &r->run.role[k];
					double sum = to->value.value / to->running + v;

					to->running = running < to->running ? running : to->running;
					to->value.value = sum * to->running;
				}
			return 0;
		}
		return rc == -EEXIST ? sd_import_bad(r->t, line, "'%.60s' is counted here already",
					       c->event)
				     : rc;
	}
	return 0;
}

static int take(struct reader *r, unsigned line, const struct counter *c)
{
	double v, running = 100;
	char event[FIELD];
	int user, kernel, rc = sd_import_number(r->t, line, c->event, c->value, &v);

	if (rc < 0)
		return rc;
	r->any = 1;
	if (rc == 0 || split_event(c->event, event, &user, &kernel) || kernel)
		return 0;
	rc = take_metric(r, line, c, event, v);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = sd_import_number(r->t, line, "percentage running", c->running, &running);
	if (rc < 0)
		return rc;
	if (running <= 0)
		return 0; /* never counted */
	if (running > 100.5)
		return sd_import_bad(
			r->t, line, "'%.60s': counted for %.1f %% of the time", c->event, running);
	return take_role(r, line, c, event, v, running >= 99.995 ? 1 : running / 100, user);
}

/* ---- -x, ------------------------------------------------------------------------------------- */

static size_t split(const char *p, size_t length, char separator, char field[FIELDS][FIELD])
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && p[i] != separator) {
			if (n < FIELDS && k + 1 < FIELD && !(k == 0 && p[i] == ' '))
				field[n][k++] = p[i];
			continue;
		}
		if (n < FIELDS) {
			while (k > 0 && field[n][k - 1] == ' ')
				k--;
			field[n][k] = '\0';
		}
		n++;
		k = 0;
	}
	return n;
}

static int numeric(const char *s)
{
	return isdigit((unsigned char)*s);
}

/* The separator that perf was given: the first of the usual ones after the count. */
static char separator_of(const char *p, size_t length)
{
	static const char order[] = ";\t|,";

	for (const char *s = order; *s; s++)
		if (memchr(p, *s, length))
			return *s;
	return ',';
}

static int read_csv_line(struct reader *r, unsigned line, const char *p, size_t length)
{
	char f[FIELDS][FIELD] = {{0}};
	size_t n = split(p, length, separator_of(p, length), f), at = 3;
	struct counter c = {0};

	if (n < 3)
		return sd_import_bad(r->t, line, "is no line of `perf stat -x,`");
	if (!f[0][0] && !f[2][0])
		return 0; /* one more metric of the counter above */
	if (!numeric(f[0]) && f[0][0] != '<')
		return sd_import_bad(r->t, line,
			"begins with '%.30s', not with a count: give the output of `perf stat -x,` without -A and --per-*",
			f[0]);
	if ((numeric(f[1]) || f[1][0] == '<') && strchr(f[0], '.'))
		return sd_import_bad(r->t, line, "is of interval mode: run perf stat without -I");
	if (numeric(f[1]))
		return sd_import_bad(r->t, line,
			"the count '%.30s,%.30s' has a decimal comma: run perf with LC_ALL=C", f[0],
			f[1]);
	at += f[3][0] && f[3][strlen(f[3]) - 1] == '%' ? 1 : 0; /* -r: the spread of the runs */
	snprintf(c.value, sizeof c.value, "%s", f[0]);
	snprintf(c.unit, sizeof c.unit, "%s", f[1]);
	snprintf(c.event, sizeof c.event, "%s", f[2]);
	snprintf(c.running, sizeof c.running, "%s", f[at + 1]);
	snprintf(c.metric, sizeof c.metric, "%s", f[at + 2]);
	snprintf(c.metric_unit, sizeof c.metric_unit, "%s", f[at + 3]);
	if (!c.event[0])
		return sd_import_bad(r->t, line, "names no event");
	return take(r, line, &c);
}

/* ---- -j -------------------------------------------------------------------------------------- */

static void text_of(const json_t *o, const char *key, char *out)
{
	const json_t *v = json_object_get(o, key);

	out[0] = '\0';
	if (json_is_string(v))
		snprintf(out, FIELD, "%s", json_string_value(v));
	else if (json_is_number(v))
		snprintf(out, FIELD, "%.17g", json_number_value(v));
}

static int read_json_line(struct reader *r, unsigned line, const char *p, size_t length)
{
	struct counter c = {0};
	json_error_t error;
	json_t *o;
	int rc;

	while (length && (isspace((unsigned char)p[length - 1]) || p[length - 1] == ','))
		length--;
	o = json_loadb(p, length, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(o)) {
		json_decref(o);
		return sd_import_bad(r->t, line, "is no JSON object of `perf stat -j`");
	}
	text_of(o, "counter-value", c.value);
	text_of(o, "unit", c.unit);
	text_of(o, "event", c.event);
	text_of(o, "pcnt-running", c.running);
	text_of(o, "metric-value", c.metric);
	text_of(o, "metric-unit", c.metric_unit);
	if (json_object_get(o, "interval"))
		rc = sd_import_bad(r->t, line, "is of interval mode: run perf stat without -I");
	else if (json_object_get(o, "cpu") || json_object_get(o, "thread"))
		rc = sd_import_bad(r->t, line,
			"is of one CPU or thread: run perf stat without -A and --per-*");
	else if (!c.event[0] && !c.value[0])
		rc = 0; /* one more metric */
	else if (!c.event[0])
		rc = sd_import_bad(r->t, line, "names no event");
	else
		rc = take(r, line, &c);
	json_decref(o);
	return rc;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int finish(struct sd_import *im, struct reader *r, unsigned line, unsigned cores)
{
	struct sd_value *m = r->run.metric;

	if (!r->any)
		return sd_import_bad(r->t, line, "has no counter of perf stat");
	if (m[SD_METRIC_WALL].status == SD_STATUS_ABSENT && r->utilised > 0 &&
		m[SD_METRIC_TASK_CLOCK].status == SD_STATUS_OK)
		m[SD_METRIC_WALL] = SD_OK(m[SD_METRIC_TASK_CLOCK].value / r->utilised);
	if (m[SD_METRIC_WALL].status != SD_STATUS_OK || m[SD_METRIC_WALL].value < 1e-6)
		return sd_import_bad(r->t, line,
			"says nowhere how long it took: measure with -e "
			"duration_time,task-clock,...");
	return sd_import_add(im, r->t, line, cores, &r->run);
}

int sd_import_perf(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	struct reader r = {.t = t};
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
		if (length == 0 || *p == '#')
			continue;
		rc = *p == '{' ? read_json_line(&r, line, p, length)
			       : read_csv_line(&r, line, p, length);
	}
	if (rc == 0)
		rc = finish(im, &r, line ? line : 1, cores);
	sd_run_free(&r.run);
	return rc;
}
