#include "print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyse.h"
#include "record_file.h"
#include "report.h"
#include "style.h"
#include "tables.h"

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

static enum sd_exit print_all(const struct sd_cli *cli, const struct sd_record *record,
	const struct sd_analysis *a, enum sd_format format, const struct sd_report_style *style)
{
	int rc;

	errno = 0;
	sd_progress_line_clear(cli->line);
	rc = format == SD_FORMAT_JSON ? sd_report_json(stdout, record, a)
				      : sd_report_text(stdout, record, a, style);
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

static void say_unusable(const struct sd_cli *cli, const char *path, const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		sd_say(cli->sink, SD_LEVEL_WARNING, "%s", a->warnings.text[i]);
	sd_say(cli->sink, SD_LEVEL_ERROR, "%s: no run in this record can be analysed", path);
}

enum sd_exit sd_print_report(const struct sd_cli *cli, const char *path, enum sd_format format,
	unsigned width, int failed)
{
	struct sd_report_style style = sd_style_of(stdout, path);
	struct sd_record record = {0};
	struct sd_formulas tables = {0};
	struct sd_analysis a = {0};
	enum sd_exit status = SD_EXIT_MEASURE;
	int rc;

	if (width > 0)
		style.width = width;
	if (sd_record_read(path, &record, cli->sink) < 0)
		return SD_EXIT_MEASURE;
	if (sd_tables_load(&tables, cli->sink) < 0)
		goto out;
	rc = sd_analyse_with(&record, &tables, &a);
	if (rc == 0)
		status = print_all(cli, &record, &a, format, &style);
	else if (rc == -ENODATA && !failed)
		say_unusable(cli, path, &a);
	else if (rc != -ENODATA)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
out:
	sd_analysis_free(&a);
	sd_formulas_free(&tables);
	sd_record_free(&record);
	return status;
}
