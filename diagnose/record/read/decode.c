#include "read/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int decode_texts(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_texts *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_RECORD_TEXTS);

	if (rc || n == 0)
		return rc;
	out->text = calloc(n, sizeof *out->text);
	if (!out->text)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_text(s, &here, json_array_get(v, i), &out->text[i]);
		out->n += rc == 0;
	}
	return rc;
}

/* A member that may be left out. */
static int decode_optional(const struct sd_source *s, const struct sd_json_path *up,
	const json_t *v, const char *key, char **out)
{
	const struct sd_json_path at = {.up = up, .key = key};
	const json_t *member = json_object_get(v, key);

	return member ? sd_decode_text(s, &at, member, out) : 0;
}

static int decode_program(const struct sd_source *s, const json_t *v, struct sd_program *out)
{
	static const char *const others[] = {
		"argv", "env", "?cwd", "?rate", "?prepare", "?file", NULL};
	static const char *const none[] = {NULL};
	const struct sd_json_path at = {.key = "program"}, file = {.up = &at, .key = "file"};
	const struct sd_json_path argv = {.up = &at, .key = "argv"},
				  env = {.up = &at, .key = "env"};
	int rc = sd_decode_fields(s, &at, v, &sd_fields_program, others, out);

	if (!rc)
		rc = decode_texts(s, &argv, json_object_get(v, argv.key), &out->argv);
	if (!rc && out->argv.n == 0)
		rc = sd_json_path_fault(s, &argv, "names no program");
	if (!rc)
		rc = decode_texts(s, &env, json_object_get(v, env.key), &out->env);
	if (!rc)
		rc = decode_optional(s, &at, v, "cwd", &out->cwd);
	if (!rc)
		rc = decode_optional(s, &at, v, "rate", &out->rate);
	if (!rc)
		rc = decode_optional(s, &at, v, "prepare", &out->prepare);
	if (!rc && json_object_get(v, file.key))
		rc = sd_decode_fields(s, &file, json_object_get(v, file.key),
			&sd_fields_program_file, none, &out->file);
	return rc;
}

static int decode_ceilings(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, struct sd_calibration *out)
{
	static const char *const none[] = {NULL};
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_RECORD_POINTS);

	if (rc || n == 0)
		return rc;
	out->ceiling = calloc(n, sizeof *out->ceiling);
	if (!out->ceiling)
		return -ENOMEM;
	out->n_ceiling = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_fields(
			s, &here, json_array_get(v, i), &sd_fields_ceiling, none, &out->ceiling[i]);
		if (!rc && i > 0 && out->ceiling[i].cores <= out->ceiling[i - 1].cores)
			rc = sd_json_path_fault(s, &here, "%u cores after %u: the counts must rise",
				out->ceiling[i].cores, out->ceiling[i - 1].cores);
	}
	return rc;
}

static int decode_calibration(
	const struct sd_source *s, const json_t *v, struct sd_calibration *out)
{
	static const char *const others[] = {"statement", "ceilings", NULL};
	const struct sd_json_path at = {.key = "calibration"};
	const struct sd_json_path statement = {.up = &at, .key = "statement"},
				  ceilings = {.up = &at, .key = "ceilings"};
	int rc = sd_decode_fields(s, &at, v, &sd_fields_calibration, others, out);

	if (!rc)
		rc = sd_decode_text(
			s, &statement, json_object_get(v, statement.key), &out->statement);
	return rc ? rc : decode_ceilings(s, &ceilings, json_object_get(v, ceilings.key), out);
}

/* Placement order is free, but no CPU stands in it twice. */
static int check_cpus(
	const struct sd_source *s, const struct sd_json_path *at, const struct sd_plan_point *p)
{
	unsigned char *seen;
	int rc = 0;

	if (p->cpus.n == 0)
		return sd_json_path_fault(s, at, "names no CPU");
	if (p->cpus.n > p->cores)
		return sd_json_path_fault(
			s, at, "names %zu CPUs for %u cores", p->cpus.n, p->cores);
	seen = calloc(SD_CPU_MAX / 8, 1);
	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < p->cpus.n; i++) {
		const unsigned cpu = p->cpus.cpu[i];

		if (seen[cpu / 8] >> cpu % 8 & 1)
			rc = sd_json_path_fault(s, at, "names CPU %u twice", cpu);
		seen[cpu / 8] = (unsigned char)(seen[cpu / 8] | 1u << cpu % 8);
	}
	free(seen);
	return rc;
}

