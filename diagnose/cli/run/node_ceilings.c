#include "run/node_ceilings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate_node.h"
#include "bench/line_probe.h"
#include "run/layout_capture.h"

/* A profile's number in other units, as a record keeps it. */
static struct sd_value scaled(struct sd_interval v, double factor)
{
	return (struct sd_value){.value = v.value * factor, .status = v.status};
}

static int take_bandwidth(struct sd_calibration *out, const struct sd_profile *profile,
	const struct sd_plan *plan, struct sd_value line)
{
	out->ceiling = calloc(plan->n_point + 1, sizeof *out->ceiling);
	if (!out->ceiling)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_point; i++) {
		const unsigned cores = (unsigned)plan->point[i].cpus.n;
		const struct sd_value best =
			scaled(sd_profile_bandwidth(profile, cores, line), 1e9);

		/* oversubscribed points have the same CPUs */
		if (!sd_has(best) ||
			(out->n_ceiling && out->ceiling[out->n_ceiling - 1].cores == cores))
			continue;
		out->ceiling[out->n_ceiling++] =
			(struct sd_ceiling){.cores = cores, .bandwidth = best};
	}
	return 0;
}

static int fill(struct sd_calibration *out, const struct sd_profile *profile,
	const struct sd_plan *plan, struct sd_value line)
{
	out->made = profile->start;
	out->llc = scaled(sd_profile_latency(profile, "LLC", line), 1e-9);
	out->walk = scaled(sd_profile_walk(profile), 1e-9);
	out->dram = scaled(sd_profile_latency(profile, "DRAM", line), 1e-9);
	out->l2 = scaled(sd_profile_latency(profile, "L2", line), 1e-9);
	/* a round trip is two transfers of a modified line */
	out->line = (struct sd_value){line.value / 2, line.status};
	return take_bandwidth(out, profile, plan, line);
}

int sd_node_ceilings_of(struct sd_calibration *out, const struct sd_profile *profile)
{
	/* the state in which CPUs are nearest, as on a node of its own */
	const struct sd_value line =
		profile->states.n ? SD_OK(profile->states.line[0]) : SD_NOT(ABSENT);
	int rc = 0;

	out->made = profile->start;
	out->llc = scaled(sd_profile_latency(profile, "LLC", line), 1e-9);
	out->walk = scaled(sd_profile_walk(profile), 1e-9);
	out->dram = scaled(sd_profile_latency(profile, "DRAM", line), 1e-9);
	out->l2 = scaled(sd_profile_latency(profile, "L2", line), 1e-9);
	/* a round trip is two transfers of a modified line */
	if (sd_has(line))
		out->line = SD_OK(line.value / 2);
	for (unsigned n = 1; rc == 0 && n <= profile->granted; n++) {
		const struct sd_value best = scaled(sd_profile_bandwidth(profile, n, line), 1e9);

		if (sd_has(best))
			rc = sd_calibration_add(out, n, best.value);
	}
	if (rc == 0 && !out->statement) {
		out->statement = strdup("a calibration that was given (--profile)");
		rc = out->statement ? 0 : -ENOMEM;
	}
	return rc;
}

int sd_node_ceilings_take(
	struct sd_record *record, const struct sd_topology *t, const struct sd_sink *sink)
{
	const struct sd_plan *const plan = &record->plan;
	const struct sd_cpulist *const cpus = &plan->point[plan->n_point - 1].cpus;
	struct sd_calibration *const out = &record->calibration;
	struct sd_profile profile = {0};
	struct sd_value line = SD_NOT(ABSENT);
	char statement[256];
	const int found = sd_calibrate_node_find(
		t, (unsigned)cpus->n, &profile, statement, sizeof statement, sink);
	int rc;

	out->statement = strdup(statement);
	rc = out->statement ? 0 : -ENOMEM;
	if (!rc && found == 0) {
		line = sd_line_probe_state(cpus);
		rc = fill(out, &profile, plan, line);
	}
	if (!rc)
		rc = sd_layout_capture_take(&record->layout, t, found == 0 ? &profile : NULL, line);
	sd_profile_free(&profile);
	return rc;
}

