#include "views/doctor_view.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "page/page.h"

#define MOST_NEEDS 6

/*
 * Sources that can tell of a cause: roles, any of them, and facts beyond the times of the runs,
 * which every cause has; but for MPI, whose calls nothing here looks into.
 */
static const struct need {
	enum sd_role role[MOST_NEEDS];
	unsigned n_role;
	enum sd_fact_id fact[MOST_NEEDS];
	unsigned n_fact;
} needs[SD_CAUSE_COUNT] = {
	[SD_CAUSE_MEMORY_BANDWIDTH] = {.role = {SD_ROLE_LLC_LINES_IN, SD_ROLE_DRAM_READ_LINES,
					       SD_ROLE_DRAM_WRITE_LINES, SD_ROLE_DRAM_LINES,
					       SD_ROLE_LLC_LOAD_MISSES, SD_ROLE_LLC_MISSES},
		.n_role = 6,
		.fact = {SD_FACT_TSC},
		.n_fact = 1},
	[SD_CAUSE_LLC_CAPACITY] = {.role = {SD_ROLE_LLC_LINES_IN, SD_ROLE_LLC_LOAD_MISSES,
					   SD_ROLE_LLC_MISSES},
		.n_role = 3,
		.fact = {SD_FACT_TSC},
		.n_fact = 1},
	[SD_CAUSE_DTLB] = {.role = {SD_ROLE_DTLB_WALKS, SD_ROLE_DTLB_LOAD_WALKS,
				   SD_ROLE_DTLB_STORE_WALKS, SD_ROLE_DTLB_WALK_CYCLES,
				   SD_ROLE_DTLB_LOAD_WALK_CYCLES},
		.n_role = 5,
		.fact = {SD_FACT_HUGE_PAGES},
		.n_fact = 1},
	[SD_CAUSE_FALSE_SHARING] = {.role = {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE,
					    SD_ROLE_HITM_ANY, SD_ROLE_HITM_LOAD_REMOTE,
					    SD_ROLE_MEMORY_ORDER_CLEARS, SD_ROLE_CACHE_FILLS},
		.n_role = 6,
		.fact = {SD_FACT_NATIVE},
		.n_fact = 1},
	[SD_CAUSE_TRUE_SHARING] = {.role = {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE, SD_ROLE_HITM_ANY,
					   SD_ROLE_HITM_LOAD_REMOTE, SD_ROLE_MEMORY_ORDER_CLEARS,
					   SD_ROLE_CACHE_FILLS},
		.n_role = 6,
		.fact = {SD_FACT_NATIVE},
		.n_fact = 1},
	[SD_CAUSE_BUS_LOCKS] = {.role = {SD_ROLE_SPLIT_LOCKS},
		.n_role = 1,
		.fact = {SD_FACT_NATIVE},
		.n_fact = 1},
	[SD_CAUSE_LOCK_CONTENTION] = {.role = {SD_ROLE_LOCKS, SD_ROLE_LOCK_CYCLES,
					      SD_ROLE_SPLIT_LOCKS, SD_ROLE_LOCK_FAILURES},
		.n_role = 4,
		.fact = {SD_FACT_SYSCALL, SD_FACT_SCHEDSTAT, SD_FACT_NATIVE},
		.n_fact = 3},
	[SD_CAUSE_SERIAL_CODE] = {.fact = {SD_FACT_SCHEDSTAT, SD_FACT_SYSCALL}, .n_fact = 2},
	[SD_CAUSE_LOAD_IMBALANCE] = {.fact = {SD_FACT_SCHEDSTAT, SD_FACT_SYSCALL}, .n_fact = 2},
	[SD_CAUSE_BARRIER_OVERHEAD] = {.fact = {SD_FACT_SYSCALL}, .n_fact = 1},
	[SD_CAUSE_EXTRA_WORK] = {.role = {SD_ROLE_INSTRUCTIONS}, .n_role = 1},
	[SD_CAUSE_SPINNING] = {.role = {SD_ROLE_PAUSES, SD_ROLE_INSTRUCTIONS}, .n_role = 2},
	[SD_CAUSE_KERNEL_MEMORY] = {.fact = {SD_FACT_TASK_CLOCK}, .n_fact = 1},
	[SD_CAUSE_ALLOCATOR] = {.fact = {SD_FACT_SYSCALL}, .n_fact = 1},
	[SD_CAUSE_NUMA] = {.role = {SD_ROLE_REMOTE_ACCESSES, SD_ROLE_HITM_LOAD_REMOTE,
				   SD_ROLE_HIT_REMOTE_FORWARD, SD_ROLE_LINK_FLITS},
		.n_role = 4},
	[SD_CAUSE_SMT] = {.role = {SD_ROLE_CYCLES, SD_ROLE_TD_SMT},
		.n_role = 2,
		.fact = {SD_FACT_TSC},
		.n_fact = 1},
	[SD_CAUSE_FREQUENCY] = {.role = {SD_ROLE_CYCLES, SD_ROLE_REF_CYCLES},
		.n_role = 2,
		.fact = {SD_FACT_TSC},
		.n_fact = 1},
	[SD_CAUSE_CPU_QUOTA] = {.fact = {SD_FACT_QUOTA}, .n_fact = 1},
	[SD_CAUSE_OVERSUBSCRIPTION] = {.fact = {SD_FACT_SCHEDSTAT}, .n_fact = 1},
	[SD_CAUSE_NOISE] = {.fact = {SD_FACT_PSI, SD_FACT_SCHEDSTAT}, .n_fact = 2},
	[SD_CAUSE_DISK] = {.fact = {SD_FACT_DELAYACCT, SD_FACT_SYSCALL}, .n_fact = 2},
};

