/*
 * The record: everything that was requested, planned and measured. All later stages are pure
 * functions of it.
 */
#ifndef SD_RECORD_H
#define SD_RECORD_H

#include <stddef.h>

#include "record/ceiling.h"
#include "record/machine_layout.h"
#include "record/options.h"
#include "record/plan.h"
#include "record/run.h"
#include "record/stacks.h"
#include "base/texts.h"
#include "machine/node_facts.h"
#include "machine/topology.h"

#define SD_RECORD_SCHEMA 1
#define SD_RECORD_KIND "scalediag-record"

/* The machine and its kernel, as reports show them. */
struct sd_host {
	char name[256];
	char cpu[128];
	char kernel[128];
	char hypervisor[32]; /* "" = none or unknown */
	unsigned online, allowed, granted;
	unsigned cores, packages, numa, llc, kinds; /* among the allowed CPUs; 0 = unknown */
	struct sd_value quota;                      /* CPUs */
	struct sd_value tsc_hz;
	struct sd_value llc_bytes, memory_bytes; /* memory: MemAvailable at start */
	enum sd_status pmu;         /* ok, unsupported or denied: hardware cycle counter */
	int perf_paranoid;          /* -100 unknown */
	struct sd_node_facts setup; /* when the runs began; "" unknown, as in older records */
};

/* Identifies a build of the program's file. Absent: not checked, or a different file at every core
 * count. */
struct sd_program_file {
	struct sd_value bytes, mtime; /* mtime: s since the epoch */
	char build_id[129];           /* hexadecimal; "" none or unreadable */
};

/* The commit that was checked out in the repository around the working folder; "" unknown. Whether
 * files were changed since is not known. */
struct sd_source_commit {
	char *root;       /* owned; top of the working tree; NULL: none */
	char commit[65];  /* hexadecimal */
	char branch[256]; /* any bytes; "" none */
};

struct sd_program {
	struct sd_texts argv; /* {n} not replaced; bytes as given, may be invalid UTF-8 */
	char *cwd;            /* owned */
	char *attached; /* owned; it ran already: what the user called it; NULL: it was started */
	char *rate;     /* owned or NULL */
	/* owned or NULL: the region whose entries' times are watched; and, of a program that ran
	 * already, what 99 of 100 stayed below, s, before its CPUs were changed and after they were
	 * put back
	 */
	char *latency;
	struct sd_value latency_before, latency_after;
	char *region;       /* owned; the region that is judged alone; NULL: all of it */
	int with_launch;    /* of an MPI program, MPI_Init, MPI_Finalize and the launcher as well */
	int ignore_failure; /* runs that exited with another status than 0 count, too */
	int no_omp_tool;    /* OpenMP's runtime was left alone */
	int system_calls;   /* they were counted, if the kernel allowed it */
	/* how runs are started, so that a record can be resumed (--resume) */
	struct sd_texts env; /* --env: NAME=value, {n} not replaced */
	/* what scalediag itself set in its environment: NAME=value, the core count as {n}; empty in
	 * older records */
	struct sd_texts set;
	char *prepare;    /* owned or NULL */
	double timeout_s; /* 0 = none */
	int no_env;       /* OMP_NUM_THREADS and its like were not set */
	enum sd_scaling scaling;
	enum sd_placement placement;
	struct sd_program_file file;    /* as of the last start of measuring */
	struct sd_source_commit source; /* of the first start */
	char *build; /* owned or NULL; its compiler and options (probe/program_build.h) */
};

/*
 * Source lines around a place in the program, as of the measurement. The measuring stage reads them
 * and stores them in the record: no later stage opens a file that a record names.
 */
enum sd_source_state {
	SD_SOURCE_READ,
	SD_SOURCE_MISSING,  /* no such file, or unreadable */
	SD_SOURCE_NEWER,    /* newer than the program: the lines may have changed */
	SD_SOURCE_UNSTORED, /* the record has no lines of this place; never stored */
};

/* Bounds of a record: places, lines around each or around its function's sampled lines, lines of
 * one in all, bytes of a line. */
#define SD_SOURCE_TEXT_PLACES 8u
#define SD_SOURCE_TEXT_AROUND 5u
#define SD_SOURCE_TEXT_COUNT 160u
#define SD_SOURCE_TEXT_BYTES 400u
#define SD_SOURCE_TEXT_LAST 1000000000u /* number of a line */

struct sd_source_text {
	char *file;   /* owned; as the program's symbols name it */
	unsigned hot; /* number of the central line */
	enum sd_source_state state;
	unsigned first;       /* number of line.text[0]; 0: none */
	struct sd_texts line; /* without line ends; any bytes */
};

struct sd_record {
	char tool_version[32];
	struct sd_host host;
	struct sd_program program;
	struct sd_calibration calibration;
	struct sd_machine_layout layout;
	struct sd_plan plan;
	struct sd_run *run; /* owned; in the order they ended */
	size_t n_run;
	struct sd_stacks stacks;       /* names the places of the runs' samples and simulations */
	struct sd_source_text *source; /* owned; empty in older records */
	size_t n_source;
	int unchecked; /* read from a file without a checksum, as older versions wrote it; not
			  stored */
	int complete;  /* the plan was completed; 0: interrupted, failed or still running */
	struct sd_texts warnings; /* from measuring, in order, without duplicates */
};

/* Does the command or a variable that the user set say how many cores there are ({n}, {threads},
 * {ranks})? */
int sd_program_gives_count(const struct sd_program *p);

/* Runs of the point's blocks that ended well and counted this pass. */
unsigned sd_record_counted(const struct sd_record *r, size_t point, unsigned pass);

void sd_source_text_free(struct sd_source_text *s); /* accepts the zeroed value */
void sd_record_free(struct sd_record *r);           /* accepts the zeroed value */

#endif
