#include "validity/varied_work.h"

#include <math.h>

#define LEAST_RUNS 3

/* s; below it, a run's CPU time is that of its start. */
#define LEAST_S .02

/* From so many times the least CPU time on, of cores as wide. A cache and a memory that others use
 * cost some tenths; a core whose other half works, which is not known without widths, a half. */
#define VARIED 1.5
#define VARIED_BLIND 2.0

/* s that the run's CPU time would have been on a core with all its width; NAN unknown. */
static double work_of(const struct sd_run *run, int widths)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      kernel = run->metric[SD_METRIC_SYSTEM],
			      width = run->metric[SD_METRIC_WIDTH];

	if (!sd_has(user) || (widths && !sd_has(width)))
		return NAN;
	return (user.value + (sd_has(kernel) ? kernel.value : 0)) * (widths ? width.value : 1);
}

/* s of CPU time of runs. */
struct works {
	double least, most_but_one, most;
	int unknown; /* of so many runs */
};

static void add_work(struct works *w, double s)
{
	w->unknown += isnan(s);
	w->least = fmin(w->least, s);
	w->most_but_one = fmax(w->most_but_one, fmin(s, w->most));
	w->most = fmax(w->most, s);
}

static void add_works(
	const struct sd_case *c, const struct sd_run *const *run, size_t n, struct works *w)
{
	const int widths = c->neighbours.known;

	for (size_t j = 0; j < n; j++)
		add_work(w, work_of(run[j], widths) / (widths ? c->neighbours.whole : 1));
}

/* From this share of the samples on, what each takes decides the program's CPU time. */
#define SPLIT_MUCH .1

/* Share of the reference's user time at locked instructions whose word lies in two cache lines.
 * Kernels and hypervisors trap these, and delay the program for as long as they like: its time then
 * tells nothing of its work. */
static double split_share(const struct sd_chosen *p)
{
	double split = 0, all = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_native_lines *const l = p->run[j]->native;

		for (size_t i = 0; l && l->status == SD_STATUS_OK && i < l->n_loop; i++) {
			split += l->loop[i].split_s;
			all += l->loop[i].seconds;
		}
	}
	return all > 0 ? split / all : 0;
}

void sd_varied_work_check(struct sd_case *c)
{
	const struct sd_chosen *const p = c->ref;
	struct works w = {INFINITY, 0, 0, 0};

	c->a->varied = (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (p->cores != 1 || p->n_run < LEAST_RUNS)
		return;
	/* others leave a run's CPU time, which its width stands for, as it is */
	add_works(c, p->run, p->n_run, &w);
	add_works(c, p->disturbed, p->n_disturbed, &w);
	/* a moment of a hypervisor or of other work makes one run long, and none short */
	if (w.unknown || w.least < LEAST_S ||
		w.most_but_one < (c->neighbours.known ? VARIED : VARIED_BLIND) * w.least)
		return;
	if (split_share(p) > SPLIT_MUCH) {
		sd_case_warn(c,
			"its runs at 1 core take %.2g to %.2g s of CPU time, and %.0f %% of that is at "
			"locked instructions whose word lies in two cache lines: what such an "
			"instruction takes differs, as kernels and hypervisors trap it",
			w.least, w.most, 100 * split_share(p));
		return;
	}
	c->a->varied = (struct sd_interval){(w.least + w.most) / 2, w.least, w.most, SD_STATUS_OK};
	sd_case_warn(c,
		"its runs at 1 core take %.2g to %.2g s of CPU time: it does not do the same work "
		"each time (a random seed? a search that ends when it finds?)",
		w.least, w.most);
}