/* The kernels whose numbers the software PMU's counts are held against. */
static int choose_kernels(const struct sd_cli *cli, struct sd_calibrate_options *a)
{
	static const char *const name[] = {"tlb", "bandwidth", "latency"};

	a->chosen = calloc(sizeof name / sizeof *name, sizeof(struct sd_kernel *));
	if (!a->chosen)
		return -ENOMEM;
	for (size_t i = 0; cli->kernels && cli->kernels[i]; i++)
		for (size_t j = 0; j < sizeof name / sizeof *name; j++)
			if (strcmp(cli->kernels[i]->name, name[j]) == 0)
				a->chosen[a->n_chosen++] = cli->kernels[i];
	return a->n_chosen ? 0 : -ENOENT;
}

static int by_size(const void *a, const void *b)
{
	const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* The counts of CPUs that are judged. */
static int choose_counts(const struct sd_plan *plan, struct sd_calibrate_options *a)
{
	struct sd_options *const o = &a->options;

	o->count = calloc(plan->n_point + 1, sizeof *o->count);
	if (!o->count)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_point; i++)
		o->count[i] = (unsigned)plan->point[i].cpus.n;
	qsort(o->count, plan->n_point, sizeof *o->count, by_size);
	for (size_t i = 0; i < plan->n_point; i++)
		if (i == 0 || o->count[i] != o->count[o->n_count - 1])
			o->count[o->n_count++] = o->count[i];
	o->cores = SD_CORES_LIST;
	a->cores_given = 1;
	return 0;
}

/* Names what was not measured for want of time or memory. */
static void name_missing(const struct sd_calibration *c, const struct sd_calibrate_options *a,
	char *out, size_t size)
{
	size_t used = 0, without = 0;

	out[0] = '\0';
	for (size_t i = 0; i < a->options.n_count; i++) {
		size_t k = 0;

		while (k < c->n_ceiling && c->ceiling[k].cores != a->options.count[i])
			k++;
		without += k == c->n_ceiling;
	}
	if (without)
		used = (size_t)snprintf(out, size,
			"; not measured: the bandwidth of %zu of %zu counts", without,
			a->options.n_count);
	if (used < size && (!sd_has(c->dram) || !sd_has(c->llc)))
		used += (size_t)snprintf(
			out + used, size - used, "%s latencies", used ? "," : "; not measured:");
	if (used < size && !sd_has(c->walk))
		snprintf(out + used, size - used, "%s page walks", used ? "," : "; not measured:");
}

/* Replaces what the record says of its node. 0 or -ENOMEM. */
static int take_measured(struct sd_calibration *out, const struct sd_profile *profile,
	const struct sd_plan *plan, const struct sd_calibrate_options *a)
{
	char missing[160], *statement = NULL;
	int rc;

	free(out->ceiling);
	out->ceiling = NULL;
	out->n_ceiling = 0;
	rc = fill(out, profile, plan, sd_line_probe_state(&plan->point[plan->n_point - 1].cpus));
	if (rc)
		return rc;
	name_missing(out, a, missing, sizeof missing);
	if (asprintf(&statement,
		    "calibrated for this diagnosis alone, in %.1f s: `scalediag calibrate` is more "
		    "exact, and kept for later ones%s",
		    profile->seconds, missing) < 0)
		return -ENOMEM;
	free(out->statement);
	out->statement = statement;
	return 0;
}

int sd_node_ceilings_measure(struct sd_record *record, const struct sd_cli *cli)
{
	const struct sd_plan *const plan = &record->plan;
	struct sd_calibrate_options a = {
		.kernels = cli->kernels, .sink = cli->sink, .named = 1, .brief = 1, .quick = 1};
	struct sd_profile profile = {0};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = choose_kernels(cli, &a);

	rc = rc ? rc : choose_counts(plan, &a);
	if (!rc)
		status = sd_calibrate_node_measure(cli, &a, &profile);
	sd_progress_line_clear(cli->line);
	if (status == SD_EXIT_INTERRUPTED)
		rc = -EINTR;
	if (!rc && status == SD_EXIT_DONE)
		rc = take_measured(&record->calibration, &profile, plan, &a);
	sd_profile_free(&profile);
	sd_calibrate_options_free(&a);
	return rc == -ENOENT ? 0 : rc;
}
