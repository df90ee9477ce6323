#include "calibration/bench_changes.h"

#include <errno.h>
#include <string.h>

#include "calibration/bench_sections.h"
#include "render/json_values.h"

#define DUMP (JSON_INDENT(1) | JSON_REAL_PRECISION(12))

#define CHANGE 18u /* columns of how much it changed */

static const char *const change_name[] = {"none", "better", "worse", "changed"};

/* First how much, then of what: the names are long. */
static void put_change(
	struct sd_page *g, const struct sd_bench_comparison *all, const struct sd_bench_change *c)
{
	static const enum sd_tone tone[] = {
		SD_TONE_PLAIN, SD_TONE_GOOD, SD_TONE_BAD, SD_TONE_DOUBT};
	const struct sd_bench_row *const b = c->before;
	char first[40], before[24], after[24], cores[24], place[64];
	const int states = all->states_after > 1;

	snprintf(first, sizeof first, "  %+5.0f %% %-7s  ", 100 * (c->ratio - 1),
		change_name[c->change]);
	sd_bench_quantity(b->median, b->unit, before, sizeof before);
	sd_bench_quantity(c->after->median, b->unit, after, sizeof after);
	sd_bench_cores(b->cores, cores, sizeof cores);
	sd_bench_parameter(b, place, sizeof place);
	sd_page_wrap_tone(g, tone[c->change], first, CHANGE, "%s -> %s%s%s · %s %s, %s%s%s%s%s%s",
		before, after, strcmp(b->unit, "B") == 0 ? "" : " ",
		strcmp(b->unit, "B") == 0 ? "" : b->unit, b->kernel, c->after->variant, cores,
		place[0] ? ", " : "", place, states ? ", " : "",
		states ? sd_bench_state_name(c->after->state) : "", states ? " state" : "");
}

static void put_refusal(struct sd_page *g, const struct sd_bench_comparison *c)
{
	if (c->few > c->compared && (c->calibrations_before < 2 || c->calibrations_after < 2))
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2,
			"Not comparable: %s, which does not tell how much the next one would "
			"differ on an unchanged machine. Calibrate both with --repeat 3.",
			c->calibrations_before > 1  ? "that of now is one calibration"
			: c->calibrations_after > 1 ? "that of before is one calibration"
						    : "each is one calibration");
	else
		sd_page_wrap_tone(g, SD_TONE_DOUBT, "  ", 2,
			"Not comparable: %s. Calibrate both in the same way, and in the same state "
			"of the machine.",
			c->compared ? "most numbers of the two have no counterpart that can tell"
				    : "no number of the two has a counterpart that can tell");
}

/* How much of both has a counterpart. */
static void put_shares(struct sd_page *g, const struct sd_bench_comparison *c)
{
	const size_t common = c->compared + c->few;

	sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
		"in both profiles: %zu results, of %zu before and %zu now", common,
		common + c->lost, common + c->gained);
	if (c->few)
		sd_page_wrap_tone(g, SD_TONE_DIM, "  ", 2,
			"of one calibration, which decides nothing: %zu of them", c->few);
}

int sd_bench_changes_text(
	FILE *f, const struct sd_bench_comparison *c, const struct sd_report_style *s)
{
	const int granted = c->granted_before != c->granted_after;
	struct sd_page g;

	sd_page_begin(&g, f, s);
	sd_page_put(&g, SD_TONE_PLAIN, "\n");
	sd_page_wrap_tone(&g, SD_TONE_BOLD, "", 2,
		"Compared with before: %zu of %zu results changed beyond noise", c->n, c->compared);
	if (granted)
		sd_page_wrap_tone(&g, SD_TONE_BAD, "  ", 2,
			"Changed: %u CPUs granted before, %u now.", c->granted_before,
			c->granted_after);
	else if (c->differs)
		sd_page_wrap_tone(&g, SD_TONE_DOUBT, "  ", 2,
			"Not the same machine as then: another %s.", c->differs);
	if (c->states_before != c->states_after)
		sd_page_wrap_tone(&g, SD_TONE_DOUBT, "  ", 2,
			"States of the machine seen: %d before, %d now.", c->states_before,
			c->states_after);
	for (size_t i = 0; i < c->n; i++)
		put_change(&g, c, &c->change[i]);
	if (c->noise > 0 && !c->blind)
		sd_page_wrap_tone(&g, SD_TONE_DIM, "  ", 2,
			"an unchanged machine's numbers differ by %.1f %% between the two "
			"(standard "
			"deviation, of the one in the middle; from %u and %u calibrations); half "
			"of them show changes from %.0f %% on",
			100 * c->noise, c->calibrations_before, c->calibrations_after,
			100 * c->smallest);
	if (!c->quiet)
		sd_page_wrap_tone(&g, SD_TONE_DOUBT, "  ", 2,
			"One of the two was not measured on a quiet machine: measure again when "
			"nothing else runs "
			"before you act on this.");
	if (c->n == 0 && c->comparable && !c->blind && !granted)
		sd_page_put(&g, SD_TONE_GOOD, "  nothing changed\n");
	if (c->n == 0 && c->comparable && c->blind)
		sd_page_wrap_tone(&g, SD_TONE_DOUBT, "  ", 2,
			"Whether anything changed cannot be told: not even twice or half of most "
			"numbers would show. Calibrate when less runs beside it, or more often "
			"(--repeat).");
	if (!c->comparable)
		put_refusal(&g, c);
	put_shares(&g, c);
	return sd_page_end(&g);
}

static json_t *put_side(const struct sd_bench_row *r)
{
	return sd_json("median", r->median, "q1", r->q1, "q3", r->q3, "n", r->n);
}

static json_t *put_changes(const struct sd_bench_comparison *c)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < c->n; i++) {
		const struct sd_bench_change *x = &c->change[i];

		sd_json_add(
			&out, sd_json("kernel", x->before->kernel, "variant", x->after->variant,
				      "cores", x->before->cores, "parameter", x->before->parameter,
				      "parameter_unit", x->before->parameter_unit, "unit",
				      x->before->unit, "state", x->after->state, "change",
				      change_name[x->change], "ratio", x->ratio, "before",
				      put_side(x->before), "after", put_side(x->after)));
	}
	return out;
}

int sd_bench_changes_json(FILE *f, const struct sd_bench_comparison *c)
{
	json_t *root = sd_json("kind", "scalediag-profile-comparison", "schema", 1, "differs",
		c->differs, "granted_before", c->granted_before, "granted_after", c->granted_after,
		"states_before", c->states_before, "states_after", c->states_after,
		"calibrations_before", c->calibrations_before, "calibrations_after",
		c->calibrations_after, "compared", c->compared, "few", c->few, "lost", c->lost,
		"gained", c->gained, "comparable", json_boolean(c->comparable), "blind",
		json_boolean(c->blind), "noise", c->noise, "smallest", c->smallest, "quiet",
		json_boolean(c->quiet), "changes", put_changes(c));
	int rc = root ? 0 : -ENOMEM;

	if (rc == 0 && (json_dumpf(root, f, DUMP) != 0 || fputc('\n', f) == EOF || fflush(f) != 0))
		rc = -EIO;
	json_decref(root);
	return rc;
}
