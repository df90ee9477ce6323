/*
 * Prints a record's report on stdout: the only way to do it, so that `report` prints what `run`
 * printed.
 */
#ifndef SD_PRINT_REPORT_H
#define SD_PRINT_REPORT_H

#include "context/context.h"
#include "record/options.h"
#include "record/record.h"
#include "report/formats.h"

/* Wishes for a report beside its format; zeroed: none. */
struct sd_print_report_wish {
	unsigned width;      /* columns; 0: the width of stdout */
	int all;             /* every row of the tables */
	unsigned cores;      /* of the flame graph's stacks; 0: the largest count */
	int waits;           /* stacks that waited */
	const char *cause;   /* of the brief answer, alone; NULL: the answer */
	const char *samples; /* folder of kept samples to attribute again; NULL: as recorded */
};

/*
 * Reads the record at `path`, analyses it and prints the report.
 * SD_EXIT_DONE; SD_EXIT_MEASURE after a message: it could not be read or written, or has no usable
 * run. `failed`: the program's failure was already reported, so no second message is needed if
 * there is nothing to report for that reason.
 */
enum sd_exit sd_print_report(const struct sd_cli *cli, const char *path,
	const struct sd_report_format *format, const struct sd_print_report_wish *wish, int failed);

/* Prints the report of a record in memory, which was written to `path`, and which it takes. As
 * above. */
enum sd_exit sd_print_report_of(const struct sd_cli *cli, const char *path,
	const struct sd_report_format *format, struct sd_record *record);

/* Writes the HTML page of the record at `path` to the file `html`, atomically; `samples` as above.
 * Otherwise like sd_print_report(). */
enum sd_exit sd_print_report_page(const struct sd_cli *cli, const char *path, const char *html,
	const char *samples, int failed);

/* The format that the options of a measurement ask for. */
const char *sd_print_report_format(const struct sd_options *o);

/*
 * After measuring: the report in this format, and the page too unless `html` is NULL. `status` is
 * what measuring ended with, and is returned unless it is SD_EXIT_DONE.
 */
enum sd_exit sd_print_report_measured(const struct sd_cli *cli, const char *path,
	const char *format, const char *html, enum sd_exit status);

/* Prints what a record's plan would run (--dry-run), which would be written to `path`. As above. */
enum sd_exit sd_print_report_plan(
	const struct sd_cli *cli, const struct sd_record *record, const char *path);

/* Converts the result of a report function to the command's status, with a message if it failed;
 * flushes stdout. */
enum sd_exit sd_print_report_done(const struct sd_cli *cli, int rc);

/* Flushes stdout. SD_EXIT_DONE, even if the reader has gone away; SD_EXIT_MEASURE after a message.
 */
enum sd_exit sd_print_report_end(const struct sd_cli *cli);

#endif