/* Adds a word to a list of them in text. */
static void append(char *text, size_t size, const char *word, const char *more)
{
	const size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", word, more);
}

static void roles_text(const struct sd_doctor *d, const struct need *n, char *text, size_t size)
{
	*text = '\0';
	for (unsigned i = 0; i < n->n_role; i++) {
		const struct sd_role_count *c = &d->role[n->role[i]];

		if (sd_has(c->value))
			append(text, size, sd_role_name(n->role[i]),
				c->quality == SD_QUALITY_PROXY ? " (proxy)" : "");
	}
}

static void facts_text(const struct sd_doctor *d, const struct need *n, char *text, size_t size)
{
	*text = '\0';
	for (unsigned i = 0; i < n->n_fact; i++)
		if (d->fact[n->fact[i]].status == SD_STATUS_OK)
			append(text, size, sd_fact_label[n->fact[i]], "");
}

/* ---- how far a cause can be judged here ---- */

static const char *const ready_name[SD_READY_COUNT] = {
#define X(id, name, label) [SD_READY_##id] = (name),
	SD_READINESS(X)
#undef X
};
static const char *const ready_label[SD_READY_COUNT] = {
#define X(id, name, label) [SD_READY_##id] = (label),
	SD_READINESS(X)
#undef X
};

enum reach { REACH_NO, REACH_LIKELY, REACH_CONFIRMED };
static const char *const reach_name[] = {"no", "likely", "confirmed"};
static const char *const reach_text[] = {"no", "likely at most", "can be confirmed"};

/* How an experiment says that the machine has nothing that it could change. */
#define NOT_HERE "not applicable here"

struct judged {
	enum reach reach;
	char by[640];     /* experiments; or else evidence */
	char change[400]; /* what would take it further, or that nothing does; "": nothing known */
};

/* Does seeing what this experiment predicts confirm the cause? */
static int confirms(enum sd_experiment experiment, int cause)
{
	for (const struct sd_prediction *p = sd_experiment_predictions(experiment);
		p->of == experiment; p++)
		if (p->cause == (enum sd_cause)cause && (p->sides & SD_BOUND_LOWER))
			return 1;
	return 0;
}

/* A fact that it could be judged by, and that can be enabled. */
static const struct sd_fact *to_enable(const struct sd_doctor *d, const struct need *n)
{
	for (unsigned i = 0; i < n->n_fact; i++) {
		const struct sd_fact *const f = &d->fact[n->fact[i]];

		if (f->status != SD_STATUS_OK && *f->enable)
			return f;
	}
	return n->n_role && d->fact[SD_FACT_PMU].status != SD_STATUS_OK ? &d->fact[SD_FACT_PMU]
									: NULL;
}

