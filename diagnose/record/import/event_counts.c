#include "import/event_counts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "base/one_more.h"

/* More names than any tool counts in one run. */
#define COUNTS_MAX 4096

int sd_event_counts_add(
	struct sd_event_counts *c, const char *name, double value, double running, int user)
{
	struct sd_event_count count;

	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->count[i].name, name) == 0) {
			c->count[i].value += value;
			c->count[i].running = fmin(c->count[i].running, running);
			return 0;
		}
	if (c->n >= COUNTS_MAX)
		return -E2BIG;
	count = (struct sd_event_count){.value = value, .running = running, .user = user};
	snprintf(count.name, sizeof count.name, "%s", name);
	return SD_APPEND(c->count, c->n, &count);
}

void sd_event_counts_free(struct sd_event_counts *c)
{
	free(c->count);
	*c = (struct sd_event_counts){0};
}

/* Events by perf's name and what they are here; the kernel's generic cache events are whatever the
 * CPU has that is near. */
static const struct {
	const char *event;
	enum sd_role role;
	enum sd_quality quality;
} generic[] = {
	{"cycles", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
	{"cpu-cycles", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
	{"instructions", SD_ROLE_INSTRUCTIONS, SD_QUALITY_EXACT},
	{"ref-cycles", SD_ROLE_REF_CYCLES, SD_QUALITY_EXACT},
	{"bus-cycles", SD_ROLE_BUS_CLOCKS, SD_QUALITY_EXACT},
	{"cache-misses", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"cache-references", SD_ROLE_LLC_ACCESSES, SD_QUALITY_PROXY},
	{"LLC-load-misses", SD_ROLE_LLC_LOAD_MISSES, SD_QUALITY_PROXY},
	{"LLC-loads", SD_ROLE_LLC_READS, SD_QUALITY_PROXY},
	{"L1-dcache-load-misses", SD_ROLE_L1D_MISSES, SD_QUALITY_PROXY},
	{"L1-dcache-loads", SD_ROLE_L1D_ACCESSES, SD_QUALITY_PROXY},
	{"dTLB-load-misses", SD_ROLE_DTLB_LOAD_WALKS, SD_QUALITY_PROXY},
	{"dTLB-store-misses", SD_ROLE_DTLB_STORE_WALKS, SD_QUALITY_PROXY},
	{"node-load-misses", SD_ROLE_REMOTE_ACCESSES, SD_QUALITY_PROXY},
	{"stalled-cycles-frontend", SD_ROLE_STALL_FRONTEND, SD_QUALITY_PROXY},
	{"stalled-cycles-backend", SD_ROLE_STALL_BACKEND, SD_QUALITY_PROXY},
	{"slots", SD_ROLE_TD_SLOTS, SD_QUALITY_EXACT},
	{"topdown-retiring", SD_ROLE_TD_NATIVE_RETIRING, SD_QUALITY_EXACT},
	{"topdown-bad-spec", SD_ROLE_TD_NATIVE_BADSPEC, SD_QUALITY_EXACT},
	{"topdown-fe-bound", SD_ROLE_TD_NATIVE_FRONTEND, SD_QUALITY_EXACT},
	{"topdown-be-bound", SD_ROLE_TD_NATIVE_BACKEND, SD_QUALITY_EXACT},
	{"topdown-mem-bound", SD_ROLE_TD_NATIVE_MEMORY, SD_QUALITY_EXACT},
	{"topdown-heavy-ops", SD_ROLE_TD_NATIVE_HEAVY, SD_QUALITY_EXACT},
	{"topdown-br-mispredict", SD_ROLE_TD_NATIVE_MISPREDICT, SD_QUALITY_EXACT},
	{"topdown-fetch-lat", SD_ROLE_TD_NATIVE_FETCH, SD_QUALITY_EXACT},
	{"PAPI_TOT_CYC", SD_ROLE_CYCLES, SD_QUALITY_EXACT},
	{"PAPI_REF_CYC", SD_ROLE_REF_CYCLES, SD_QUALITY_EXACT},
	{"PAPI_TOT_INS", SD_ROLE_INSTRUCTIONS, SD_QUALITY_EXACT},
	{"PAPI_L1_DCM", SD_ROLE_L1D_MISSES, SD_QUALITY_PROXY},
	{"PAPI_L2_TCM", SD_ROLE_L2_MISSES, SD_QUALITY_PROXY},
	{"PAPI_L3_TCM", SD_ROLE_LLC_MISSES, SD_QUALITY_PROXY},
	{"PAPI_TLB_DM", SD_ROLE_DTLB_WALKS, SD_QUALITY_PROXY},
	{"cas_count_read", SD_ROLE_DRAM_READ_LINES, SD_QUALITY_EXACT},
	{"cas_count_write", SD_ROLE_DRAM_WRITE_LINES, SD_QUALITY_EXACT},
};

/* The event of "cpu_core/cycles/u", "cpu_core/cycles:u/" (rustc-perf's), "cycles:u" and
 * "perf::CYCLES" (PAPI's). */
static void plain_name(const char *full, char *out, size_t size)
{
	const char *const slash = strchr(full, '/'), *const pmu = strstr(full, "::");
	const char *const start = slash ? slash + 1 : pmu ? pmu + 2 : full;
	const size_t n = strcspn(start, "/:");

	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), start);
}

