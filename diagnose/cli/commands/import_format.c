#include "commands/import_format.h"

#include <string.h>

static int read_csv(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)cores;
	return sd_import_csv(im, t, app);
}

static int read_perf(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)app;
	return sd_import_perf(im, t, cores);
}

static int read_likwid(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)app;
	return sd_import_likwid(im, t, cores);
}

static int read_papi(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)app;
	return sd_import_papi(im, t, cores);
}

static int read_script(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)app;
	return sd_import_script(im, t, cores);
}

static int read_hyperfine(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)app;
	return sd_import_hyperfine(im, t, cores);
}

static int read_google(
	struct sd_import *im, const struct sd_import_text *t, unsigned cores, const char *app)
{
	(void)cores;
	return sd_import_google(im, t, app);
}

static const struct sd_import_format formats[] = {
	{"csv", SD_IMPORT_UNCOUNTED, read_csv},
	{"perf-stat", SD_IMPORT_COUNTED, read_perf},
	{"perf-script", SD_IMPORT_COUNTED, read_script},
	{"likwid", SD_IMPORT_MAY_COUNT, read_likwid},
	{"papi", SD_IMPORT_MAY_COUNT, read_papi},
	{"hyperfine", SD_IMPORT_MAY_COUNT, read_hyperfine},
	{"google-benchmark", SD_IMPORT_UNCOUNTED, read_google},
};

const struct sd_import_format *sd_import_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}
