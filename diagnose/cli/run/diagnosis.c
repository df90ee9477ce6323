#include "run/diagnosis.h"

#include <errno.h>
#include <string.h>

#include "analyse/analyse.h"
#include "record/record_file.h"
#include "run/config_tables.h"
#include "run/kept_runs.h"

static void say_unusable(const struct sd_cli *cli, const char *path, const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->warnings.n; i++)
		sd_say(cli->sink, SD_LEVEL_WARNING, "%s", a->warnings.text[i]);
	sd_say(cli->sink, SD_LEVEL_ERROR, "%s: no run in this record can be analysed", path);
}

static int analyse(struct sd_diagnosis *d, const struct sd_cli *cli, const char *path, int quiet)
{
	int rc = sd_config_tables_load_for(&d->tables, &d->record, cli->sink);

	if (rc)
		return rc;
	rc = sd_analyse(&d->record, &d->tables.formulas, &d->tables.advice, &d->analysis);
	if (rc == -ENODATA && !quiet)
		say_unusable(cli, path, &d->analysis);
	else if (rc && rc != -ENODATA)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
	return rc;
}

int sd_diagnosis_of(struct sd_diagnosis *out, const struct sd_cli *cli, const char *path,
	struct sd_record *record)
{
	*out = (struct sd_diagnosis){.record = *record};
	*record = (struct sd_record){0};
	return analyse(out, cli, path, 0);
}

int sd_diagnosis_open(
	struct sd_diagnosis *out, const struct sd_cli *cli, const char *path, int quiet)
{
	return sd_diagnosis_open_with(out, cli, path, NULL, quiet);
}

int sd_diagnosis_open_with(struct sd_diagnosis *out, const struct sd_cli *cli, const char *path,
	const char *samples, int quiet)
{
	int rc;

	*out = (struct sd_diagnosis){0};
	rc = sd_record_read(path, &out->record, cli->sink);
	if (rc == 0 && samples)
		rc = sd_kept_runs_attribute(&out->record, samples, cli->sink);
	return rc ? rc : analyse(out, cli, path, quiet);
}

void sd_diagnosis_close(struct sd_diagnosis *d)
{
	sd_analysis_free(&d->analysis);
	sd_config_tables_free(&d->tables);
	sd_record_free(&d->record);
}
