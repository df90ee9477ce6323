#include "print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diagnosis.h"
#include "fold.h"
#include "style.h"

enum sd_exit sd_print_end(const struct sd_cli *cli)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return SD_EXIT_DONE;
	/* `scalediag ... | head`: whoever read has seen enough */
	if (errno == EPIPE)
		return SD_EXIT_DONE;
	sd_say(cli->sink, SD_LEVEL_ERROR, "standard output: %s",
		errno ? strerror(errno) : "could not be written whole");
	return SD_EXIT_MEASURE;
}

enum sd_exit sd_print_done(const struct sd_cli *cli, int rc)
{
	if (rc < 0 && rc != -EIO) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "the report could not be made: %s",
			strerror(-rc));
		return SD_EXIT_MEASURE;
	}
	/* a failed write before the last one is remembered by the stream, but not its errno */
	if (rc == -EIO && errno == EPIPE)
		return SD_EXIT_DONE;
	return sd_print_end(cli);
}

enum sd_exit sd_print_report(const struct sd_cli *cli, const char *path,
	const struct sd_report_format *format, unsigned width, int failed)
{
	struct sd_report_style style = sd_style_of(stdout, path);
	struct sd_folded folded = {0};
	struct sd_diagnosis d;
	enum sd_exit status = SD_EXIT_MEASURE;

	if (width > 0)
		style.width = width;
	if (sd_diagnosis_open(&d, cli, path, failed) == 0) {
		if (format->flames && sd_fold(&d.record, 0, 0, &folded) == 0)
			style.folded = &folded;
		errno = 0;
		sd_progress_line_clear(cli->line);
		status = sd_print_done(cli, format->print(stdout, &d.record, &d.analysis, &style));
	}
	sd_folded_free(&folded);
	sd_diagnosis_close(&d);
	return status;
}
