#include "run/first_look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analyse.h"
#include "page/interval_text.h"
#include "page/sanitize.h"
#include "page/short_names.h"
#include "plan/schedule.h"
#include "run/config_tables.h"

/* Parts of the stack that fit a line of a terminal. */
#define PARTS 2
#define PLACE_COLUMNS 32
/* Share of the cores below which nobody is suspected. */
#define LEAST .05

static double cores_of(const struct sd_point *p, int component)
{
	return sd_status_measured(p->stack[component]) ? p->stack[component].value : 0;
}

/* Up to a comma or a bracket: a line has room for three. */
static void put_label(FILE *f, int component)
{
	const char *const label = sd_component_info[component].label;
	size_t n = strcspn(label, ",(");

	while (n && label[n - 1] == ' ')
		n--;
	fprintf(f, "%.*s", (int)n, label);
}

/* The largest losses, then the rest. */
static void put_stack(FILE *f, const struct sd_point *p)
{
	double rest = p->n - cores_of(p, SD_COMPONENT_USEFUL);
	unsigned char shown[SD_COMPONENT_COUNT] = {[SD_COMPONENT_USEFUL] = 1};

	fprintf(f, "  %u core%s so far: %.2f ", p->n, p->n == 1 ? "" : "s",
		cores_of(p, SD_COMPONENT_USEFUL));
	put_label(f, SD_COMPONENT_USEFUL);
	for (int i = 0; i < PARTS; i++) {
		int most = SD_COMPONENT_USEFUL;

		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			if (!shown[k] && (shown[most] || cores_of(p, k) > cores_of(p, most)))
				most = k;
		if (shown[most] || cores_of(p, most) < LEAST * p->n)
			break;
		shown[most] = 1;
		rest -= cores_of(p, most);
		fprintf(f, ", %.2f ", cores_of(p, most));
		put_label(f, most);
	}
	if (rest > LEAST * p->n / 2)
		fprintf(f, ", %.2f other", rest);
	fputc('\n', f);
}

/* Others on the machine are none: nothing in the program is to be done about them. */
static int is_suspect(const struct sd_finding *f)
{
	return f->cause != SD_CAUSE_NOISE && f->verdict <= SD_VERDICT_POSSIBLE &&
	       sd_status_measured(f->share) && f->share.value >= LEAST;
}

/* "after 4 s: ": by the clock of the runs. */
static void put_after(FILE *f, const struct sd_record *r)
{
	double from = INFINITY, to = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_value wall = r->run[i].metric[SD_METRIC_WALL];

		if (r->run[i].start > 0 && sd_has(wall)) {
			from = fmin(from, r->run[i].start);
			to = fmax(to, r->run[i].start + wall.value);
		}
	}
	fputs("  ", f);
	if (to > from)
		fprintf(f, "after %.0f s: ", to - from);
}

/* "after 4 s: 0.88x, ": of the largest count. */
static void put_answer(FILE *f, const struct sd_record *r, const struct sd_point *last)
{
	put_after(f, r);
	if (sd_status_measured(last->speedup))
		fprintf(f, "%.2fx, ", last->speedup.value);
}

/* One run of each count has no verdict yet: what is lost most, and the function that loses most. */
static void put_largest(FILE *f, const struct sd_analysis *a)
{
	const struct sd_point *const p = &a->point[a->n_point - 1];
	int most = SD_COMPONENT_COUNT;
	char *name, *clean;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (k != SD_COMPONENT_USEFUL && k != SD_COMPONENT_UNACCOUNTED &&
			k != SD_COMPONENT_RUN_QUEUE && cores_of(p, k) >= LEAST * p->n &&
			(most == SD_COMPONENT_COUNT || cores_of(p, k) > cores_of(p, most)))
			most = k;
	if (most == SD_COMPONENT_COUNT) {
		fputs(a->scales == SD_SCALES_YES ? "it scales" : "no suspect yet", f);
		fputs(" · Ctrl-C reports now\n", f);
		return;
	}
	name = a->losses.n_row ? sd_name_place(&a->losses.row[0].at, PLACE_COLUMNS) : NULL;
	clean = name ? sd_sanitize(name) : NULL;
	fputs("first suspect: ", f);
	put_label(f, most);
	fprintf(f, "%s%s · Ctrl-C reports now\n", clean ? ", most in " : "", clean ? clean : "");
	free(name);
	free(clean);
}

