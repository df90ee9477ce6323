#include "causes/next_step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/cause_places.h"
#include "hotspots/runtimes.h"
#include "record/experiment.h"
#include "simulated/simulated_costs.h"

/* The software PMU's whole run of the largest point is there, or a part; 0 none. It sees only one
 * of several processes, which then counts as all of it. */
enum simulation { NOT_SIMULATED, PARTLY, WHOLE };

static enum simulation simulated(const struct sd_case *c)
{
	struct sd_simulated_costs_counts counts;

	sd_simulated_costs_counts(c->record, c->last->plan, &counts);
	if (!counts.simulated)
		return NOT_SIMULATED;
	return counts.simulated->partial && counts.simulated->processes < 2 ? PARTLY : WHOLE;
}

static unsigned long made(const struct sd_case *c)
{
	unsigned long set = simulated(c) ? 1ul << SD_EXPERIMENT_SOFTWARE_PMU : 0;

	for (size_t i = 0; i < c->a->n_tested; i++)
		if (c->a->tested[i].pairs > 0)
			set |= 1ul << c->a->tested[i].experiment;
	return set;
}

/* Those that there was time for and that were not expected to tell more; those that the plan left
 * out, as there is nothing for them to change; only --isolate, which makes
 * the copies of a program possible, is for the reader to give. */
static unsigned long pointless(const struct sd_case *c)
{
	const struct sd_value openmp = c->a->constructs.openmp;
	unsigned long set =
		sd_has(openmp) && openmp.value <= 0 ? 1ul << SD_EXPERIMENT_PASSIVE_WAIT : 0;

	if (sd_run_selection_modelled(c->record))
		return ~0ul;
	for (size_t i = 0; i < c->a->n_tested; i++) {
		const struct sd_tested *const t = &c->a->tested[i];

		if (t->left_out)
			set |= 1ul << t->experiment;
		if (t->skipped && t->pairs == 0 && !(t->cost_s > 0) && !strstr(t->skipped, "--"))
			set |= 1ul << t->experiment;
	}
	return set;
}

static void list(char *out, size_t size, unsigned long set)
{
	out[0] = '\0';
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		if (set >> i & 1)
			snprintf(out + strlen(out), size - strlen(out), "%s%s", *out ? "," : "",
				sd_experiment_info[i].name);
}

/* Those that may say how much the cause has at least; where none of them is left, at most. */
static unsigned long left_for(const struct sd_case *c, enum sd_cause cause)
{
	const unsigned long may = ~made(c) & ~pointless(c);
	const unsigned long decide = sd_experiment_moving(cause, SD_BOUND_LOWER) & may;

	return decide ? decide : sd_experiment_moving(cause, SD_BOUND_UPPER) & may;
}

char *sd_next_step(struct sd_case *c, const struct sd_cause_row *r, enum sd_cause cause)
{
	const unsigned long decide = sd_experiment_moving(cause, SD_BOUND_LOWER);
	const int whole = (decide >> SD_EXPERIMENT_SOFTWARE_PMU & 1) && simulated(c) == PARTLY;
	unsigned long left = left_for(c, cause);
	/* the remark is of those that decide, where there are any */
	const int fits = r->finds && (!decide || left & decide);
	char names[256], *out = NULL;
	int n = 0;

	/* all of what was simulated in part says more than what bounds the cause from above alone
	 */
	if (whole && !(left & decide))
		left = 0;
	if (left) {
		list(names, sizeof names, left);
		n = asprintf(
			&out, "scalediag --experiments %s PROGRAM%s", names, fits ? r->finds : "");
	} else if ((sd_experiment_moving(cause, SD_BOUND_BOTH) >> SD_EXPERIMENT_SOFTWARE_PMU & 1) &&
		   simulated(c) == PARTLY) {
		n = asprintf(&out, "scalediag --events sim PROGRAM # simulates all of it");
	} else if (c->a->ranks.known) { /* the rules' words are for threads */
		n = asprintf(&out, "scalediag report --long RECORD # the ranks one by one");
	} else if (sd_run_selection_modelled(c->record) &&
		   (!r->next || !strstr(r->next, "RECORD"))) {
		return NULL;
	} else if (r->next && !(c->record->program.attached && strstr(r->next, "{n}"))) {
		/* what runs already is handed no count */
		n = asprintf(&out, "%s", r->next);
	}
	if (n >= 0)
		return out;
	c->rc = -ENOMEM;
	return NULL;
}

