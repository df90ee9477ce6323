#include "terminal/live_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/one_run.h"
#include "plan/point_runs.h"

static void put_efficiency(FILE *f, const struct sd_point_runs *x, size_t point)
{
	const struct sd_record *const r = x->record;
	const double reference = sd_point_runs_wall(x, 0), wall = sd_point_runs_wall(x, point);
	const double cores = (double)r->plan.point[point].cores / r->plan.point[0].cores;
	const double work = r->program.scaling == SD_SCALING_WEAK ? cores : 1;
	double half, middle;
	size_t few;

	/* with --rate the time says nothing; the reference is 1 by definition */
	if (point == 0 || r->program.rate || !(reference > 0) || !(wall > 0))
		return;
	half = sd_point_runs_interval(x, point, &middle, &few);
	fprintf(f, "   efficiency %.0f %%", 100 * work * reference / wall / cores);
	if (half < 1)
		fprintf(f, " ±%.1f", 100 * half);
	else
		fputs(isfinite(half) ? ", the runs vary widely" : ", one run so far", f);
}

static void put_point(FILE *f, const struct sd_point_runs *x, size_t point, int now)
{
	const unsigned cores = x->record->plan.point[point].cores;
	const unsigned runs = sd_point_runs_good(x, point);

	fprintf(f, "%c %4u core%s %4u run%s %9.3f s", now ? '>' : ' ', cores,
		cores == 1 ? " " : "s", runs, runs == 1 ? " " : "s", sd_point_runs_wall(x, point));
	put_efficiency(f, x, point);
	fputc('\n', f);
}

/* Puts the warm-up's time, the first number that there is. */
static void put_warm_up(FILE *f, const struct sd_record *r)
{
	for (size_t i = r->n_run; i-- > 0;) {
		const struct sd_run *const run = &r->run[i];
		const unsigned cores =
			run->point < r->plan.n_point ? r->plan.point[run->point].cores : 0;

		if (run->kind != SD_RUN_WARMUP || !cores || !sd_one_run_good(run) ||
			!sd_has(run->metric[SD_METRIC_WALL]))
			continue;
		fprintf(f, "  %4u core%s   warm-up %9.3f s\n", cores, cores == 1 ? " " : "s",
			run->metric[SD_METRIC_WALL].value);
		return;
	}
}

char *sd_live_table(const struct sd_record *r, unsigned now, size_t lines)
{
	char *out = NULL;
	size_t size = 0, shown = 0;
	FILE *const f = open_memstream(&out, &size);
	struct sd_point_runs x;
	const int found = sd_point_runs_find(r, &x) == 0;

	for (size_t i = 0; f && found && i < r->plan.n_point && shown < lines; i++)
		if (sd_point_runs_good(&x, i)) {
			put_point(f, &x, i, r->plan.point[i].cores == now);
			shown++;
		}
	if (f && !shown && lines)
		put_warm_up(f, r);
	sd_point_runs_free(&x);
	if (f && fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}
