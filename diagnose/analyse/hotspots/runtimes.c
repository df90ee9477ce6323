#include "hotspots/runtimes.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hotspots/others_code.h"

/* Names of a runtime's library or interpreter before its version, and prefixes of the functions
 * that it puts into each program it is linked into. */
static const struct {
	enum sd_runtime runtime;
	const char *file, *function;
} row[] = {
	{SD_RUNTIME_GO, NULL, "runtime.goexit"},
	{SD_RUNTIME_GO, NULL, "runtime.mcall"},
	{SD_RUNTIME_GO, NULL, "runtime.mstart"},
	{SD_RUNTIME_GO, NULL, "runtime.main"},
	{SD_RUNTIME_JAVA, "libjvm.so", NULL},
	{SD_RUNTIME_NODE, "node", NULL},
	{SD_RUNTIME_NODE, "nodejs", NULL},
	{SD_RUNTIME_NODE, "libnode", NULL},
	{SD_RUNTIME_PYTHON, "python", NULL},
	{SD_RUNTIME_PYTHON, "libpython", NULL},
	{SD_RUNTIME_R, "libR.so", NULL},
	{SD_RUNTIME_PERL, "perl", NULL},
	{SD_RUNTIME_PERL, "libperl", NULL},
	{SD_RUNTIME_RUST, NULL, "std::rt::lang_start"},
	{SD_RUNTIME_RUST, NULL, "__rust_"},
	{SD_RUNTIME_DOTNET, "libcoreclr.so", NULL},
};

/* "python3.11", "libnode.so.108", "perl", and not "nodes" or "perlin". */
static int is_called(const char *name, const char *file)
{
	const size_t n = strlen(file);

	return strncmp(name, file, n) == 0 && (!name[n] || strchr(".-0123456789", name[n]));
}

/* Runtimes that the file's own name tells, a bit each. */
static unsigned by_file(const char *module)
{
	const char *const name = basename(module);
	unsigned bits = 0;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].file && is_called(name, row[i].file))
			bits |= 1u << row[i].runtime;
	return bits;
}

static unsigned by_function(const char *function)
{
	unsigned bits = 0;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].function &&
			strncmp(function, row[i].function, strlen(row[i].function)) == 0)
			bits |= 1u << row[i].runtime;
	/* in a path of names */
	return bits | (strstr(function, "::__rust_") ? SD_RUNTIME_BIT(RUST) : 0);
}

static int is_anybodys(const char *module)
{
	return module[0] != '/' || sd_others_code_is(module);
}

unsigned sd_runtimes_of(const struct sd_stacks *s, const char *module)
{
	unsigned bits = module ? by_file(module) : 0;
	const int any = !bits && (!module || is_anybodys(module));

	for (size_t i = 0; i < s->n_frame; i++) {
		const char *const in = sd_stacks_text_at(s, s->frame[i].module);

		if (any)
			bits |= (i && s->frame[i].module == s->frame[i - 1].module ? 0
										   : by_file(in)) |
				by_function(sd_stacks_text_at(s, s->frame[i].function));
		else if (strcmp(in, module) == 0)
			bits |= by_function(sd_stacks_text_at(s, s->frame[i].function));
	}
	return bits;
}

int sd_runtimes_interprets(const char *module)
{
	return module && (by_file(module) & (SD_RUNTIME_BIT(NODE) | SD_RUNTIME_BIT(PYTHON) |
						    SD_RUNTIME_BIT(R) | SD_RUNTIME_BIT(PERL)));
}

