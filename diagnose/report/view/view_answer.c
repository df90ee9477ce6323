#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "page/interval_text.h"
#include "page/page.h"
#include "view/view_parts.h"

#define SAME_WORK ": its work differs from run to run (--long). The same each time would decide."

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

char *sd_view_measured(const struct sd_analysis *a)
{
	size_t least = a->n_point ? a->point[0].runs : 0, most = least, size = 0;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < a->n_point; i++) {
		least = a->point[i].runs < least ? a->point[i].runs : least;
		most = a->point[i].runs > most ? a->point[i].runs : most;
		if (a->n_point <= 6)
			fprintf(f, "%s%u", i ? ", " : "", a->point[i].cores);
	}
	if (a->n_point > 6)
		fprintf(f, "%zu counts from %u to %u", a->n_point, a->point[0].cores,
			a->point[a->n_point - 1].cores);
	if (a->n_point)
		fprintf(f, " core%s, ", plural(a->n_point == 1 ? a->point[0].cores : 2));
	if (a->n_point && a->point[0].exact)
		fputs("modelled: exact but for the order of threads", f);
	else if (least == most)
		fprintf(f, "%zu run%s%s", most, plural(most), a->n_point > 1 ? " each" : "");
	else
		fprintf(f, "%zu to %zu runs each", least, most);
	if (a->regions.judged)
		fprintf(f, " · judged: %s", a->regions.judged);
	return sd_page_written(f, &text);
}

/* ---- how it scales --------------------------------------------------------------------------- */

/* The count with the largest speedup when the last one is surely below it; NULL: there is none. */
static const struct sd_point *peak(const struct sd_analysis *a)
{
	const struct sd_point *best = &a->point[0], *const last = &a->point[a->n_point - 1];

	for (size_t i = 1; i < a->n_point; i++)
		if (sd_status_measured(a->point[i].speedup) &&
			a->point[i].speedup.value > best->speedup.value)
			best = &a->point[i];
	return best != last && best != &a->point[0] && last->speedup.high < best->speedup.low
		       ? best
		       : NULL;
}

/* Is one half of the interval more than twice the other, and more than 5 %? */
static int is_lopsided(struct sd_interval v)
{
	const double up = v.high - v.value, down = v.value - v.low;

	return fmax(up, down) > .05 && fmax(up, down) > 2 * fmin(up, down);
}

static void put_efficiency(FILE *f, const struct sd_point *pt)
{
	/* "±0 %" would be a lie */
	const int decimals = pt->efficiency.high - pt->efficiency.low < .02;
	char half[32];

	sd_interval_text_half(half, sizeof half, pt->efficiency, pt->runs, 100, decimals);
	if (pt->efficiency.high - pt->efficiency.low >= 2)
		fprintf(f, "(about %.0f %% efficiency)", 100 * pt->efficiency.value);
	else if (pt->runs > 1 && is_lopsided(pt->efficiency))
		fprintf(f, "(%.0f %% efficiency, %.0f to %.0f)", 100 * pt->efficiency.value,
			100 * fmax(0, pt->efficiency.low), 100 * pt->efficiency.high);
	else if (pt->runs > 1)
		fprintf(f, "(%.0f ±%s %% efficiency)", 100 * pt->efficiency.value, half);
	else
		fprintf(f, "(%.0f %% efficiency%s)", 100 * pt->efficiency.value,
			pt->exact ? "" : ", one run");
}

/* Name of what a ratio of times is a ratio of. */
static const char *gained(const struct sd_record *r)
{
	return r->program.rate || r->program.scaling == SD_SCALING_WEAK ? " the throughput"
									: " speedup";
}

static void put_speedup(FILE *f, const struct sd_record *r, const struct sd_point *pt)
{
	fprintf(f, "%.2fx%s on %u core%s ", pt->speedup.value, gained(r), pt->cores,
		plural(pt->cores));
	put_efficiency(f, pt);
}

/* Puts the sentence on a sure loss. */
static void put_loss(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	const struct sd_point *const pt = &a->point[a->n_point - 1], *const best = peak(a);

	if (best) {
		fprintf(f, "Peaks at %u cores (%.2fx%s), falls to %.2fx on %u ", best->cores,
			best->speedup.value, gained(r), pt->speedup.value, pt->cores);
		put_efficiency(f, pt);
		fputs(".", f);
	} else if (pt->speedup.high < 1 && pt->speedup.value > 0) {
		fprintf(f, "Negative scaling: %u cores are %.3gx slower than %u ", pt->cores,
			1 / pt->speedup.value, a->point[0].cores);
		put_efficiency(f, pt);
		fputs(".", f);
	} else {
		fputs("Poor scaling: ", f);
		put_speedup(f, r, pt);
		fputs(".", f);
	}
}

