#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/one_more.h"

/* No count and no time of a run is larger. */
#define MOST 1e18

int sd_import_bad(const struct sd_import_text *t, unsigned line, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	sd_say(t->sink, SD_LEVEL_ERROR, "%s:%u: %s", t->name, line, what);
	return -EINVAL;
}

const char *sd_import_line(
	const struct sd_import_text *t, size_t *at, size_t *length, unsigned *line)
{
	const char *start = t->text + *at, *end;
	size_t left = t->size - *at;

	if (left == 0)
		return NULL;
	end = memchr(start, '\n', left);
	*length = end ? (size_t)(end - start) : left;
	*at += *length + (end != NULL);
	if (*length && start[*length - 1] == '\r')
		--*length;
	++*line;
	return start;
}

int sd_import_check(const struct sd_import_text *t)
{
	const unsigned char *s = (const unsigned char *)t->text;
	unsigned line = 1;

	if (t->size == 0)
		return sd_import_bad(t, 1, "is empty");
	if (t->size > SD_IMPORT_BYTES)
		return sd_import_bad(t, 1, "has more than %zu bytes", SD_IMPORT_BYTES);
	if (t->size > 1 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff)))
		return sd_import_bad(t, 1, "is UTF-16; save it as UTF-8");
	for (size_t i = 0; i < t->size; i++) {
		line += s[i] == '\n';
		if (s[i] == 0)
			return sd_import_bad(t, line,
				"holds a NUL byte: not a text, or UTF-16 or UTF-32; "
				"save it as UTF-8");
		if (s[i] < 0x20 && !strchr("\t\r\n", s[i]))
			return sd_import_bad(
				t, line, "holds a control character: not a table of numbers");
	}
	return 0;
}

static int says_none(const char *cell)
{
	static const char *const words[] = {"", "-", "na", "n/a", "nan", "-nan", "null", "none",
		"<not counted>", "<not supported>"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcasecmp(cell, words[i]) == 0)
			return 1;
	return 0;
}

int sd_import_number(const struct sd_import_text *t, unsigned line, const char *what,
	const char *cell, double *out)
{
	const int rc = sd_number_double(cell, 0, MOST, out);

	if (rc == 0)
		return 1;
	if (says_none(cell))
		return 0;
	if (rc == -ERANGE)
		return sd_import_bad(t, line, "%.40s: '%.40s' is not from 0 to 1e18", what, cell);
	if (strchr(cell, ','))
		return sd_import_bad(t, line,
			"%.40s: '%.40s' has a decimal comma, or commas between thousands; write 1234.5 (perf: LC_ALL=C)",
			what, cell);
	return sd_import_bad(t, line, "%.40s: '%.40s' is not a number", what, cell);
}

/* The run's CPU time in s: of the kernel's clock, or user and system; 0: unknown. */
static double cpu_time(const struct sd_run *run)
{
	const struct sd_value *m = run->metric;
	const struct sd_value none = SD_OK(0);
	const struct sd_value *clock = &m[SD_METRIC_TASK_CLOCK];
	const struct sd_value *user = &m[SD_METRIC_USER], *system = &m[SD_METRIC_SYSTEM];
	double times;

	user = user->status == SD_STATUS_OK ? user : &none;
	system = system->status == SD_STATUS_OK ? system : &none;
	times = user->value + system->value;
	return clock->status == SD_STATUS_OK && clock->value > times ? clock->value : times;
}

/* Times are rounded, by getrusage and by those who make tables: to 10 ms a core, or to 5 %. */
static int check_cpu_time(
	const struct sd_import_text *t, unsigned line, unsigned cores, const struct sd_run *run)
{
	const double wall = run->metric[SD_METRIC_WALL].value, cpu = cpu_time(run);

	if (cpu <= cores * (wall * 1.05 + .01))
		return 0;
	return sd_import_bad(t, line,
		"%.4g s of CPU time in %.4g s is more than %u core%s: either the program ran on "
		"more cores, or the whole machine was counted (perf stat -a): count the program alone",
		cpu, wall, cores, cores == 1 ? " has" : "s have");
}

static int append(struct sd_import *im, unsigned cores, const struct sd_run *run)
{
	unsigned *const grown = sd_one_more(im->cores, im->record.n_run, sizeof *grown);
	struct sd_run *runs;

	if (!grown)
		return -ENOMEM;
	im->cores = grown;
	runs = sd_one_more(im->record.run, im->record.n_run, sizeof *runs);
	if (!runs)
		return -ENOMEM;
	im->record.run = runs;
	im->cores[im->record.n_run] = cores;
	runs[im->record.n_run++] = *run;
	return 0;
}

int sd_import_add(struct sd_import *im, const struct sd_import_text *t, unsigned line,
	unsigned cores, struct sd_run *run)
{
	int rc;

	if (cores == 0 || cores > SD_CPU_MAX)
		return -EINVAL;
	if (check_cpu_time(t, line, cores, run))
		return -EINVAL;
	rc = sd_thin_runs_keeps(im, cores, run);
	if (rc == -EINVAL)
		return sd_import_bad(t, line, "too many core counts");
	if (rc < 0)
		return rc;
	im->given++;
	run->kind = SD_RUN_BLOCK;
	run->end = SD_END_EXITED;
	if (!rc)
		sd_run_free(run);
	else if (append(im, cores, run))
		return -ENOMEM;
	*run = (struct sd_run){0};
	return 0;
}

int sd_import_role(struct sd_run *run, enum sd_role role, double value, double running, int user,
	enum sd_quality quality, const char *source)
{
	struct sd_role_count *grown;

	if (sd_run_role(run, role))
		return -EEXIST;
	grown = sd_one_more(run->role, run->n_role, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	run->role = grown;
	grown[run->n_role] = (struct sd_role_count){.role = role,
		.value = {value * running, running < 1 ? SD_STATUS_MULTIPLEXED : SD_STATUS_OK},
		.running = running,
		.quality = quality,
		.user = user};
	snprintf(grown[run->n_role].source, sizeof grown[run->n_role].source, "%s", source);
	run->n_role++;
	return 0;
}

unsigned sd_import_count(const char *path)
{
	const char *base = strrchr(path, '/');
	uint64_t found = 0;
	int numbers = 0;

	for (const char *p = base ? base + 1 : path; *p;) {
		char digits[12];
		size_t n = strspn(p, "0123456789");

		if (n == 0) {
			p++;
			continue;
		}
		snprintf(digits, sizeof digits, "%.*s", n < 11 ? (int)n : 11, p);
		numbers++;
		if (sd_number_u64(digits, 1, SD_CPU_MAX, &found) < 0)
			return 0;
		p += n;
	}
	return numbers == 1 ? (unsigned)found : 0;
}

void sd_import_free(struct sd_import *im)
{
	sd_record_free(&im->record);
	free(im->cores);
	free(im->count);
	sd_texts_free(&im->unknown);
	*im = (struct sd_import){0};
}
