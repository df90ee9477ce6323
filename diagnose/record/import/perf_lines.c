#include "import/perf_lines.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { FIELDS = 24, FIELD = SD_PERF_FIELD };

/* ---- numbers --------------------------------------------------------------------------------- */

/* Blanks and apostrophes between thousands, the Unicode ones too. */
static size_t blank_at(const char *p)
{
	if (*p == '\'' || *p == ' ')
		return 1;
	if (memcmp(p, "\xc2\xa0", strnlen(p, 2)) == 0 && p[0])
		return 2;
	if (strncmp(p, "\xe2\x80\xaf", 3) == 0 || strncmp(p, "\xe2\x80\x99", 3) == 0)
		return 3;
	return 0;
}

/* The mark before decimals: the last of two kinds; a lone one unless it makes thousands. */
static char decimal_mark(const char *s, int whole)
{
	const char *const comma = strrchr(s, ','), *const point = strrchr(s, '.');
	const char *const last = !comma ? point : !point ? comma : comma > point ? comma : point;

	if (!last)
		return '\0';
	if (comma && point)
		return strchr(last + 1, *last) || strchr(s, *last) != last ? '\0' : *last;
	if (strchr(s, *last) != last) /* several: thousands */
		return '\0';
	return strlen(last + 1) == 3 && whole ? '\0' : *last;
}

int sd_perf_lines_number(const char *cell, int whole, double *out)
{
	char digits[64], plain[64];
	size_t n = 0, k = 0;
	char mark;

	while (*cell && n + 1 < sizeof digits) {
		const size_t blank = blank_at(cell);

		if (blank)
			cell += blank;
		else
			digits[n++] = *cell++;
	}
	digits[n] = '\0';
	if (*cell || !isdigit((unsigned char)digits[0]))
		return -EINVAL;
	mark = decimal_mark(digits, whole);
	for (size_t i = 0; i < n; i++) {
		if (mark && digits[i] == mark)
			plain[k++] = '.';
		else if (digits[i] != ',' && digits[i] != '.')
			plain[k++] = digits[i];
	}
	plain[k] = '\0';
	return sd_number_double(plain, 0, 1e18, out) < 0 ? -EINVAL : 0;
}

static int is_count(const char *s)
{
	double ignored;

	return *s == '<' || sd_perf_lines_number(s, 0, &ignored) == 0;
}