/* Does the program surely lose to a cause of its own? */
static int has_likely(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause != SD_CAUSE_NOISE &&
			a->finding[i].verdict <= SD_VERDICT_LIKELY)
			return 1;
	return 0;
}

/* The speedup at this point from which on the program scales. */
static double enough(const struct sd_analysis *a, const struct sd_point *pt)
{
	return SD_SCALES_FROM * pt->n / a->point[0].n;
}

/* May more cores gain nothing, and may the program scale as well? Such bounds answer nothing. */
static int is_open(const struct sd_analysis *a, const struct sd_point *pt, struct sd_interval v)
{
	return v.low <= 1 && v.high >= enough(a, pt);
}

/* Do the times vary so much that the efficiency could be anything? */
static int is_anything(const struct sd_point *pt)
{
	const double width = pt->efficiency.high - pt->efficiency.low;

	return pt->runs > 1 && isfinite(width) && width >= 1;
}

static void put_anything(FILE *f, const struct sd_analysis *a, const struct sd_point *pt)
{
	fprintf(f, "Not known yet how it scales: %zu runs on %u core%s ", pt->runs, pt->cores,
		plural(pt->cores));
	if (is_open(a, pt, pt->speedup))
		fputs("vary too much to tell", f);
	else if (pt->speedup.low > 0)
		fprintf(f, "give %.2fx to %.2fx (95 %%)", pt->speedup.low, pt->speedup.high);
	else
		fprintf(f, "give at most %.2fx (95 %%)", pt->speedup.high);
}

/* From which speedup on it would scale, and what is known. */
static void put_surely(FILE *f, const struct sd_analysis *a, const struct sd_point *pt)
{
	const struct sd_interval v = a->surely;
	const int open = !sd_status_measured(v) || is_open(a, pt, v);

	if (open)
		fputs(", which does not tell whether it scales", f);
	else if (v.low > 0)
		fprintf(f, ", surely between %.2fx and %.2fx", v.low, v.high);
	else
		fprintf(f, ", surely at most %.2fx", v.high);
	fprintf(f, " (from %.2fx on it %s)", enough(a, pt), open ? "does" : "scales");
}

static void put_unsure(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	const struct sd_point *const pt = &a->point[a->n_point - 1];

	if (is_anything(pt)) {
		put_anything(f, a, pt);
	} else {
		put_speedup(f, r, pt);
		if (pt->runs > 1)
			put_surely(f, a, pt);
	}
	if (a->no_verdict)
		fprintf(f, ": %s.", a->no_verdict);
	else if (sd_status_measured(a->varied) || sd_view_is_loaded(a)) /* the banner says why */
		fputs(sd_status_measured(a->varied) ? SAME_WORK : ".", f);
	else if (pt->runs > 1 && !has_likely(a) &&
		 pt->efficiency.high < 1 - SD_VIEW_LEAST) /* by the runs alone it does not */
		fputs("; what disturbed the runs may be all of the loss (--long says what). Stop "
		      "other work and try again.",
			f);
	else if (pt->runs_other >= pt->runs)
		fprintf(f,
			". %zu of its runs met the machine in another state and do not count: more of "
			"them narrow that little, a machine of its own does.",
			pt->runs_other);
	else
		fputs(". More runs (--repeats) narrow that.", f);
}

/* Sums these components' cores, as far as they are known. */
static double cores_of(const struct sd_point *pt, const enum sd_component *part, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (sd_status_measured(pt->stack[part[i]]))
			sum += fmax(0, pt->stack[part[i]].value);
	return sum;
}

/* How idle a program was that was only looked at: cores that none of its threads wanted; and those
 * that they wanted and did not get. */
static void put_use(FILE *f, const struct sd_point *pt)
{
	static const enum sd_component unwanted[] = {SD_COMPONENT_SLEEP, SD_COMPONENT_NETWORK,
		SD_COMPONENT_SERIAL},
				       refused = SD_COMPONENT_RUN_QUEUE;
	const double idle = cores_of(pt, unwanted, sizeof unwanted / sizeof *unwanted),
		     wait = cores_of(pt, &refused, 1);

	fprintf(f, "Useful work takes %.2f of %u core%s", pt->stack[SD_COMPONENT_USEFUL].value,
		pt->n, plural(pt->n));
	if (wait >= .05 * pt->n)
		fprintf(f, "; for %.2f more its threads were ready, but had no free CPU", wait);
	if (idle >= .05 * pt->n)
		fprintf(f,
			"; it leaves %.0f %% of all cores idle, for want of work or in timed sleep",
			100 * idle / pt->n);
	fputs(". --cores would tell how it scales.", f);
}