/* Adds to a role that the run has already from elsewhere: another kind of core, another
 * controller. */
static int put_role(struct sd_run *run, enum sd_role role, struct sd_event_count *c,
	enum sd_quality quality, const char *source)
{
	int rc = sd_import_role(run, role, c->value, c->running, c->user, quality, source);

	c->used = 1;
	for (size_t k = 0; rc == -EEXIST && k < run->n_role; k++) {
		struct sd_role_count *const to = &run->role[k];
		double sum;

		if (to->role != role)
			continue;
		sum = to->value.value / to->running + c->value;
		to->running = fmin(to->running, c->running);
		to->value.value = sum * to->running;
	}
	return rc == -EEXIST ? 0 : rc;
}

static double sum_of(struct sd_event_counts *c, const struct sd_map_event *e, int use,
	double *running, int *user)
{
	double sum = 0;
	int found = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!sd_event_names_is(c->count[i].name, e))
			continue;
		found = 1;
		sum += c->count[i].value;
		*running = fmin(*running, c->count[i].running);
		*user &= c->count[i].user;
		c->count[i].used |= use;
	}
	return found ? sum : NAN;
}

/* All events of a role, summed up: the names of its map are the CPU's own. */
static int put_of_map(struct sd_event_counts *c, const struct sd_import_cpu *cpu, enum sd_role id,
	struct sd_run *run)
{
	const struct sd_map_role *const role = sd_event_map_set_role(cpu->maps, cpu->map, id, NULL);
	const struct sd_map_event also = {.event = role ? role->also : NULL};
	double sum = 0, running = 1;
	int user = 1, rc;

	if (!role || role->n == 0 || sd_role_is_sampled(id))
		return 0;
	for (size_t e = 0; e < role->n; e++)
		sum += role->events[e].weight * sum_of(c, &role->events[e], 0, &running, &user);
	if (isnan(sum))
		sum = role->also ? sum_of(c, &also, 1, &running, &user) : NAN;
	if (isnan(sum))
		return 0;
	for (size_t e = 0; e < role->n; e++)
		sum_of(c, &role->events[e], 1, &running, &user);
	rc = sd_import_role(run, id, fmax(0, sum), running, user, role->quality, cpu->map->family);
	if (rc == 0) {
		run->role[run->n_role - 1].sees = sd_event_map_sees(cpu->map, role);
		run->role[run->n_role - 1].scope = role->scope;
	}
	return rc == -EEXIST ? 0 : rc;
}

static int put_by_name(struct sd_event_count *c, const char *source, struct sd_run *run)
{
	char name[200];
	enum sd_role role;

	plain_name(c->name, name, sizeof name);
	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
		if (strcasecmp(generic[i].event, name) == 0)
			return put_role(run, generic[i].role, c, generic[i].quality, source);
	role = sd_event_names_common(c->name);
	if (role != SD_ROLE_COUNT) /* the map may have had it: then this is the same count */
		return sd_run_role(run, role) ? (c->used = 1, 0)
					      : put_role(run, role, c, SD_QUALITY_EXACT, source);
	if (sd_role_parse(name, &role) == 0 && !sd_role_is_sampled(role))
		return put_role(run, role, c, SD_QUALITY_EXACT, source);
	return 0;
}

int sd_event_counts_roles(struct sd_event_counts *c, const struct sd_import_cpu *cpu,
	const char *source, struct sd_run *run, struct sd_texts *unknown)
{
	const char *const from = cpu->map ? cpu->map->family : source;
	int rc = 0;

	for (unsigned r = 0; rc == 0 && cpu->map && r < SD_ROLE_COUNT; r++)
		rc = put_of_map(c, cpu, (enum sd_role)r, run);
	for (size_t i = 0; rc == 0 && i < c->n; i++)
		if (!c->count[i].used)
			rc = put_by_name(&c->count[i], from, run);
	for (size_t i = 0; rc == 0 && i < c->n; i++)
		if (!c->count[i].used)
			rc = sd_texts_add_once(unknown, c->count[i].name);
	return rc < 0 ? rc : 0;
}