static void judge(
	const struct sd_doctor *d, const struct sd_readiness *ready, int cause, struct judged *out)
{
	const struct need *const n = &needs[cause];
	const struct sd_fact *const lacking = to_enable(d, n);
	char facts[256], events[256];
	int experiments = 0;
	int possible = 1; /* not on a machine where each experiment says that it cannot be */

	*out = (struct judged){.reach = REACH_NO};
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++) {
		if (!confirms(e, cause))
			continue;
		experiments++;
		possible &= strncmp(ready->lacks[e], NOT_HERE, strlen(NOT_HERE)) != 0;
		if (!ready->lacks[e][0])
			append(out->by, sizeof out->by, sd_experiment_info[e].name, "");
		else if (!*out->change)
			snprintf(out->change, sizeof out->change, "%s: %s",
				sd_experiment_info[e].name, ready->lacks[e]);
	}
	facts_text(d, n, facts, sizeof facts);
	roles_text(d, n, events, sizeof events);
	if (*out->by) {
		out->reach = REACH_CONFIRMED;
		*out->change = '\0';
		return;
	}
	if (cause == SD_CAUSE_MPI && d->fact[SD_FACT_MPI].status == SD_STATUS_OK)
		snprintf(facts, sizeof facts, "calls of the ranks");
	if (!possible && !*events)
		return;
	snprintf(out->by, sizeof out->by, "%s%s%s", facts, *facts && *events ? ", " : "", events);
	out->reach = *out->by ? REACH_LIKELY : REACH_NO;
	if (out->reach == REACH_LIKELY && !experiments)
		snprintf(out->change, sizeof out->change, "it has no experiment");
	if (*out->change || out->reach == REACH_LIKELY)
		return;
	if (cause == SD_CAUSE_MPI)
		snprintf(out->change, sizeof out->change, "install an MPI");
	else if (lacking)
		snprintf(out->change, sizeof out->change, "%s",
			lacking == &d->fact[SD_FACT_PMU] ? "needs hardware counters"
							 : lacking->enable);
}

/* ---- text ---- */

#define LABEL 27 /* columns */

/* The conclusion: what is there, and what it means that the rest is not. */
static void put_answer(struct sd_page *p, const struct sd_doctor *d)
{
	if (d->fact[SD_FACT_PMU].status == SD_STATUS_OK)
		sd_page_wrap_tone(p, SD_TONE_GOOD, "", 2,
			"Hardware counters work here: every cause can be measured that has an event "
			"below.");
	else
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "", 2,
			"No hardware counters here. Times, waits and code are measured all the same; "
			"caches and memory are judged by experiments, or simulated (--events sim).");
}

static void put_facts(struct sd_page *p, const struct sd_doctor *d)
{
	sd_page_put(p, SD_TONE_BOLD, "\nWhat can be measured\n");
	for (int i = 0; i < SD_FACT_COUNT; i++) {
		const struct sd_fact *f = &d->fact[i];
		char head[64];

		snprintf(head, sizeof head, "  %-*s", LABEL, sd_fact_label[i]);
		sd_page_wrap_tone(p, f->status == SD_STATUS_OK ? SD_TONE_PLAIN : SD_TONE_DOUBT,
			head, LABEL + 2, "%s", f->found);
		snprintf(head, sizeof head, "%*senable: ", LABEL + 2, "");
		if (*f->enable)
			sd_page_wrap(p, head, LABEL + 4, "%s", f->enable);
	}
}

/* Puts all that a run would complain of, at once. */
static void put_readiness(struct sd_page *p, const struct sd_readiness *ready)
{
	sd_page_put(p, SD_TONE_BOLD, "\nWhat a run would miss\n");
	for (int i = 0; i < SD_READY_COUNT; i++) {
		const struct sd_ready *const f = &ready->ready[i];
		const char *const word = f->status == SD_STATUS_OK ? "ok" : *f->fix ? "fix" : "-";
		char head[64];

		snprintf(head, sizeof head, "  %-*s%-5s", LABEL, ready_label[i], word);
		sd_page_wrap_tone(p, *f->fix ? SD_TONE_DOUBT : SD_TONE_PLAIN, head, LABEL + 7,
			"%s%s%s", f->found, *f->fix ? ": " : "", f->fix);
	}
}

