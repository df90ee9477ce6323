#include "doctor/readiness_look.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/profile.h"
#include "calibrate/calibrate_node.h"
#include "machine/node_facts.h"
#include "plan/planner.h"
#include "run/experiment_plan.h"
#include "run/simulation_plan.h"

/* Folder into which the distributions' packages put them. */
#define DEBUG_FILES "/usr/lib/debug/.build-id"

static void say(struct sd_ready *f, enum sd_status status, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void say(struct sd_ready *f, enum sd_status status, const char *fix, const char *fmt, ...)
{
	va_list ap;

	f->status = status;
	snprintf(f->fix, sizeof f->fix, "%s", fix);
	va_start(ap, fmt);
	vsnprintf(f->found, sizeof f->found, fmt, ap);
	va_end(ap);
}

/* A setting of the machine that the kernel may not tell. */
static void say_setting(struct sd_ready *f, const char *text, const char *wanted, const char *fix)
{
	if (!*text)
		say(f, SD_STATUS_UNSUPPORTED, "", "not told here, as in most virtual machines");
	else if (strcmp(text, wanted) == 0)
		say(f, SD_STATUS_OK, "", "%s", text);
	else
		say(f, SD_STATUS_ABSENT, fix, "%s", text);
}

static void look_settings(struct sd_readiness *out)
{
	struct sd_node_facts facts;
	const char *thp;

	sd_node_facts_read(&facts, NULL);
	thp = facts.text[SD_NODE_FACT_THP];
	say_setting(&out->ready[SD_READY_GOVERNOR], facts.text[SD_NODE_FACT_GOVERNOR],
		"performance", "cpupower frequency-set -g performance");
	say_setting(&out->ready[SD_READY_TURBO], facts.text[SD_NODE_FACT_TURBO], "off",
		"where clocks have to be steady: echo 1 > "
		"/sys/devices/system/cpu/intel_pstate/no_turbo, or echo 0 > "
		"/sys/devices/system/cpu/cpufreq/boost");
	if (!*thp || strncmp(thp, "never", 5) == 0)
		say(&out->ready[SD_READY_THP], SD_STATUS_ABSENT,
			"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled", "%s",
			*thp ? thp : "none");
	else
		say(&out->ready[SD_READY_THP], SD_STATUS_OK, "", "%s", thp);
}

static void look_debug(struct sd_ready *f)
{
	DIR *const d = opendir(DEBUG_FILES);
	const struct dirent *e = d ? readdir(d) : NULL;

	while (e && e->d_name[0] == '.')
		e = readdir(d);
	if (e)
		say(f, SD_STATUS_OK, "", "%s", DEBUG_FILES);
	else
		say(f, SD_STATUS_ABSENT,
			"apt install libc6-dbg, and the -dbgsym packages of others",
			"none: functions of libraries have names, but no lines");
	if (d)
		closedir(d);
}

static void look_calibration(
	struct sd_ready *f, const struct sd_topology *t, const struct sd_sink *sink)
{
	struct sd_profile profile = {0};
	char line[256];

	if (sd_calibrate_node_find(t, t->granted, &profile, line, sizeof line, sink) == 0)
		say(f, SD_STATUS_OK, "", "%s", line);
	else
		say(f, SD_STATUS_ABSENT, "scalediag calibrate --quick # 20 s",
			"none of this machine: nothing is compared with its limits");
	sd_profile_free(&profile);
}

/* Looks at what plans ask of the experiments, with a program that every machine has. */
static int look_experiments(
	const struct sd_topology *t, struct sd_readiness *out, const struct sd_sink *sink)
{
	char program[] = "/bin/sh", *argv[] = {program, NULL};
	struct sd_options o = {.argv = argv,
		.argc = 1,
		.cores = SD_CORES_POWERS,
		.experiments = SD_EXPERIMENTS_LIST,
		.experiment = (1ul << SD_EXPERIMENT_COUNT) - 1};
	struct sd_experiment_plan x = {0};
	char unsimulated[SD_SIMULATION_PLAN_WHY] = "", *plugin = NULL;
	struct sd_plan plan = {0};
	int rc = sd_planner_make(&o, t, &plan, sink);

	if (rc)
		return rc;
	rc = sd_experiment_plan_open(&x, sink);
	if (rc == 0) {
		sd_simulation_plan_lacks(&o, &plan, &plugin, unsimulated);
		rc = sd_experiment_plan_fill(&x, &o, t, unsimulated[0] ? unsimulated : NULL, &plan);
	}
	for (size_t i = 0; rc == 0 && i < plan.n_experiment; i++) {
		const struct sd_plan_experiment *const e = &plan.experiment[i];

		snprintf(out->lacks[e->experiment], SD_READINESS_WHY, "%s",
			e->skipped ? e->skipped : "");
	}
	/* that is of the program */
	if (plan.n_point > 1)
		out->lacks[SD_EXPERIMENT_PASSIVE_WAIT][0] = '\0';
	if (rc == 0 && unsimulated[0])
		say(&out->ready[SD_READY_SIMULATOR], SD_STATUS_ABSENT, "apt install qemu-user",
			"%s", unsimulated);
	else if (rc == 0)
		say(&out->ready[SD_READY_SIMULATOR], SD_STATUS_OK, "", "there");
	if (rc == 0 && x.allocator)
		say(&out->ready[SD_READY_ALLOCATOR], SD_STATUS_OK, "", "%s", x.allocator);
	else if (rc == 0)
		say(&out->ready[SD_READY_ALLOCATOR], SD_STATUS_ABSENT, "apt install libjemalloc2",
			"none: malloc cannot be exchanged to see what it costs");
	free(plugin);
	sd_experiment_plan_close(&x);
	sd_plan_free(&plan);
	return rc;
}

int sd_readiness_look(struct sd_readiness *out, const struct sd_sink *sink)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t;
	int rc;

	*out = (struct sd_readiness){0};
	rc = sd_topology_load(&t, &here, sink);
	if (rc == 0) {
		look_settings(out);
		look_debug(&out->ready[SD_READY_DEBUG]);
		look_calibration(&out->ready[SD_READY_CALIBRATION], &t, sink);
		rc = look_experiments(&t, out, sink);
	}
	sd_topology_free(&t);
	return rc;
}
