/*
 * Imports counts measured elsewhere into a record: CSV tables with a row for each core count,
 * output of `perf stat` in any form, of `likwid-perfctr -O`, of PAPI's high-level API or of `perf
 * script`, one file a core count, and the JSON of hyperfine and of Google Benchmark. All input is
 * untrusted.
 *
 * Missing counts stay absent: an empty cell, NaN, <not counted> or <not supported> never becomes 0.
 */
#ifndef SD_IMPORT_H
#define SD_IMPORT_H

#include "import/event_names.h"
#include "import/thin_runs.h"
#include "record/record.h"
#include "base/sink.h"

/* Larger files are refused. */
#define SD_IMPORT_BYTES ((size_t)64 << 20)

/* A record being imported. */
struct sd_import {
	struct sd_record record;  /* until finished, `point` of its runs is an index into cores */
	unsigned *cores;          /* owned; one a run */
	struct sd_import_cpu cpu; /* the CPU that was counted; map NULL: not known */
	int cpu_said;             /* by the user: what files say of it is left alone */
	struct sd_texts unknown;  /* events and columns that belong to no role */
	size_t given;             /* runs that were added, also those that are left out */
	struct sd_thin_runs
		*count; /* owned; by core count, 0 to SD_CPU_MAX; NULL: all runs are kept */
	size_t n_count; /* core counts that have runs, where these are counted */
};

/* A text to import; `name` is for messages. */
struct sd_import_text {
	const char *name, *text;
	size_t size;
	const struct sd_sink *sink;
};

/*
 * Reads a table: comment lines start with '#', one line of column names, one or more rows for each
 * core count. Required columns: cores (threads, procs) and seconds. Optional: user, system, cpu,
 * roles by name, and the times of a POP table (runtime_ideal, useful_avg, useful_max,
 * useful_total). The suffix `_us`, `_ms`, `_ns` or `_s` of a time is its unit, unless a cell says
 * its own (quantities.h). With a column app (program, set), `app` selects one of several programs;
 * NULL if there is only one. A comment that ends in "GB/s: 1=21.3, 16T 164.2" gives the memory
 * bandwidth of that many cores. 0; -EINVAL after a message with file and line; -ENOMEM. The import
 * must be freed in every case.
 */
int sd_import_csv(struct sd_import *im, const struct sd_import_text *t, const char *app);

/* Reads one perf stat file of a run (with -r the mean of runs) on `cores` cores: as it is printed,
 * of -x with any separator, or of -j; intervals, cores, sockets and threads are added up. As above.
 */
int sd_import_perf(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/* Reads the CSV output of likwid-perfctr of a run; `cores` 0: as many as it has columns. As above.
 */
int sd_import_likwid(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/*
 * Reads what `hyperfine --export-json` writes: a run for each time, on as many cores as the
 * parameter threads (cores, n, procs, jobs, ...) says, else on `cores`, where the file has one
 * result; 0 unknown. The CPU times are the means of a result's runs. As above.
 */
int sd_import_hyperfine(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/*
 * Reads Google Benchmark's JSON, or its lines as it prints them: the time of an iteration by its
 * number of threads, times the iterations of the first. `app` selects one of several benchmarks;
 * NULL if there is only one. As above.
 */
int sd_import_google(struct sd_import *im, const struct sd_import_text *t, const char *app);

/* Reads a file that PAPI's high-level API writes; `cores` 0: as many as it has threads. As above.
 */
int sd_import_papi(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/*
 * Reads what `perf script` prints of a profile of task-clock, cpu-clock or cycles: a run of as many
 * cores, from its first sample to its last, with the time of each stack. As above.
 */
int sd_import_script(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/* Reads what `perf c2c report --stdio` prints: contested lines of a run of that core count, which
 * must be imported already; 0: of the largest. As above. */
int sd_import_c2c(struct sd_import *im, const struct sd_import_text *t, unsigned cores);

/* Ceilings of the machine: "1=21.27,16=164.2", cores and GB/s. */
int sd_import_ceilings(struct sd_import *im, const char *list, const struct sd_sink *sink);

/* Takes the costs of transfers on that machine:
 * "line=60ns,dram=90ns,llc=5ns,l2=4ns,remote=150ns,walk=10ns". 0, or -EINVAL after a message. */
int sd_import_costs(struct sd_import *im, const char *list, const struct sd_sink *sink);

/* The core count in a file's name, which must be its only number ("perf.8.csv"); 0: none, or
 * several. */
unsigned sd_import_count(const char *path);

/* Call after the last text: makes the plan from the core counts and describes the record. */
int sd_import_finish(struct sd_import *im, const char *program, const struct sd_sink *sink);

void sd_import_free(struct sd_import *im); /* accepts the zeroed value */

/* ---- shared by the readers ---- */

/* Takes the CPU's map by what a file says, unless the user said: by numbers ("GenuineIntel,6,85,4")
 * or by likwid's name ("Intel Skylake SP processor"). An unknown CPU gives no map. 0, or -EINVAL
 * after a message: an earlier file is of another CPU. */
int sd_import_cpuid(
	struct sd_import *im, const struct sd_import_text *t, unsigned line, const char *text);
int sd_import_cpu_type(
	struct sd_import *im, const struct sd_import_text *t, unsigned line, const char *text);

/* Sets the CPU's name for reports; the first file's counts. */
void sd_import_cpu_name(struct sd_import *im, const char *name);

/* The next line of a text, without line end; NULL at the end. *line counts lines. */
const char *sd_import_line(
	const struct sd_import_text *t, size_t *at, size_t *length, unsigned *line);

/* "FILE:LINE: ..." as an error; returns -EINVAL. */
int sd_import_bad(const struct sd_import_text *t, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Refuses anything but text in an ASCII-compatible encoding. 0 or -EINVAL. */
int sd_import_check(const struct sd_import_text *t);

/*
 * Parses a cell: 1 and *out; 0 if it says that there is no number; -EINVAL, with a message about
 * `what`, if neither or out of range.
 */
int sd_import_number(const struct sd_import_text *t, unsigned line, const char *what,
	const char *cell, double *out);

/*
 * Adds the run, or of very many some of them (thin_runs.h), and takes its contents. 0; -EINVAL:
 * impossible core count, or, after a message with file and line, too many of them, or more CPU time
 * than that many cores have in the run's wall time; -ENOMEM.
 */
int sd_import_add(struct sd_import *im, const struct sd_import_text *t, unsigned line,
	unsigned cores, struct sd_run *run);

/* Adds a role's count to a run; `value` is scaled as if counted all the time. 0; -EEXIST: the run
 * has it; -ENOMEM. */
int sd_import_role(struct sd_run *run, enum sd_role role, double value, double running, int user,
	enum sd_quality quality, const char *source);

#endif