static int is_digits(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

static int is_unit(const char *s)
{
	return !*s || (isalpha((unsigned char)*s) && strlen(s) <= 10) || *s == '%';
}

static int is_event(const char *s)
{
	return isalpha((unsigned char)*s) && strlen(s) > 1;
}

/* ---- -x -------------------------------------------------------------------------------------- */

static size_t split(const char *p, size_t length, char separator, char field[FIELDS][FIELD])
{
	size_t n = 0, k = 0;

	memset(field, 0, FIELDS * sizeof *field);
	for (size_t i = 0; i <= length; i++) {
		if (i < length && p[i] != separator) {
			if (n < FIELDS && k + 1 < FIELD && !(k == 0 && p[i] == ' '))
				field[n][k++] = p[i];
			continue;
		}
		while (n < FIELDS && k > 0 && field[n][k - 1] == ' ')
			field[n][--k] = '\0';
		n++;
		k = 0;
	}
	return n < FIELDS ? n : FIELDS;
}

/* Index of the count: before it are the interval and what it is of. n: there is none. */
static size_t value_at(char f[FIELDS][FIELD], size_t n)
{
	for (size_t v = 0; v + 2 < n && v < 4; v++)
		if (is_count(f[v]) && is_unit(f[v + 1]) && is_event(f[v + 2]))
			return v;
	return n;
}

static char separator_of(const char *p, size_t length, char f[FIELDS][FIELD], size_t *n, size_t *v)
{
	static const char order[] = ";\t|,:!@#~^ ";

	for (const char *s = order; *s; s++) {
		*n = split(p, length, *s, f);
		*v = value_at(f, *n);
		if (*v < *n)
			return *s;
	}
	return '\0';
}

static void put(char *to, const char *from)
{
	snprintf(to, FIELD, "%.*s", FIELD - 1, from);
}

/* Takes the fields before the count: an interval, what it is of, of how many that is. 0; 1: the
 * decimals of a comma were taken for a column of their own. */
static int take_front(char f[FIELDS][FIELD], size_t v, struct sd_perf_counter *out)
{
	size_t i = 0;

	if (v > 0 && is_count(f[0]) && !is_digits(f[0])) {
		(void)sd_perf_lines_number(f[0], 0, &out->interval);
		i++;
	}
	for (; i < v; i++) {
		if (is_digits(f[i]) && i + 1 == v && !out->part[0])
			return 1;
		if (!is_digits(f[i]))
			put(out->part, f[i]);
	}
	return 0;
}

/* Behind the event: its cgroup, the spread of runs, for how long it was counted, its metric. */
static void take_back(char f[FIELDS][FIELD], size_t at, struct sd_perf_counter *out)
{
	if (f[at][0] && !is_count(f[at]) && f[at][strlen(f[at]) - 1] != '%')
		put(out->cgroup, f[at++]);
	if (f[at][0] && f[at][strlen(f[at]) - 1] == '%')
		put(out->spread, f[at++]);
	put(out->running, f[at + 1]);
	put(out->metric, f[at + 2]);
	put(out->metric_unit, f[at + 3]);
}

/* One more metric of the counter above: neither a count nor an event. */
static int is_metric_alone(const char *p, size_t length)
{
	size_t empty = 0;

	for (size_t i = 0; i + 1 < length; i++)
		empty += strchr(",;\t|", p[i]) && p[i] == p[i + 1];
	return empty >= 3;
}

int sd_perf_lines_separated(const struct sd_import_text *t, unsigned line, const char *p,
	size_t length, struct sd_perf_counter *out)
{
	char f[FIELDS][FIELD];
	size_t n = 0, v = 0;
	const char separator = separator_of(p, length, f, &n, &v);

	*out = (struct sd_perf_counter){0};
	if (!separator) {
		if (is_metric_alone(p, length))
			return 0;
		return sd_import_bad(t, line, "is no line of `perf stat -x,`");
	}
	put(out->value, f[v]);
	if (take_front(f, v, out)) {
		if (!f[v + 1][0]) /* a count has no decimals: which of the two is it? */
			return sd_import_bad(t, line,
				"the count '%.30s%c%.30s' has a decimal comma: run perf with LC_ALL=C",
				f[v - 1], separator, f[v]);
		snprintf(out->value, FIELD, "%.80s.%.80s", f[v - 1], f[v]);
	}
	put(out->unit, f[v + 1]);
	put(out->event, f[v + 2]);
	if (v + 7 < FIELDS)
		take_back(f, v + 3, out);
	return 1;
}

/* ---- -j -------------------------------------------------------------------------------------- */

static void text_of(const json_t *o, const char *key, char *out)
{
	const json_t *v = json_object_get(o, key);

	if (json_is_string(v))
		snprintf(out, FIELD, "%s", json_string_value(v));
	else if (json_is_number(v))
		snprintf(out, FIELD, "%.17g", json_number_value(v));
}

int sd_perf_lines_json(const struct sd_import_text *t, unsigned line, const char *p, size_t length,
	struct sd_perf_counter *out)
{
	static const char *const parts[] = {
		"cpu", "core", "cluster", "cache", "die", "socket", "node", "thread"};
	json_error_t error;
	json_t *o;
	int rc = 1;

	*out = (struct sd_perf_counter){0};
	while (length && (isspace((unsigned char)p[length - 1]) || p[length - 1] == ','))
		length--;
	o = json_loadb(p, length, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(o)) {
		json_decref(o);
		return sd_import_bad(t, line, "is no JSON object of `perf stat -j`");
	}
	text_of(o, "counter-value", out->value);
	text_of(o, "unit", out->unit);
	text_of(o, "event", out->event);
	text_of(o, "pcnt-running", out->running);
	text_of(o, "metric-value", out->metric);
	text_of(o, "metric-unit", out->metric_unit);
	text_of(o, "cgroup", out->cgroup);
	text_of(o, "variance", out->spread);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		text_of(o, parts[i], out->part);
	if (json_is_number(json_object_get(o, "interval")))
		out->interval = json_number_value(json_object_get(o, "interval"));
	if (!out->event[0] && !out->value[0])
		rc = 0; /* one more metric */
	else if (!out->event[0])
		rc = sd_import_bad(t, line, "names no event");
	json_decref(o);
	return rc;
}

/* ---- for people ------------------------------------------------------------------------------ */

int sd_perf_lines_is_printed(const struct sd_import_text *t)
{
	static const char *const marks[] = {
		"Performance counter stats for", "seconds time elapsed", "counts unit events"};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (memmem(t->text, t->size, marks[i], strlen(marks[i])))
			return 1;
	return 0;
}

/* "(83.21%)", in old versions "(scaled from 83.21%)": the share of the time it was counted; not "(
 * +- 0.10% )". */
static void take_running(const char *s, struct sd_perf_counter *out)
{
	for (const char *p = strchr(s, '('); p; p = strchr(p + 1, '(')) {
		static const char old[] = "scaled from ";
		const char *const from =
			p + 1 + (strncmp(p + 1, old, sizeof old - 1) ? 0 : sizeof old - 1);
		const size_t n = strspn(from, "0123456789.,");

		if (n && n < FIELD && from[n] == '%' && from[n + 1] == ')')
			snprintf(out->running, FIELD, "%.*s", (int)n, from);
	}
}

/* "# 3.999 CPUs utilized" */
static void take_remark(const char *s, struct sd_perf_counter *out)
{
	const char *p = strchr(s, '#');
	size_t n;

	if (!p)
		return;
	p += 1 + strspn(p + 1, " ");
	n = strspn(p, "0123456789.,");
	if (n && n < FIELD) {
		snprintf(out->metric, FIELD, "%.*s", (int)n, p);
		snprintf(out->metric_unit, FIELD, "%.80s", p + n + strspn(p + n, " "));
	}
}

static size_t tokens(char *s, char *token[FIELDS])
{
	char *save = NULL;
	size_t n = 0;

	for (char *p = strtok_r(s, " \t", &save); p && n < FIELDS; p = strtok_r(NULL, " \t", &save))
		token[n++] = p;
	return n;
}

/* "1.5 seconds user" is a time with the event "user". */
static int is_printed_unit(const char *s)
{
	static const char *const units[] = {
		"msec", "ns", "seconds", "KiB", "MiB", "GiB", "Joules", "Bytes", "C"};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i], s) == 0)
			return 1;
	return 0;
}

