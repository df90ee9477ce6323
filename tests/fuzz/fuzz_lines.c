/*
 * `scalediag lines` of any record: contested lines, working sets and what to do, as text and as
 * JSON, and not one control character for the terminal.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lines/lines_report.h"
#include "record/record_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_report_style narrow = {.record_path = "r.json", .width = 60, .ascii = 1};

	for (int format = 0; format < 3; format++) {
		char *text = NULL;
		size_t size = 0;
		FILE *const f = open_memstream(&text, &size);
		int rc;

		if (!f)
			abort();
		rc = format == 0   ? sd_lines_text(f, r, l, &narrow)
		     : format == 1 ? sd_lines_picture(f, r, l, &narrow)
				   : sd_lines_json(f, r, l, NULL);
		if (fclose(f) != 0 || rc != 0)
			abort();
		for (size_t i = 0; i < size; i++)
			if (((unsigned char)text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f)
				abort();
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_record r;
	struct sd_contested_lines l;

	if (sd_record_parse((const char *)data, size, "fuzz", &r, NULL) != 0)
		return 0;
	for (int sampled = 0; sampled < 2; sampled++) {
		if (sd_contested_line_list_make(&r, 0, sampled, &l) == 0)
			print(&r, &l);
		sd_contested_lines_free(&l);
	}
	sd_record_free(&r);
	return 0;
}
