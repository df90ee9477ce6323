#include "views/doctor_causes.h"

#include <stdio.h>
#include <string.h>

#include "analysis/cause_growth.h"

/* Needs of each cause by which lines go from core to core. */
static const struct sd_doctor_need of_lines = {
	.role = {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE, SD_ROLE_HITM_ANY, SD_ROLE_HITM_LOAD_REMOTE,
		SD_ROLE_MEMORY_ORDER_CLEARS, SD_ROLE_CACHE_FILLS},
	.n_role = 6,
	.fact = {SD_FACT_NATIVE},
	.n_fact = 1};

/* Needs of the others; MPI has none: nothing here looks into its calls. */
static const struct sd_doctor_need needs[SD_CAUSE_COUNT] = {
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

const struct sd_doctor_need *sd_doctor_need(int cause)
{
	return sd_cause_growth[cause].bytes ? &of_lines : &needs[cause];
}

/* Adds a word to a list of them in text. */
static void append(char *text, size_t size, const char *word, const char *more)
{
	const size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s%s", used ? ", " : "", word, more);
}

static void roles_text(
	const struct sd_doctor *d, const struct sd_doctor_need *n, char *text, size_t size)
{
	*text = '\0';
	for (unsigned i = 0; i < n->n_role; i++) {
		const struct sd_role_count *c = &d->role[n->role[i]];

		if (sd_has(c->value))
			append(text, size, sd_role_name(n->role[i]),
				c->quality == SD_QUALITY_PROXY ? " (proxy)" : "");
	}
}

static void facts_text(
	const struct sd_doctor *d, const struct sd_doctor_need *n, char *text, size_t size)
{
	*text = '\0';
	for (unsigned i = 0; i < n->n_fact; i++)
		if (d->fact[n->fact[i]].status == SD_STATUS_OK)
			append(text, size, sd_fact_label[n->fact[i]], "");
}

/* ---- how far a cause can be judged here ---- */

/* How an experiment says that the machine has nothing that it could change. */
#define NOT_HERE "not applicable here"

int sd_doctor_confirms(enum sd_experiment experiment, int cause)
{
	for (const struct sd_prediction *p = sd_experiment_predictions(experiment);
		p->of == experiment; p++)
		if (p->cause == (enum sd_cause)cause && (p->sides & SD_BOUND_LOWER))
			return 1;
	return 0;
}

/* A fact that it could be judged by, and that can be enabled. */
static const struct sd_fact *to_enable(const struct sd_doctor *d, const struct sd_doctor_need *n)
{
	for (unsigned i = 0; i < n->n_fact; i++) {
		const struct sd_fact *const f = &d->fact[n->fact[i]];

		if (f->status != SD_STATUS_OK && *f->enable)
			return f;
	}
	return n->n_role && d->fact[SD_FACT_PMU].status != SD_STATUS_OK ? &d->fact[SD_FACT_PMU]
									: NULL;
}

void sd_doctor_judge(const struct sd_doctor *d, const struct sd_readiness *ready, int cause,
	struct sd_doctor_judged *out)
{
	const struct sd_doctor_need *const n = sd_doctor_need(cause);
	const struct sd_fact *const lacking = to_enable(d, n);
	char facts[256], events[256];
	int experiments = 0;
	int possible = 1; /* not on a machine where each experiment says that it cannot be */

	*out = (struct sd_doctor_judged){.reach = SD_REACH_NO};
	for (int e = 0; e < SD_EXPERIMENT_COUNT; e++) {
		if (!sd_doctor_confirms(e, cause))
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
		out->reach = SD_REACH_CONFIRMED;
		*out->change = '\0';
		return;
	}
	if (cause == SD_CAUSE_MPI && d->fact[SD_FACT_MPI].status == SD_STATUS_OK)
		snprintf(facts, sizeof facts, "calls of the ranks");
	if (!possible && !*events)
		return;
	snprintf(out->by, sizeof out->by, "%s%s%s", facts, *facts && *events ? ", " : "", events);
	out->reach = *out->by ? SD_REACH_LIKELY : SD_REACH_NO;
	if (out->reach == SD_REACH_LIKELY && !experiments)
		snprintf(out->change, sizeof out->change, "it has no experiment");
	if (*out->change || out->reach == SD_REACH_LIKELY)
		return;
	if (cause == SD_CAUSE_MPI)
		snprintf(out->change, sizeof out->change, "install an MPI");
	else if (lacking)
		snprintf(out->change, sizeof out->change, "%s",
			lacking == &d->fact[SD_FACT_PMU] ? "needs hardware counters"
							 : lacking->enable);
}
