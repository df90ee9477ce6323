#include "fields/field_rows.h"

#include <float.h>

/* The machine, the program, what is known of the machine's limits, and lines of source. */

static const char *const scaling_names[] = {
	[SD_SCALING_STRONG] = "strong", [SD_SCALING_WEAK] = "weak"};
static const char *const placement_names[] = {
	[SD_PLACEMENT_COMPACT] = "compact",
	[SD_PLACEMENT_SPREAD] = "spread",
	[SD_PLACEMENT_SMT] = "smt",
};
static const char *const source_state_names[] = {
	[SD_SOURCE_READ] = "read",
	[SD_SOURCE_MISSING] = "missing",
	[SD_SOURCE_NEWER] = "newer",
};

#define X(id, name, label) \
	TEXT(sd_host, setup.text[SD_NODE_FACT_##id], name, .need = SD_FIELD_SPARSE),
static const struct sd_field setup[] = {SD_NODE_FACTS(X)};
#undef X
static const struct sd_fields setup_fields = TABLE(setup);

static const struct sd_field host[] = {
	TEXT(sd_host, name, "name"),
	TEXT(sd_host, cpu, "cpu"),
	TEXT(sd_host, kernel, "kernel"),
	TEXT(sd_host, hypervisor, "hypervisor"),
	NUMBER(sd_host, online, "online", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, allowed, "allowed", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, granted, "granted", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, cores, "cores", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, packages, "packages", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, numa, "numa", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, llc, "llc", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, kinds, "kinds", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, quota, "quota", VALUE, 0, SD_CPU_MAX),
	NUMBER(sd_host, tsc_hz, "tsc_hz", VALUE, 0, 1e15),
	NUMBER(sd_host, llc_bytes, "llc_bytes", VALUE, 0, 1e18),
	NUMBER(sd_host, memory_bytes, "memory_bytes", VALUE, 0, 1e18),
	NAME(sd_host, pmu, "pmu", sd_field_rows_status),
	NUMBER(sd_host, perf_paranoid, "perf_paranoid", INT, -100, 1000),
	GROUP("setup", setup_fields, .need = SD_FIELD_SPARSE),
};
const struct sd_fields sd_fields_host = TABLE(host);

static const struct sd_field program_file[] = {
	NUMBER(sd_program_file, bytes, "bytes", VALUE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_program_file, mtime, "mtime", VALUE, -1e12, 1e12),
	TEXT(sd_program_file, build_id, "build_id"),
};
static const struct sd_fields program_file_fields = TABLE(program_file);

/* Nothing is known of the file of a program that was not looked at. */
static int has_file(const void *in)
{
	return sd_has(((const struct sd_program *)in)->file.bytes);
}

static const struct sd_field source_commit[] = {
	FIELD(sd_source_commit, root, "root", STRING, .need = SD_FIELD_SPARSE),
	TEXT(sd_source_commit, commit, "commit"),
	TEXT(sd_source_commit, branch, "branch"),
};
static const struct sd_fields source_commit_fields = TABLE(source_commit);

static int has_commit(const void *in)
{
	return ((const struct sd_program *)in)->source.commit[0] != '\0';
}

static int check_program(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path argv = {.up = at, .key = "argv"};
	const struct sd_program *const p = element;

	(void)before;
	return p->argv.n ? 0 : sd_json_path_fault(c->s, &argv, "names no program");
}

#define TEXTS(s, m, k) FIELD(s, m, k, TEXTS, .most = SD_RECORD_TEXTS, .size = SD_RECORD_TEXT_BYTES)
static const struct sd_field program[] = {
	TEXTS(sd_program, argv, "argv"),
	FIELD(sd_program, cwd, "cwd", STRING, .need = SD_FIELD_SPARSE),
	FIELD(sd_program, attached, "attached", STRING, .need = SD_FIELD_SPARSE),
	FIELD(sd_program, rate, "rate", STRING, .need = SD_FIELD_SPARSE),
	FIELD(sd_program, latency, "latency", STRING, .need = SD_FIELD_SPARSE),
	NUMBER(sd_program, latency_before, "latency_before", VALUE, 0, DBL_MAX),
	NUMBER(sd_program, latency_after, "latency_after", VALUE, 0, DBL_MAX),
	FIELD(sd_program, region, "region", STRING, .need = SD_FIELD_SPARSE),
	BOOL(sd_program, with_launch, "with_launch", .need = SD_FIELD_SPARSE),
	BOOL(sd_program, ignore_failure, "ignore_failure", .need = SD_FIELD_SPARSE),
	BOOL(sd_program, no_omp_tool, "no_omp_tool", .need = SD_FIELD_SPARSE),
	BOOL(sd_program, system_calls, "system_calls", .need = SD_FIELD_SPARSE),
	FIELD(sd_program, prepare, "prepare", STRING, .need = SD_FIELD_SPARSE),
	TEXTS(sd_program, env, "env"),
	FIELD(sd_program, set, "set", TEXTS, .most = SD_RECORD_TEXTS, .size = SD_RECORD_TEXT_BYTES,
		.need = SD_FIELD_SPARSE),
	NUMBER(sd_program, timeout_s, "timeout_s", REAL, 0, DBL_MAX),
	BOOL(sd_program, no_env, "no_env"),
	NAME(sd_program, scaling, "scaling", scaling_names),
	NAME(sd_program, placement, "placement", placement_names),
	STRUCT(sd_program, file, "file", program_file_fields, .need = SD_FIELD_SPARSE,
		.there = has_file),
	STRUCT(sd_program, source, "source", source_commit_fields, .need = SD_FIELD_SPARSE,
		.there = has_commit),
	FIELD(sd_program, build, "build", STRING, .need = SD_FIELD_SPARSE),
};
const struct sd_fields sd_fields_program = TABLE(program, .check = check_program);

static const struct sd_field ceiling[] = {
	NUMBER(sd_ceiling, cores, "cores", UNSIGNED, 1, SD_CPU_MAX),
	NUMBER(sd_ceiling, bandwidth, "bandwidth", VALUE, 0, 1e18),
};
static const struct sd_fields ceiling_fields = TABLE(ceiling, .order = SD_FIELDS_RISING);

static const struct sd_field calibration[] = {
	NUMBER(sd_calibration, made, "made", REAL, 0, 1e12),
	NUMBER(sd_calibration, llc, "latency_llc", VALUE, 0, 1),
	NUMBER(sd_calibration, dram, "latency_dram", VALUE, 0, 1),
	NUMBER(sd_calibration, l2, "latency_l2", VALUE, 0, 1),
	NUMBER(sd_calibration, remote, "latency_remote", VALUE, 0, 1),
	NUMBER(sd_calibration, line, "line_transfer", VALUE, 0, 1),
	NUMBER(sd_calibration, walk, "dtlb_walk", VALUE, 0, 1),
	FIELD(sd_calibration, statement, "statement", STRING),
	ARRAY(sd_calibration, ceiling, "ceilings", ceiling_fields, SD_RECORD_POINTS),
};
const struct sd_fields sd_fields_calibration = TABLE(calibration);

/* [os, core, SMT rank, LLC, NUMA node, package, kind] */
#define OF_PU(m) NUMBER(sd_pu, m, NULL, UNSIGNED, 0, SD_CPU_MAX)
static const struct sd_field pu[] = {
	OF_PU(os),
	OF_PU(core),
	OF_PU(smt_rank),
	OF_PU(llc),
	OF_PU(numa),
	OF_PU(package),
	OF_PU(kind),
};
const struct sd_fields sd_fields_pu = TABLE(pu, .row = 7, .order = SD_FIELDS_RISING);

static int check_source(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path lines = {.up = at, .key = "lines"};
	const struct sd_source_text *const p = element;

	(void)before;
	return !p->line.n || (p->hot >= p->first && p->hot - p->first < p->line.n)
		       ? 0
		       : sd_json_path_fault(
				 c->s, &lines, "do not have the line %u in them", p->hot);
}

static const struct sd_field source[] = {
	NUMBER(sd_source_text, hot, "line", UNSIGNED, 1, SD_SOURCE_TEXT_LAST),
	NUMBER(sd_source_text, first, "first", UNSIGNED, 0, SD_SOURCE_TEXT_LAST),
	NAME(sd_source_text, state, "state", source_state_names),
	FIELD(sd_source_text, file, "file", STRING),
	FIELD(sd_source_text, line, "lines", TEXTS, .most = SD_SOURCE_TEXT_COUNT,
		.size = SD_SOURCE_TEXT_BYTES),
};
const struct sd_fields sd_fields_source = TABLE(source, .check = check_source);
