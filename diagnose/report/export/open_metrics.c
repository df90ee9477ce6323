#include "export/open_metrics.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "export/remark.h"
#include "page/sanitize.h"
#include "view/view.h"

/* ---- the format ------------------------------------------------------------------------------ */

void sd_open_metrics_family(FILE *f, const char *name, const char *unit, const char *help)
{
	const char *const join = *unit ? "_" : "";

	fprintf(f, "# TYPE scalediag_%s%s%s gauge\n", name, join, unit);
	if (*unit)
		fprintf(f, "# UNIT scalediag_%s_%s %s\n", name, unit, unit);
	fprintf(f, "# HELP scalediag_%s%s%s %s\n", name, join, unit, help);
}

/* A label's value: UTF-8 without control characters, and what the format escapes. */
static void put_value(FILE *f, const char *text)
{
	char *const clean = sd_sanitize(text);

	for (const char *c = clean; c && *c; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', f);
		fputc(*c, f);
	}
	free(clean);
}

void sd_open_metrics_sample(FILE *f, const char *name, const char *unit,
	const struct sd_open_label label[SD_OPEN_METRICS_LABELS], double value)
{
	int n = 0;

	if (!isfinite(value))
		return;
	fprintf(f, "scalediag_%s%s%s", name, *unit ? "_" : "", unit);
	for (size_t i = 0; i < SD_OPEN_METRICS_LABELS && label[i].name; i++) {
		if (!label[i].value || !*label[i].value)
			continue;
		fprintf(f, "%s%s=\"", n++ ? "," : "{", label[i].name);
		put_value(f, label[i].value);
		fputc('"', f);
	}
	fprintf(f, "%s %.17g\n", n ? "}" : "", value);
}

int sd_open_metrics_end(FILE *f)
{
	fputs("# EOF\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

/* ---- a record -------------------------------------------------------------------------------- */

static const struct measured {
	const char *name, *unit, *help;
	size_t at;
} measured[] = {
	{"wall", "seconds", "Time of a run, median.", offsetof(struct sd_point, wall)},
	{"speedup", "ratio", "Speed, by that of the first core count.",
		offsetof(struct sd_point, speedup)},
	{"efficiency", "ratio", "Speedup by cores.", offsetof(struct sd_point, efficiency)},
};

/* A number of each count, and the bounds of its interval where it has some. */
static void put_measured(
	FILE *f, const struct sd_analysis *a, const char *program, const struct measured *m)
{
	static const struct {
		const char *suffix, *help;
	} part[] = {{"", ""}, {"_low", " Lower bound, 95 %."}, {"_high", " Upper bound, 95 %."}};

	for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
		char name[32], help[96];

		snprintf(name, sizeof name, "%s%s", m->name, part[k].suffix);
		snprintf(help, sizeof help, "%s%s", m->help, part[k].help);
		sd_open_metrics_family(f, name, m->unit, help);
		for (size_t i = 0; i < a->n_point; i++) {
			const struct sd_point *const p = &a->point[i];
			const struct sd_interval v = *(
				const struct sd_interval *)(const void *)((const char *)p + m->at);
			const double value[] = {v.value, v.low, v.high};
			char cores[16];
			const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
				{"program", program}, {"cores", cores}};

			snprintf(cores, sizeof cores, "%u", p->cores);
			if (sd_status_measured(v) &&
				(k == 0 || (sd_status_bounded(v) && p->runs > 1)))
				sd_open_metrics_sample(f, name, m->unit, label, value[k]);
		}
	}
}

static void put_stack(FILE *f, const struct sd_analysis *a, const char *program)
{
	sd_open_metrics_family(
		f, "component", "cores", "Cores by what they did; sums to the count.");
	for (size_t i = 0; i < a->n_point; i++)
		for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
			const struct sd_point *const p = &a->point[i];
			char cores[16];
			const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {
				{"program", program}, {"cores", cores},
				{"component", sd_component_info[k].name}};

			snprintf(cores, sizeof cores, "%u", p->cores);
			if (sd_status_measured(p->stack[k]))
				sd_open_metrics_sample(
					f, "component", "cores", label, p->stack[k].value);
		}
}

static void put_causes(FILE *f, const struct sd_view *v)
{
	sd_open_metrics_family(f, "cause", "cores",
		"What a cause costs at the largest count; those that the report numbers.");
	for (size_t i = 0; i < v->n_cause; i++) {
		const struct sd_view_cause *const c = &v->cause[i];
		const struct sd_interval cores = c->of ? c->of->cores : sd_view_growth(v->a);
		const struct sd_open_label label[SD_OPEN_METRICS_LABELS] = {{"program", v->command},
			{"cause", sd_remark_name(c)},
			{"verdict", c->of ? sd_verdict_name[c->of->verdict] : "open"},
			{"function", c->at ? c->at->function : NULL},
			{"file", c->at && c->at->file ? sd_remark_file(v->r, c->at) : NULL}};

		if (sd_status_measured(cores))
			sd_open_metrics_sample(f, "cause", "cores", label, cores.value);
	}
}

/* When and where it was measured, and whether it scales, where the runs decide that. */
static void put_record(FILE *f, const struct sd_view *v)
{
	const struct sd_record *const r = v->r;
	const struct sd_open_label who[SD_OPEN_METRICS_LABELS] = {{"program", v->command},
		{"host", r->host.name}, {"commit", r->program.source.commit},
		{"branch", r->program.source.branch}, {"version", r->tool_version}};
	const struct sd_open_label program[SD_OPEN_METRICS_LABELS] = {{"program", v->command}};
	const time_t at = sd_view_measured_at(r);

	sd_open_metrics_family(f, "record_info", "", "What was measured, and where.");
	sd_open_metrics_sample(f, "record_info", "", who, 1);
	sd_open_metrics_family(f, "measured", "seconds", "When, since 1970 in UTC.");
	if (at)
		sd_open_metrics_sample(f, "measured", "seconds", program, (double)at);
	sd_open_metrics_family(f, "scales", "", "Does it scale? 1 yes, 0 no.");
	if (v->mood == SD_VIEW_GOOD || v->mood == SD_VIEW_BAD)
		sd_open_metrics_sample(f, "scales", "", program, v->mood == SD_VIEW_GOOD);
}

int sd_open_metrics_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct sd_view v;

	(void)s;
	if (sd_view_make(&v, r, a, NULL))
		return -ENOMEM;
	put_record(f, &v);
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
		put_measured(f, a, v.command, &measured[i]);
	put_stack(f, a, v.command);
	put_causes(f, &v);
	sd_view_free(&v);
	return sd_open_metrics_end(f);
}