static void put_causes(
	struct sd_page *p, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	struct judged j;
	size_t n = 0;

	for (int i = 0; i < SD_ROLE_COUNT; i++)
		n += sd_has(d->role[i].value);
	sd_page_put(p, SD_TONE_BOLD,
		"\nWhat can be found out of each cause: an experiment confirms it, evidence makes it likely\n");
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		char head[64];

		judge(d, ready, i, &j);
		snprintf(head, sizeof head, "  %-*s", LABEL, sd_cause_info[i].label);
		sd_page_wrap_tone(p, j.reach == REACH_NO ? SD_TONE_DOUBT : SD_TONE_PLAIN, head,
			LABEL + 2, "%s%s%s%s%s", reach_text[j.reach], *j.by ? " by " : "", j.by,
			*j.change ? "; " : "", j.change);
	}
	if (!*d->family)
		return;
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	sd_page_wrap(p, "", 0,
		"%zu kinds of events can be counted, map %s: `scalediag events` shows them.", n,
		d->family);
}

int sd_doctor_text(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready,
	const struct sd_report_style *style)
{
	struct sd_page page;

	sd_page_begin(&page, f, style);
	put_answer(&page, d);
	put_readiness(&page, ready);
	put_causes(&page, d, ready);
	put_facts(&page, d);
	return sd_page_end(&page);
}

/* ---- JSON ---- */

static json_t *put_fact(enum sd_status status, const char *found, const char *enable)
{
	json_t *out = json_pack("{s:s,s:s}", "status", sd_status_name(status), "found", found);

	if (out && *enable && json_object_set_new(out, "enable", json_string(enable)) != 0) {
		json_decref(out);
		return NULL;
	}
	return out;
}

static json_t *cause_object(const struct sd_doctor *d, const struct sd_readiness *ready, int cause)
{
	const struct need *n = &needs[cause];
	json_t *events = json_array(), *facts = json_array(), *experiments = json_array();
	struct judged j;

	judge(d, ready, cause, &j);
	for (unsigned i = 0; i < n->n_role; i++) {
		const struct sd_role_count *c = &d->role[n->role[i]];

		json_array_append_new(
			events, json_pack("{s:s,s:s,s:b}", "role", sd_role_name(n->role[i]),
					"status", sd_status_name(c->value.status), "exact",
					c->quality == SD_QUALITY_EXACT && sd_has(c->value)));
	}
	for (unsigned i = 0; i < n->n_fact; i++)
		json_array_append_new(
			facts, json_pack("{s:s,s:s}", "fact", sd_fact_name[n->fact[i]], "status",
				       sd_status_name(d->fact[n->fact[i]].status)));
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++)
		if (confirms(e, cause))
			json_array_append_new(experiments,
				json_pack("{s:s,s:s}", "experiment", sd_experiment_info[e].name,
					"lacks", ready->lacks[e]));
	return json_pack("{s:s,s:s,s:s,s:o,s:o,s:o}", "cause", sd_cause_info[cause].name, "reach",
		reach_name[j.reach], "change", j.change, "events", events, "facts", facts,
		"experiments", experiments);
}

int sd_doctor_json(FILE *f, const struct sd_doctor *d, const struct sd_readiness *ready)
{
	json_t *facts = json_object(), *causes = json_array(), *lists = json_object(), *all;
	int bad = !facts || !causes || !lists;

	for (int i = 0; i < SD_FACT_COUNT && !bad; i++)
		bad = json_object_set_new(facts, sd_fact_name[i],
			      put_fact(d->fact[i].status, d->fact[i].found, d->fact[i].enable)) !=
		      0;
	for (int i = 0; i < SD_READY_COUNT && !bad; i++)
		bad = json_object_set_new(lists, ready_name[i],
			      put_fact(ready->ready[i].status, ready->ready[i].found,
				      ready->ready[i].fix)) != 0;
	for (int i = 0; i < SD_CAUSE_COUNT && !bad; i++)
		bad = json_array_append_new(causes, cause_object(d, ready, i)) != 0;
	all = bad ? NULL
		  : json_pack("{s:i,s:o?,s:O,s:O,s:O}", "schema", 1, "map",
			    *d->family ? json_string(d->family) : NULL, "facts", facts, "readiness",
			    lists, "causes", causes);
	if (all)
		bad = json_dumpf(all, f, JSON_INDENT(2)) != 0 || fputc('\n', f) == EOF;
	json_decref(facts);
	json_decref(lists);
	json_decref(causes);
	json_decref(all);
	return all ? (bad ? -EIO : 0) : -ENOMEM;
}
