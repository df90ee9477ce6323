#include "export/csv.h"

#include <errno.h>

#include "page/markup.h"

/* Rows end as RFC 4180 asks for; numbers have all their digits and a point. */
#define END "\r\n"

static void put_row(FILE *f, unsigned cores, const char *group, const char *name, const char *unit,
	struct sd_interval v, size_t runs, const char *source)
{
	const int has = sd_status_measured(v);

	fprintf(f, "%u,%s,", cores, group);
	sd_markup_csv(f, name);
	fputc(',', f);
	sd_markup_csv(f, unit);
	if (has)
		fprintf(f, ",%.17g", v.value);
	else
		fputc(',', f);
	if (sd_status_bounded(v) && runs > 1)
		fprintf(f, ",%.17g,%.17g", v.low, v.high);
	else
		fputs(",,", f);
	fprintf(f, ",%zu,%s,", runs, sd_status_name(v.status));
	sd_markup_csv(f, source);
	fputs(END, f);
}

static void put_point(FILE *f, const struct sd_point *p)
{
	put_row(f, p->cores, "time", "wall", "s", p->wall, p->runs, "os");
	put_row(f, p->cores, "scaling", "speedup", "ratio", p->speedup, p->runs, "os");
	put_row(f, p->cores, "scaling", "efficiency", "ratio", p->efficiency, p->runs, "os");
	put_row(f, p->cores, "scaling", "parallelism", "cores", p->parallelism, p->runs, "os");
	put_row(f, p->cores, "scaling", "karp-flatt", "ratio", p->karp_flatt, p->runs, "os");
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (p->stack[k].status != SD_STATUS_ABSENT)
			put_row(f, p->cores, "stack", sd_component_info[k].name, "cores",
				p->stack[k], p->runs, "analysis");
	for (size_t i = 0; i < p->n_shown; i++)
		put_row(f, p->cores, "metric", p->shown[i].name, p->shown[i].unit,
			p->shown[i].value, p->runs, p->shown[i].source);
}

/* Slow requests: what they take more than typical ones. */
static void put_requests(FILE *f, const struct sd_slow_point *p)
{
	put_row(f, p->cores, "latency", "p50", "s", p->p50, p->runs, "markers");
	put_row(f, p->cores, "latency", "p99", "s", p->p99, p->runs, "markers");
	for (size_t i = 0; i < p->n_part; i++)
		put_row(f, p->cores, "slow-requests", sd_request_part_info[p->part[i].part].name,
			"s", p->part[i].more, p->runs, "samples");
}

/* Speedups that the algorithm of tasks allows; the rows are of the core count that it is from. */
static void put_span(FILE *f, const struct sd_span_point *p)
{
	put_row(f, p->cores, "task-span", "work", "s", p->work, p->runs, "openmp");
	put_row(f, p->cores, "task-span", "span", "s", p->span, p->runs, "openmp");
	for (size_t k = 0; k < SD_SPAN_AT_COUNT; k++) {
		char name[32];

		snprintf(name, sizeof name, "limit-%u", sd_span_cores[k]);
		put_row(f, p->cores, "task-span", name, "ratio", p->limit[k], p->runs, "openmp");
		snprintf(name, sizeof name, "greedy-%u", sd_span_cores[k]);
		put_row(f, p->cores, "task-span", name, "ratio", p->greedy[k], p->runs, "openmp");
	}
}

/* The verdict stands where another row has its source. */
static void put_finding(FILE *f, const struct sd_finding *x, const struct sd_point *p)
{
	put_row(f, p->cores, "cause", sd_cause_info[x->cause].name, "cores", x->cores, p->runs,
		sd_verdict_name[x->verdict]);
}

static int end(FILE *f)
{
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

int sd_csv_report(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	(void)r;
	(void)s;
	fputs("cores,group,name,unit,value,low,high,runs,status,source" END, f);
	for (size_t i = 0; i < a->n_point; i++)
		put_point(f, &a->point[i]);
	for (size_t i = 0; a->n_point && i < SD_CAUSE_COUNT; i++)
		put_finding(f, &a->finding[i], &a->point[a->n_point - 1]);
	for (size_t i = 0; i < a->regions.requests.n_point; i++)
		put_requests(f, &a->regions.requests.point[i]);
	for (size_t i = 0; a->regions.span.notes.n && i < a->regions.span.n_point; i++)
		put_span(f, &a->regions.span.point[i]);
	return end(f);
}

static void put_value(FILE *f, const struct sd_record *r, size_t run, const char *group,
	const char *name, const char *unit, struct sd_value v)
{
	const struct sd_run *x = &r->run[run];

	if (v.status == SD_STATUS_ABSENT)
		return;
	fprintf(f, "%zu,%u,%s,%u,%s,%s,%s,", run, r->plan.point[x->point].cores,
		sd_run_kind_name[x->kind], x->block, group, name, unit);
	if (sd_has(v))
		fprintf(f, "%.17g", v.value);
	fprintf(f, ",%s" END, sd_status_name(v.status));
}

int sd_csv_runs(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	(void)a;
	(void)s;
	fputs("run,cores,kind,block,group,name,unit,value,status" END, f);
	for (size_t i = 0; i < r->n_run; i++) {
		for (int m = 0; m < SD_METRIC_COUNT; m++)
			put_value(f, r, i, "metric", sd_metric_info[m].name, sd_metric_info[m].unit,
				r->run[i].metric[m]);
		for (int k = 0; k < SD_IDLE_COUNT; k++)
			put_value(f, r, i, "idle", sd_idle_name[k], "core-s", r->run[i].idle[k]);
		for (size_t k = 0; k < r->run[i].n_role; k++)
			put_value(f, r, i, "role", sd_role_name(r->run[i].role[k].role),
				sd_role_unit(r->run[i].role[k].role), r->run[i].role[k].value);
	}
	return end(f);
}