static int decode_point(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan_point *out)
{
	static const char *const others[] = {"cores", "cpus", "?simulated", NULL};
	static const struct sd_fields none = {0};
	const struct sd_json_path cores = {.up = at, .key = "cores"},
				  cpus = {.up = at, .key = "cpus"},
				  simulated = {.up = at, .key = "simulated"};
	const json_t *const only = json_object_get(v, simulated.key);
	double d;
	int rc = sd_decode_fields(s, at, v, &none, others, out);

	if (!rc)
		rc = sd_decode_number(
			s, &cores, json_object_get(v, cores.key), 1, SD_RECORD_CORES, 1, &d);
	if (rc)
		return rc;
	out->cores = (unsigned)d;
	if (only && !json_is_boolean(only))
		return sd_json_path_fault(s, &simulated, "must be true or false");
	out->simulated = json_is_true(only);
	rc = sd_decode_cpus(s, &cpus, json_object_get(v, cpus.key), &out->cpus);
	return rc ? rc : check_cpus(s, &cpus, out);
}

static int decode_points(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan *out)
{
	const size_t n = json_array_size(v);
	size_t cpus = 0;
	int rc = sd_decode_array(s, at, v, SD_RECORD_POINTS);

	if (rc)
		return rc;
	if (n == 0)
		return sd_json_path_fault(s, at, "has no point");
	out->point = calloc(n, sizeof *out->point);
	if (!out->point)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_point(s, &here, json_array_get(v, i), &out->point[i]);
		out->n_point = i + 1;
		cpus += out->point[i].cpus.n;
		if (!rc && i > 0 && out->point[i].cores <= out->point[i - 1].cores)
			rc = sd_json_path_fault(s, &here, "%u cores after %u: the counts must rise",
				out->point[i].cores, out->point[i - 1].cores);
		if (!rc && cpus > SD_RECORD_CPUS)
			rc = sd_json_path_fault(
				s, at, "name more than %zu CPUs together", SD_RECORD_CPUS);
	}
	return rc;
}

static int decode_skipped(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_CPU_MAX);

	if (rc || n == 0)
		return rc;
	out->skipped = calloc(n, sizeof *out->skipped);
	if (!out->skipped)
		return -ENOMEM;
	out->n_skipped = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		double d = 0;

		rc = sd_decode_number(s, &here, json_array_get(v, i), 1, UINT32_MAX, 1, &d);
		out->skipped[i] = (unsigned)d;
	}
	return rc;
}

/* A member that may be left out: then it is false. */
static int decode_flag(const struct sd_source *s, const struct sd_json_path *up, const json_t *v,
	const char *key, int *out)
{
	const struct sd_json_path at = {.up = up, .key = key};
	const json_t *member = json_object_get(v, key);

	*out = json_is_true(member);
	return member && !json_is_boolean(member)
		       ? sd_json_path_fault(s, &at, "must be true or false")
		       : 0;
}

static int decode_plan(const struct sd_source *s, const json_t *v, struct sd_plan *out)
{
	static const char *const others[] = {"points", "skipped", "?passes", "?multiplex",
		"?no_samples", "?simulation", "?experiments", NULL};
	const struct sd_json_path at = {.key = "plan"};
	const struct sd_json_path points = {.up = &at, .key = "points"},
				  skipped = {.up = &at, .key = "skipped"},
				  passes = {.up = &at, .key = "passes"},
				  simulation = {.up = &at, .key = "simulation"},
				  experiments = {.up = &at, .key = "experiments"};
	int rc = sd_decode_fields(s, &at, v, &sd_fields_plan, others, out);

	if (!rc)
		rc = decode_points(s, &points, json_object_get(v, points.key), out);
	if (!rc)
		rc = decode_skipped(s, &skipped, json_object_get(v, skipped.key), out);
	if (!rc && json_object_get(v, passes.key))
		rc = sd_decode_passes(s, &passes, json_object_get(v, passes.key), out);
	if (!rc && json_object_get(v, experiments.key))
		rc = sd_decode_experiments(
			s, &experiments, json_object_get(v, experiments.key), out);
	if (!rc)
		rc = decode_flag(s, &at, v, "multiplex", &out->multiplex);
	if (!rc)
		rc = decode_flag(s, &at, v, "no_samples", &out->no_samples);
	if (!rc && json_object_get(v, simulation.key))
		rc = sd_decode_simulation(
			s, &simulation, json_object_get(v, simulation.key), &out->simulation);
	return rc;
}

