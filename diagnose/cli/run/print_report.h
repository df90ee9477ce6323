/*
 * From a record's file to a report on stdout: the one way, so that `report` prints what `run`
 * printed.
 */
#ifndef SD_PRINT_REPORT_H
#define SD_PRINT_REPORT_H

#include "context/context.h"
#include "report/formats.h"

/* What may be asked of a report beside its format; zeroed: nothing. */
struct sd_print_report_wish {
	unsigned width;      /* columns; 0: as wide as stdout is */
	int all;             /* every row of the tables */
	unsigned cores;      /* of the stacks of a flame graph; 0: the largest count */
	int waits;           /* they are of what waited */
	const char *samples; /* kept ones, to be attributed anew: their folder; NULL: as recorded */
};

/*
 * Reads the record at `path`, analyses it and prints the report.
 * SD_EXIT_DONE; SD_EXIT_MEASURE after a message when it cannot be read or written, or holds no
 * usable run. `failed`: a message about the program has been given, which needs no second one when
 * there is nothing to report for that reason.
 */
enum sd_exit sd_print_report(const struct sd_cli *cli, const char *path,
	const struct sd_report_format *format, const struct sd_print_report_wish *wish, int failed);

/* The HTML page of the record at `path` as the file `html`, `samples` as wished above: whole or not
 * at all; otherwise like sd_print_report(). */
enum sd_exit sd_print_report_page(const struct sd_cli *cli, const char *path, const char *html,
	const char *samples, int failed);

/* What a report's function returned, as the command's status, with a message when it failed;
 * flushes stdout. */
enum sd_exit sd_print_report_done(const struct sd_cli *cli, int rc);

/* Flushes stdout. SD_EXIT_DONE, also when nobody reads it any more; SD_EXIT_MEASURE after a
 * message. */
enum sd_exit sd_print_report_end(const struct sd_cli *cli);

#endif