int sd_perf_lines_printed(const char *p, size_t length, struct sd_perf_counter *out)
{
	char text[1024], *token[FIELDS];
	size_t n;

	*out = (struct sd_perf_counter){0};
	if (length >= sizeof text)
		return 0;
	memcpy(text, p, length);
	text[length] = '\0';
	take_running(text, out);
	take_remark(text, out);
	text[strcspn(text, "#")] = '\0';
	n = tokens(text, token);
	for (size_t i = 0; i + 1 < n && i < 5; i++) {
		const int none = strcmp(token[i], "<not") == 0;
		/* "1.00025 +- 0.00100 seconds time elapsed" */
		const int spread = i + 2 < n && strcmp(token[i + 1], "+-") == 0;
		const size_t next = i + 1 + (size_t)none + (spread ? 2u : 0u);
		int unit;

		if (!is_count(token[i]) || next >= n || !is_event(token[next]))
			continue;
		unit = next + 1 < n && is_printed_unit(token[next]);
		if (i > 0 && is_count(token[0]) && strpbrk(token[0], ".,"))
			(void)sd_perf_lines_number(token[0], 0, &out->interval);
		for (size_t k = 0; k < i; k++)
			if (!is_count(token[k]))
				put(out->part, token[k]);
		put(out->value, none ? "<not counted>" : token[i]);
		put(out->unit, unit ? token[next] : "");
		put(out->event, token[next + (size_t)unit]);
		if (next + (size_t)unit + 1 < n && strcmp(out->unit, "seconds") != 0 &&
			!strchr("(+)<", *token[next + (size_t)unit + 1]))
			put(out->cgroup, token[next + (size_t)unit + 1]);
		return 1;
	}
	return 0;
}
