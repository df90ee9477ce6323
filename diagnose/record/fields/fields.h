/* clang-format off */
/*
 * The contents of a record: one table for each struct, from which it is written, read and checked.
 *
 * The format of a record, schema 1: one JSON object. `kind` and `schema` identify it; a reader
 * refuses any other value of either. Below that:
 *   value    a measured number: 1.25 is ok; "denied", "unsupported", … says why there is none;
 *            {"value": 1.25, "status": "noisy"} is a number with a reservation. A value that is
 *            left out is absent: nobody measured it. 0 never means "unknown".
 *   text     a string; if not UTF-8 (file names can be anything) {"hex": "ff00…"}.
 *   u64      a decimal string if all 64 bits matter (seed, digest), as JSON numbers lose them.
 *   cpus     the kernel's list format, in placement order: "0-3,8".
 *   row      a struct as a list of its members without keys, where there are thousands.
 * Numbers have as few digits as give the same bits when they are read back. Keys are in the order of
 * the tables, and every run is one line. Unknown keys are refused, because silently dropped data is
 * missed too late.
 */
/* clang-format on */
#ifndef SD_FIELDS_H
#define SD_FIELDS_H

#include <stddef.h>

#include "fields/json_path.h"
#include "record/record.h"

enum sd_field_type {
	SD_FIELD_TEXT,     /* char[size] inside the struct */
	SD_FIELD_UNSIGNED, /* unsigned */
	SD_FIELD_INT,      /* int */
	SD_FIELD_INT64,    /* int64_t */
	SD_FIELD_SIZE,     /* size_t */
	SD_FIELD_COUNT64,  /* uint64_t as a number */
	SD_FIELD_BITS64,   /* uint64_t as a decimal string */
	SD_FIELD_REAL,     /* double */
	SD_FIELD_VALUE,    /* struct sd_value; left out when absent */
	SD_FIELD_NAME,     /* an enum by its name */
	SD_FIELD_BOOL,     /* int as true or false */
	SD_FIELD_FLAGS,    /* unsigned: the names of the bits that are set, each once */
	SD_FIELD_STRING,   /* char *, owned */
	SD_FIELD_TEXTS,    /* struct sd_texts: at most `most`, of at most `size` bytes each */
	SD_FIELD_CPUS,     /* struct sd_cpulist, of at least one CPU */
	SD_FIELD_STRUCT,   /* a struct inside the struct */
	SD_FIELD_OWNED,    /* a pointer to a struct of `size` bytes; owned */
	SD_FIELD_ARRAY,    /* a pointer, owned, to as many elements as the size_t at `count` says */
	SD_FIELD_FIXED,    /* `most` elements inside the struct: up to the last that is something */
};

/* When a member may be missing; a value may always. */
enum sd_field_need {
	SD_FIELD_NEEDED,
	SD_FIELD_NEWER,  /* records from before it have none: then 0 or ""; always written */
	SD_FIELD_SPARSE, /* left out when it is empty: see sd_field_empty() */
};

/* Tables that numbers in a record refer to; a reader knows their sizes by then. */
enum sd_field_of {
	SD_FIELD_OF_NOTHING,
	SD_FIELD_OF_POINTS, /* of the plan, as the next two */
	SD_FIELD_OF_PASSES,
	SD_FIELD_OF_EXPERIMENTS,
	SD_FIELD_OF_NODES, /* of the stacks, as texts; 0 is always there: unknown */
	SD_FIELD_OF_TEXTS,
	SD_FIELD_OF_THREADS, /* of what a contested line is in: a simulation, or samples of memory
			      */
	SD_FIELD_OF_CPUS,    /* of all points together: counted, never referred to */
	SD_FIELD_OF_COUNT
};

struct sd_fields;
struct sd_field {
	const char *key; /* NULL: the element of a list is this member itself */
	enum sd_field_type type;
	enum sd_field_need need;
	size_t offset;
	size_t size;      /* of a text's or an element's bytes; the number of names */
	double low, high; /* range of a number; a value's when it has one. A bool's low 1: never
			     written as false */
	const char *const *names;
	enum sd_field_of of;            /* a number below how many of these there are */
	const struct sd_fields *fields; /* of a struct, or of an element */
	size_t count;                   /* offset of an array's size_t */
	size_t seen;                    /* offset of a size_t that it does not exceed; 0 none */
	size_t most;                    /* elements */
	enum sd_field_of counts;        /* this array is what others refer to */
	int (*there)(const void *in);   /* a sparse one that does not say it itself */
};

/* The rows of a list that were read from its text: in the JSON values it is empty. */
struct sd_field_rows {
	const struct sd_field *field;
	void *list; /* owned, until it is taken; NULL: none, or taken */
	size_t n;
};

/* State of a reader: what it has met so far. */
struct sd_field_in {
	const struct sd_source *s;
	size_t count[SD_FIELD_OF_COUNT];
	struct sd_field_rows *rows; /* NULL: none */
};

enum sd_fields_order { SD_FIELDS_ANY, SD_FIELDS_RISING, SD_FIELDS_UNIQUE };

struct sd_fields {
	const struct sd_field *field;
	size_t n;
	/* in a list of these the first member, an unsigned, rises; or, a name, is in each another
	 */
	enum sd_fields_order order;
	size_t row; /* a row of at least so many; behind them, zeros at the end are left out */
	/*
	 * Checks what the members must keep among each other, and beside the element before (NULL:
	 * it is the first). 0; -EINVAL, said with the place; -ENOMEM.
	 */
	int (*check)(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
		const void *before);
};

extern const struct sd_fields sd_fields_host, sd_fields_program, sd_fields_calibration,
	sd_fields_source;
extern const struct sd_fields sd_fields_pu;
extern const struct sd_fields sd_fields_plan, sd_fields_machine;
extern const struct sd_fields sd_fields_run;
extern const struct sd_fields sd_fields_sampled;
extern const struct sd_fields sd_fields_lanes;
extern const struct sd_fields sd_fields_simulated;
extern const struct sd_fields sd_fields_native;
extern const struct sd_fields sd_fields_memory;
extern const struct sd_fields sd_fields_events;
extern const struct sd_fields sd_fields_mpi;
extern const struct sd_fields sd_fields_regions;
extern const struct sd_fields sd_fields_kernel_locks;

/* Bare elements of lists: counts of cores, and numbers of any size. */
extern const struct sd_fields sd_fields_cores, sd_fields_reals;

/* 2^53: the largest whole number that a JSON reader surely keeps. */
#define SD_FIELD_WHOLE 9007199254740992.0

/* Can this field hold the number? */
int sd_field_fits(const struct sd_field *f, double v);
/* Is the member of `in` left out of the file (no element, no pointer, 0, false, absent)? */
int sd_field_empty(const struct sd_field *f, const void *in);
/* May an element at the end of a list be left out (its last member is 0)? */
int sd_field_last_zero(const struct sd_fields *fields, const void *element);

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