static int decode_runs(const struct sd_source *s, const json_t *v, struct sd_record *out)
{
	const struct sd_json_path at = {.key = "runs"};
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, &at, v, SD_RECORD_RUNS);

	if (rc || n == 0)
		return rc;
	out->run = calloc(n, sizeof *out->run);
	if (!out->run)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = &at, .index = i};

		out->n_run = i + 1;
		rc = sd_decode_run(s, &here, json_array_get(v, i), out->plan.n_point, &out->stacks,
			&out->run[i]);
		if (!rc && out->run[i].n_role && out->run[i].kind != SD_RUN_SIMULATED &&
			out->run[i].pass >= out->plan.n_pass)
			rc = sd_json_path_fault(s, &here,
				"is of pass %u, but the plan has %zu passes", out->run[i].pass,
				out->plan.n_pass);
		if (!rc && out->run[i].tried &&
			out->run[i].tried->experiment >= out->plan.n_experiment)
			rc = sd_json_path_fault(s, &here,
				"is of experiment %zu, but the plan has %zu",
				out->run[i].tried->experiment, out->plan.n_experiment);
	}
	return rc;
}

static int decode_tool(const struct sd_source *s, const json_t *v, struct sd_record *out)
{
	static const struct sd_field version[] = {
		{.key = "version", .type = SD_FIELD_TEXT, .size = sizeof out->tool_version}};
	static const struct sd_fields fields = {.field = version, .n = 1};
	static const char *const others[] = {"name", NULL};
	const struct sd_json_path at = {.key = "tool"};

	return sd_decode_fields(s, &at, v, &fields, others, out->tool_version);
}

int sd_decode(const struct sd_source *s, const json_t *root, struct sd_record *out)
{
	static const struct sd_field complete[] = {{.key = "complete", .type = SD_FIELD_BOOL}};
	static const struct sd_fields fields = {.field = complete, .n = 1};
	static const char *const others[] = {"kind", "schema", "tool", "host", "program",
		"?calibration", "?layout", "plan", "warnings", "?stacks", "?source_lines", "runs",
		NULL};
	static const char *const none[] = {NULL};
	const struct sd_json_path host = {.key = "host"}, warnings = {.key = "warnings"},
				  stacks = {.key = "stacks"}, layout = {.key = "layout"},
				  source = {.key = "source_lines"};
	int rc = sd_decode_fields(s, NULL, root, &fields, others, &out->complete);

	if (!rc)
		rc = decode_tool(s, json_object_get(root, "tool"), out);
	if (!rc)
		rc = sd_decode_fields(
			s, &host, json_object_get(root, "host"), &sd_fields_host, none, &out->host);
	if (!rc)
		rc = decode_program(s, json_object_get(root, "program"), &out->program);
	if (!rc && json_object_get(root, "calibration"))
		rc = decode_calibration(s, json_object_get(root, "calibration"), &out->calibration);
	if (!rc && json_object_get(root, layout.key))
		rc = sd_decode_layout(s, &layout, json_object_get(root, layout.key), &out->layout);
	if (!rc)
		rc = decode_plan(s, json_object_get(root, "plan"), &out->plan);
	if (!rc)
		rc = decode_texts(s, &warnings, json_object_get(root, "warnings"), &out->warnings);
	if (!rc && json_object_get(root, stacks.key))
		rc = sd_decode_stacks(s, &stacks, json_object_get(root, stacks.key), &out->stacks);
	if (!rc && json_object_get(root, source.key))
		rc = sd_decode_source_text(s, &source, json_object_get(root, source.key), out);
	if (!rc)
		rc = decode_runs(s, json_object_get(root, "runs"), out);
	return rc;
}