/* "first suspect: lock contention in lookup(), possible, 1.42 to 1.71 of 2 cores"; what is likely
 * is no suspect any more. */
static void put_bounded(FILE *f, const struct sd_finding *x, unsigned cores)
{
	char *const name = x->n_where ? sd_name_chain(&x->where[0], PLACE_COLUMNS) : NULL;
	char *const clean = name ? sd_sanitize(name) : NULL;
	char bounds[96];

	fprintf(f, "%s%s%s%s, %s", x->verdict < SD_VERDICT_POSSIBLE ? "" : "first suspect: ",
		sd_cause_info[x->cause].label, clean ? " in " : "", clean ? clean : "",
		sd_verdict_name[x->verdict]);
	/* anything from none to all of them is no bound */
	if (sd_status_measured(x->cores) && x->cores.high > x->cores.low &&
		(x->cores.low > 0 || x->cores.high < cores)) {
		sd_interval_text_bounds(bounds, sizeof bounds, x->cores, 2);
		fprintf(f, ", %s of %u cores", bounds, cores);
	}
	fputs(" · Ctrl-C reports now\n", f);
	free(name);
	free(clean);
}

static void put_suspect(FILE *f, const struct sd_analysis *a)
{
	if (sd_has(a->too_short)) {
		fprintf(f, "too short to tell its work from its start (%.2g ms)\n",
			1e3 * a->too_short.value);
		return;
	}
	for (size_t i = 0; i < SD_CAUSE_COUNT; i++)
		if (is_suspect(&a->finding[i])) {
			put_bounded(f, &a->finding[i], a->point[a->n_point - 1].n);
			return;
		}
	put_largest(f, a);
}

static void put_compared(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	put_stack(f, &a->point[a->n_point - 1]);
	put_answer(f, r, &a->point[a->n_point - 1]);
	put_suspect(f, a);
}

/* Puts where the cores of a program go that is only looked at: it has no speedup, and no cause by
 * one. */
static void put_looked(FILE *f, const struct sd_record *r, const struct sd_analysis *a)
{
	put_stack(f, &a->point[0]);
	put_after(f, r);
	fprintf(f, "%s · Ctrl-C reports now\n",
		a->runs_wanted == SD_RUNS_ENOUGH ? "more would not change that"
						 : "another window would tell more");
}

char *sd_first_look(void *ctx, const struct sd_record *record)
{
	const struct sd_config_tables *const tables = ctx;
	struct sd_analysis a = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *f = NULL;

	if (sd_analyse(record, &tables->formulas, &tables->advice, &a) == 0 &&
		(a.n_point > 1 || (a.n_point && record->program.attached)))
		f = open_memstream(&text, &size);
	if (f) {
		if (a.n_point > 1)
			put_compared(f, record, &a);
		else
			put_looked(f, record, &a);
		if (fclose(f) != 0) {
			free(text);
			text = NULL;
		}
	}
	sd_analysis_free(&a);
	return text;
}

int sd_first_look_is_enough(const struct sd_record *r)
{
	size_t counts = 0;

	for (size_t p = 0; p < r->plan.n_point; p++)
		counts += sd_schedule_runs(r, p) > 0;
	return counts > 1;
}

void sd_first_look_say_interrupted(
	const struct sd_record *r, const char *at, const struct sd_sink *sink)
{
	if (r->n_run == 0 || !at)
		sd_say(sink, SD_LEVEL_NOTE, "interrupted before the first run ended");
	else if (sd_first_look_is_enough(r))
		sd_say(sink, SD_LEVEL_NOTE,
			"interrupted; this is what the %zu finished runs say: scalediag --resume %s "
			"goes on",
			r->n_run, at);
	else
		sd_say(sink, SD_LEVEL_NOTE,
			"interrupted; %s has the %zu finished runs: scalediag --resume %s goes on, "
			"scalediag report %s shows them",
			at, r->n_run, at, at);
}