/* Its runtime was asked for names already, in the command line or in a variable. */
static int is_asked(const struct sd_program *p, const char *asked)
{
	const struct sd_texts *const from[] = {&p->argv, &p->env};

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < from[k]->n; i++)
			if (strcasestr(from[k]->text[i], asked))
				return 1;
	return 0;
}

/* How the code of this file gets its names, which its runtime, or one that is not known, makes or
 * interprets. 0: no such code, or it has its names. */
static int names_of(const struct sd_case *c, const char *module, struct sd_runtime_names *out)
{
	static const struct sd_runtime_names of_any = {"perfmap", NULL, NULL,
		"its code was made while it ran and has no names: have the runtime that makes it "
		"write them to /tmp/perf-PID.map (its option for perf), and look again"};

	if (sd_runtimes_names(&c->record->stacks, module, out))
		return 1;
	*out = of_any;
	return module && strcmp(module, "[jit]") == 0;
}

/* Java's compiled code keeps no frame pointers unless asked: a stack that ends in the JDK's own, or
 * in the virtual machine's locks, does not tell which code of the program called it. */
static char *step_callers(struct sd_case *c, const struct sd_finding *f)
{
	static const char option[] = "-XX:+PreserveFramePointer";
	const struct sd_program *const p = &c->record->program;
	const double own = sd_cause_places_own(c, f->cause);
	char *next = NULL;

	/* an experiment that decides comes first */
	if (!f->next || !strstr(f->next, "# its callers") || p->attached ||
		!(own >= 0 && own < .5) || is_asked(p, "PreserveFramePointer") ||
		!(sd_runtimes_of(&c->record->stacks, NULL) & SD_RUNTIME_BIT(JAVA)))
		return NULL;
	if (asprintf(&next,
		    "scalediag --env 'JAVA_TOOL_OPTIONS=%s' PROGRAM # shows which methods of the "
		    "program call it",
		    option) < 0) {
		c->rc = -ENOMEM;
		return NULL;
	}
	return next;
}

void sd_next_step_names(struct sd_case *c, struct sd_finding *f)
{
	const struct sd_program *const p = &c->record->program;
	const struct sd_where *const w = f->n_where ? &f->where[0] : NULL;
	struct sd_runtime_names names;
	char *next = NULL;
	int n;

	for (size_t i = 0; i < f->n_where; i++)
		f->where[i].interpreter = sd_runtimes_interprets(f->where[i].module);
	/* of causes that share a growth nobody has divided the place is the growth's */
	if (f->verdict > SD_VERDICT_POSSIBLE || !w)
		return;
	next = w->function ? step_callers(c, f) : NULL;
	if (next) {
		free(f->next);
		f->next = next;
		return;
	}
	if ((f->cores.status != SD_STATUS_OK && w->function) || !names_of(c, w->module, &names) ||
		is_asked(p, names.asked))
		return;
	/* what was made has a name of its own if it has any */
	if (w->function && (!w->module || strcmp(w->module, "[jit]") == 0))
		return;
	if (p->attached && names.command)
		n = asprintf(&next, "%s # %s; then look again", names.command, names.what);
	else if (p->attached && names.variable)
		n = asprintf(&next, "start it with %s # %s; then look again", names.variable,
			names.what);
	else if (names.variable)
		n = asprintf(
			&next, "scalediag --env '%s' PROGRAM # %s", names.variable, names.what);
	else
		n = asprintf(&next, "%s", names.what);
	if (n < 0) {
		c->rc = -ENOMEM;
		return;
	}
	free(f->next);
	f->next = next;
}
