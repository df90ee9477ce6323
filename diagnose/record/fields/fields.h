/*
 * The plain fields of a record's structs: one table each, from which writing, reading and checking
 * all follow.
 *
 * The format of a record, schema 1: one JSON object. `kind` and `schema` say what it is; a reader
 * that meets another of either refuses. Below that:
 *   value    a number that was measured: `1.25` is ok; `"denied"`, `"unsupported"`, … says why
 *            there is none; {"value": 1.25, "status": "noisy"} is a number with a reservation. A
 *            value that is left out is absent: nobody measured it. None of them is ever 0 for
 *            "unknown".
 *   text     a string; bytes that are not UTF-8 (a file name may be any) are {"hex": "ff00…"}.
 *   u64      a decimal string where all 64 bits count (seed, digest), as JSON numbers lose them.
 *   cpus     the kernel's list format, in placement order: "0-3,8".
 * Numbers have 17 significant digits, so that reading them back gives the same bits. Keys stand in
 * a fixed order, and every run is one line. Keys nobody knows are refused: what is dropped in
 * silence is missed too late.
 */
#ifndef SD_FIELDS_H
#define SD_FIELDS_H

#include <stddef.h>

#include "record/record.h"

enum sd_field_type {
	SD_FIELD_TEXT,     /* char[size] inside the struct */
	SD_FIELD_UNSIGNED, /* unsigned */
	SD_FIELD_INT,      /* int */
	SD_FIELD_SIZE,     /* size_t */
	SD_FIELD_COUNT64,  /* uint64_t as a number */
	SD_FIELD_BITS64,   /* uint64_t as a decimal string */
	SD_FIELD_REAL,     /* double */
	SD_FIELD_VALUE,    /* struct sd_value; left out when absent */
	SD_FIELD_NAME,     /* an enum by its name */
	SD_FIELD_BOOL,     /* int as true or false */
};

struct sd_field {
	const char *key;
	enum sd_field_type type;
	size_t offset;
	size_t size;      /* of the text's array; the number of names */
	double low, high; /* range of a number; a value's when it has one */
	const char *const *names;
	int optional; /* records from before it have none: then 0 or "" */
};

struct sd_fields {
	const struct sd_field *field;
	size_t n;
};

extern const struct sd_fields sd_fields_host, sd_fields_program, sd_fields_program_file,
	sd_fields_calibration, sd_fields_ceiling, sd_fields_plan, sd_fields_run, sd_fields_metrics,
	sd_fields_idle, sd_fields_thread, sd_fields_role, sd_fields_sampled, sd_fields_lock,
	sd_fields_bottle, sd_fields_tried, sd_fields_copy, sd_fields_experiment,
	sd_fields_source_lines;

extern const struct sd_fields sd_fields_machine, sd_fields_simulation, sd_fields_simulated,
	sd_fields_sim_thread, sd_fields_sim_line, sd_fields_sim_sharer, sd_fields_sim_code,
	sd_fields_sim_loop, sd_fields_sim_block, sd_fields_sim_race, sd_fields_sim_conflict;

extern const struct sd_fields sd_fields_memory, sd_fields_mem_thread, sd_fields_mem_moves;

/* 2^53: the largest whole number that a JSON reader surely keeps. */
#define SD_FIELD_WHOLE 9007199254740992.0

/* Facts of a run by bit: names of SD_RUN_*; NULL where no fact has the bit. */
#define SD_FIELD_FLAGS 32
extern const char *const sd_field_flag[SD_FIELD_FLAGS];

/* Whether a number is one that this field can hold. */
int sd_field_fits(const struct sd_field *f, double v);

/* Bounds that a record must keep, so that a small file cannot ask for much memory. */
#define SD_RECORD_BYTES ((size_t)1 << 30)
#define SD_RECORD_POINTS 4096u
#define SD_RECORD_RUNS 1000000u
#define SD_RECORD_CORES 1048576u         /* of a point, with --oversubscribe */
#define SD_RECORD_CPUS ((size_t)1 << 24) /* over all points */
#define SD_RECORD_TEXTS 1048576u
#define SD_RECORD_TEXT_BYTES ((size_t)1 << 20)
#define SD_RECORD_CONCURRENCY 1048577u

#endif
