#include "run/node_ceilings.h"

#include <errno.h>
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

int sd_node_ceilings_measure(struct sd_record *record, const struct sd_cli *cli)
{
	const struct sd_plan *const plan = &record->plan;
	struct sd_calibration *const out = &record->calibration;
	struct sd_calibrate_options a = {
		.kernels = cli->kernels, .sink = cli->sink, .named = 1, .brief = 1, .quick = 1};
	struct sd_profile profile = {0};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc = choose_kernels(cli, &a);
	char *statement;

	if (!rc)
		status = sd_calibrate_node_measure(cli, &a, &profile);
	sd_progress_line_clear(cli->line);
	if (status == SD_EXIT_INTERRUPTED)
		rc = -EINTR;
	if (!rc && status == SD_EXIT_DONE) {
		statement = strdup("calibrated for this diagnosis alone: `scalediag calibrate` is "
				   "more exact, and kept for later ones");
		if (statement) {
			free(out->statement);
			out->statement = statement;
			free(out->ceiling);
			out->ceiling = NULL;
			out->n_ceiling = 0;
			rc = fill(out, &profile, plan,
				sd_line_probe_state(&plan->point[plan->n_point - 1].cpus));
		} else {
			rc = -ENOMEM;
		}
	}
	sd_profile_free(&profile);
	sd_calibrate_options_free(&a);
	return rc == -ENOENT ? 0 : rc;
}