/* Did only one thread of one process ever work? The program most often never got the count then. */
static int is_single(const struct sd_analysis *a)
{
	const struct sd_value several[] = {
		a->constructs.threads, a->constructs.processes, a->constructs.openmp};
	int known = 1;

	for (size_t i = 0; i < sizeof several / sizeof *several; i++)
		known &= several[i].status == SD_STATUS_OK && !(several[i].value > 0);
	return known;
}

/* Says that a program that hardly more than starts needs more work. */
static void put_short(FILE *f, const struct sd_analysis *a)
{
	const double s = a->too_short.value, shown = s < 1 ? 1e3 * s : s;

	fprintf(f, "This takes %.*f %s, %s: give it more work.", shown < 10, shown,
		s < 1 ? "ms" : "s",
		a->is_start ? "mostly its own start"
			    : "which is too short to tell its work from its start");
}

/* Why there is one count only: the others have not run, there are no more CPUs, or nobody asked. */
static void put_single(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	if (a->n_point == 1 && r->plan.n_point > 1)
		fprintf(f, "Only the runs at %u core%s came to a good end: nothing to compare.",
			a->point[0].cores, plural(a->point[0].cores));
	else if (r->host.granted == 1 && !r->program.attached)
		fputs("Only 1 CPU is granted here (affinity, quota or container): nothing to "
		      "compare.",
			f);
	else
		fputs("Only one core count was measured: nothing to compare. Try --cores 1,2.", f);
}

/* Says what decides where the efficiency by itself does not: that of cores that nobody else uses.
 */
static void put_whole(FILE *f, const struct sd_analysis *a, const struct sd_point *pt)
{
	char half[32];

	if (!sd_status_measured(a->whole) || !(pt->efficiency.low < SD_SCALES_FROM) ||
		a->whole.high < SD_SCALES_FROM)
		return;
	sd_interval_text_half(half, sizeof half, a->whole, pt->runs, 100, 0);
	fprintf(f, " On cores that nobody else uses: %.0f ±%s %%.", 100 * a->whole.value, half);
}

/* Says the speedup where the CPUs are as far apart as in the runs that are not compared. */
static void put_other_state(FILE *f, const struct sd_analysis *a)
{
	static const char *const cause[] = {[SD_STATES_SAY_NOTHING] = "",
		[SD_STATES_SAY_THE_SAME] = ", with the same first cause",
		[SD_STATES_SAY_OTHERWISE] = ", with another first cause (--long)"};

	if (a->other.state && sd_status_measured(a->other.speedup))
		fprintf(f, " With the CPUs %s it is %.2fx%s.",
			a->other.state == 1 ? "near each other" : "far from each other",
			a->other.speedup.value, cause[a->other.says]);
}

char *sd_view_answer(
	const struct sd_record *r, const struct sd_analysis *a, enum sd_view_mood *mood)
{
	const struct sd_point *const pt = a->n_point ? &a->point[a->n_point - 1] : NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	*mood = SD_VIEW_NOTHING;
	if (!f)
		return NULL;
	if (!pt) {
		fputs("No run came to a good end: there is nothing to report.", f);
	} else if (sd_has(a->too_short)) {
		*mood = SD_VIEW_UNSURE;
		put_short(f, a);
	} else if (r->program.attached && a->n_point == 1) {
		put_use(f, pt);
	} else if (a->n_point < 2 || !sd_status_measured(pt->speedup) ||
		   !sd_status_measured(pt->efficiency)) {
		put_single(f, r, a);
	} else if (a->scales == SD_SCALES_YES) {
		*mood = SD_VIEW_GOOD;
		fputs(pt->efficiency.value >= SD_VIEW_WELL ? "Scales well: " : "Scales: ", f);
		put_speedup(f, r, pt);
		fputs(".", f);
	} else if (a->scales == SD_SCALES_NO) {
		*mood = SD_VIEW_BAD;
		put_loss(f, r, a);
	} else {
		*mood = SD_VIEW_UNSURE;
		put_unsure(f, r, a);
	}
	if (*mood != SD_VIEW_NOTHING && !sd_has(a->too_short)) {
		put_whole(f, a, pt);
		put_other_state(f, a);
		sd_view_own_waits(f, a);
	}
	if ((*mood != SD_VIEW_NOTHING || (pt && r->program.attached)) && !sd_has(a->too_short) &&
		is_single(a))
		sd_view_alone(f, r);
	return sd_page_written(f, &text);
}
