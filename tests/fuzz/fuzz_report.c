/*
 * Any record through the analysis into every report: no crash, no leak, and not one control
 * character for the terminal.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse.h"
#include "record_file.h"
#include "report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_harmless(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f)
			abort();
}

static void print(const struct sd_record *r, const struct sd_analysis *a, unsigned width, int ascii)
{
	const struct sd_report_style s = {.record_path = "r.json", .width = width, .ascii = ascii};

	for (int what = 0; what < 3; what++) {
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);
		int rc;

		if (!f)
			abort();
		rc = what == 0   ? sd_report_text(f, r, a, &s)
		     : what == 1 ? sd_report_json(f, r, a)
				 : sd_report_plan(f, r, &s);
		if (fclose(f) != 0 || rc != 0)
			abort();
		check_harmless(text, size);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_record r;
	struct sd_analysis a;

	if (sd_record_parse((const char *)data, size, "fuzz", &r, NULL) != 0)
		return 0;
	(void)sd_analyse(&r, &a); /* without a usable run there is still a report */
	print(&r, &a, 60, 1);
	print(&r, &a, 0, 0);
	sd_analysis_free(&a);
	sd_record_free(&r);
	return 0;
}