static const struct {
	enum sd_runtime runtime;
	const char *file;   /* how that begins before the version's second number */
	unsigned since;     /* the first that tells names; before that: */
	const char *before; /* what can be done */
	struct sd_runtime_names names;
} telling[] = {
	{SD_RUNTIME_JAVA, NULL, 0, NULL,
		{"PerfMap",
			"JAVA_TOOL_OPTIONS=-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit "
			"-XX:+PreserveFramePointer",
			"jcmd PID Compiler.perfmap", "names Java's methods (JDK 17 and later)"}},
	{SD_RUNTIME_NODE, NULL, 0, NULL,
		{"perf-basic-prof", "NODE_OPTIONS=--perf-basic-prof", NULL,
			"names JavaScript's functions"}},
	/* documentation of .NET's runtime configuration, "Write perf map" */
	{SD_RUNTIME_DOTNET, NULL, 0, NULL,
		{"PerfMapEnabled", "DOTNET_PerfMapEnabled=1", NULL, "names .NET's methods"}},
	{SD_RUNTIME_PYTHON, "python3.", 12,
		"python3.12 -X perf, or later, names Python's functions; this one cannot",
		{"perf", "PYTHONPERFSUPPORT=1", NULL, "names Python's functions"}},
};

/* CPython's second number by the modules that were made for it, numpy.cpython-311-x86_64.so, where
 * the program was started by a name without one. */
static unsigned python_of_modules(const struct sd_stacks *s)
{
	static const char mark[] = ".cpython-3";

	for (size_t i = 0; i < s->n_text; i++) {
		const char *const at = s->text[i] ? strstr(s->text[i], mark) : NULL;
		const unsigned long n = at ? strtoul(at + sizeof mark - 1, NULL, 10) : 0;

		if (n > 0 && n < UINT_MAX)
			return (unsigned)n;
	}
	return UINT_MAX;
}

/* The second number of its version, where its file's name has one; else a new one. */
static unsigned version_of(const char *module, const char *file)
{
	const char *const at = file ? strstr(basename(module), file) : NULL;
	char *end = NULL;
	const unsigned long n = at ? strtoul(at + strlen(file), &end, 10) : 0;

	return at && end > at + strlen(file) && n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

int sd_runtimes_names(const struct sd_stacks *s, const char *module, struct sd_runtime_names *out)
{
	const int made = !module || !*module || strcmp(module, "[jit]") == 0;
	const unsigned bits = made ? sd_runtimes_of(s, module) : by_file(module);

	for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
		unsigned version;

		if (!(bits >> telling[i].runtime & 1) || (!made && !sd_runtimes_interprets(module)))
			continue;
		*out = telling[i].names;
		version = module ? version_of(module, telling[i].file) : UINT_MAX;
		if (version == UINT_MAX && telling[i].runtime == SD_RUNTIME_PYTHON)
			version = python_of_modules(s);
		if (version < telling[i].since) {
			out->variable = NULL;
			out->what = telling[i].before;
		}
		return 1;
	}
	return 0;
}

/* HotSpot's, and how the names of their functions begin. */
static const struct {
	const char *name, *function[4];
} collectors[SD_RUNTIMES_COLLECTORS] = {
	{"the serial collector",
		{"DefNewGeneration", "GenCollectedHeap", "GenMarkSweep", "Serial"}},
	{"the parallel collector",
		{"PSScavenge", "PSParallelCompact", "PSPromotion", "ParallelScavenge"}},
	{"G1", {"G1"}},
	{"Shenandoah", {"Shenandoah"}},
	{"ZGC", {"ZMark", "ZRelocat", "ZBarrier", "ZDriver"}},
};

size_t sd_runtimes_collector(const struct sd_stacks *s, const struct sd_frame *frame)
{
	const char *const name = sd_stacks_text_at(s, frame->function);

	if (!*name || !(by_file(sd_stacks_text_at(s, frame->module)) & SD_RUNTIME_BIT(JAVA)))
		return SD_RUNTIMES_COLLECTORS;
	for (size_t k = 0; k < SD_RUNTIMES_COLLECTORS; k++)
		for (size_t i = 0; i < 4 && collectors[k].function[i]; i++)
			if (strncmp(name, collectors[k].function[i],
				    strlen(collectors[k].function[i])) == 0)
				return k;
	return SD_RUNTIMES_COLLECTORS;
}

const char *sd_runtimes_collector_name(size_t collector)
{
	return collector < SD_RUNTIMES_COLLECTORS ? collectors[collector].name : "";
}
