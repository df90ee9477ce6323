/*
 * Meanings of a table's columns, by their names.
 */
#ifndef SD_CSV_COLUMNS_H
#define SD_CSV_COLUMNS_H

#include "import/import.h"
#include "record/run.h"

enum sd_csv_kind {
	SD_CSV_UNKNOWN, /* an event of the CPU, or nothing that is known */
	SD_CSV_CORES,
	SD_CSV_TIME,
	SD_CSV_PROGRAM,
	SD_CSV_ROLE,
	SD_CSV_WAIT,   /* wait_lock, wait_disk, ...: core-seconds that threads waited */
	SD_CSV_OUTPUT, /* what the run printed, or a digest of it: only whether it is the same
			  counts */
	SD_CSV_UNIT,   /* ns, us, ms, s: of the row's times whose column names none */
	SD_CSV_RATE,   /* a throughput: work a second, in whatever unit */
	SD_CSV_THREAD, /* thread0, thread1, ...: CPU seconds of a thread */
};

/* Times of a row, s. The POP times (METHODS 1.4) become the useful time and three kinds of
 * waiting. */
enum sd_csv_time {
	SD_CSV_WALL,
	SD_CSV_USER,
	SD_CSV_SYSTEM,
	SD_CSV_CPU,
	SD_CSV_IDEAL,
	SD_CSV_USEFUL_AVG,
	SD_CSV_USEFUL_MAX,
	SD_CSV_USEFUL_TOTAL,
	SD_CSV_TIMES
};

struct sd_csv_column {
	enum sd_csv_kind kind;
	enum sd_csv_time time;
	double unit;  /* s */
	double bytes; /* of a rate that is STREAM's: in one of its unit; 0 else */
	int has_unit; /* its name says the unit */
	enum sd_role role;
	enum sd_quality quality;
	enum sd_idle idle;
	unsigned thread;
	char name[64];
};

void sd_csv_column_make(const char *name, struct sd_csv_column *out);

/* Seconds of a unit of time by its name ("ns", "ms", "s"); 0: no such unit. */
double sd_csv_column_unit(const char *name);

/* Would the second of two columns take the place of the first? */
int sd_csv_column_same(const struct sd_csv_column *a, const struct sd_csv_column *b);

/* The number in a cell, as sd_import_number(); a time or rate that says its own unit has that one:
 * *c is then in seconds. */
int sd_csv_column_number(struct sd_csv_column *c, const struct sd_import_text *t, unsigned line,
	const char *cell, double *v);

#endif
