/*
 * Any record through the analysis into every report: no crash, no leak, and not one control
 * character for the terminal. The first inputs of a process, which are its seeds, are printed in
 * all formats, others in the one that their bytes say.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#include "analyse/analyse.h"
#include "hotspots/fold_stacks.h"
#include "hotspots/profile_stacks.h"
#include "report/formats.h"
#include "record/record_file.h"
#include "json/json_brief.h"
#include "page/report_style.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_harmless(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\n') || text[i] == 0x7f)
			abort();
}

/* One format, or without a name the plan. */
static void print(const struct sd_report_format *format, const struct sd_record *r,
	const struct sd_analysis *a, const struct sd_report_style *s)
{
	/* a row of CSV ends in a carriage return, the others are none of a terminal's */
	static const char *const others[] = {"csv", "csv-runs", "html", "pprof"};
	const char *const name = format->name ? format->name : "";
	char *text = NULL;
	size_t size = 0, i = 0;
	FILE *f = open_memstream(&text, &size);
	int rc;

	if (!f)
		abort();
	rc = format->name ? format->print(f, r, a, s) : sd_report_plan(f, r, s);
	if (fclose(f) != 0 || rc != 0)
		abort();
	while (i < sizeof others / sizeof *others && strcmp(name, others[i]) != 0)
		i++;
	if (i == sizeof others / sizeof *others)
		check_harmless(text, size);
	if (strcmp(name, "brief") == 0 && size > SD_JSON_BRIEF_BYTES)
		abort();
	free(text);
}

#define SEEDS 16 /* inputs that are printed in all formats, at least as many as there are seeds */

/* Every format and the plan, or one of them. */
static void print_some(const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s, uint32_t which)
{
	static unsigned inputs;
	size_t n = 1;

	while (sd_report_formats[n - 1].name)
		n++;
	for (size_t i = 0; i < n; i++)
		if (inputs < 2 * SEEDS || i == which % n)
			print(&sd_report_formats[i], r, a, s);
	inputs += inputs < 2 * SEEDS;
}

/* Lanes as kept samples would give them, of nodes and texts that the record may have or not. */
static void make_lanes(const struct sd_record *r, struct sd_thread_lanes_span span[3],
	struct sd_thread_lanes_sample *sample, struct sd_thread_lanes_thread *thread,
	struct sd_thread_lanes_run *run)
{
	const unsigned last = (unsigned)r->stacks.n_node;

	span[0] = (struct sd_thread_lanes_span){10, 20, SD_ACTIVITY_MUTEX, last, last, 1};
	span[1] = (struct sd_thread_lanes_span){20, 40, SD_ACTIVITY_USEFUL, 0, 0, 1};
	span[2] = (struct sd_thread_lanes_span){50, 90, SD_ACTIVITY_SLEEP, last / 2, last / 2, 9};
	*sample = (struct sd_thread_lanes_sample){
		22, 35, 30, 8, last ? last - 1 : 0, SD_ACTIVITY_SPIN_OTHER};
	*thread = (struct sd_thread_lanes_thread){.tid = 1,
		.name = "\033[31m",
		.span = span,
		.n_span = 3,
		.sample = sample,
		.n_sample = 1};
	*run = (struct sd_thread_lanes_run){
		.run = r->n_run / 2, .cores = 2, .length = 100, .thread = thread, .n = 1};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char hot[] = "\tx = \033[31m\xff;", after[] = "";
	char *line[] = {hot, after};
	const struct sd_source source[] = {
		{.row = 0, .state = SD_SOURCE_READ, .first = 1, .line = line, .n = 2},
		{.row = 1, .state = SD_SOURCE_NEWER},
	};
	struct sd_folded_stacks folded = {0};
	struct sd_thread_lanes_span span[3];
	struct sd_thread_lanes_sample sample;
	struct sd_thread_lanes_thread thread;
	struct sd_thread_lanes_run run;
	const struct sd_thread_lanes lanes = {&run, 1};
	struct sd_stack_profile profile = {0};
	const struct sd_report_style narrow = {
		.record_path = "r.json", .width = 60, .ascii = 1, .stacks = &profile};
	const struct sd_report_style all = {.record_path = "r.json",
		.all = 1,
		.folded = &folded,
		.stacks = &profile,
		.lanes = &lanes,
		.source = source,
		.n_source = 2};
	const uint32_t which = lzma_crc32(data, size, 0);
	struct sd_record r;
	struct sd_analysis a;

	if (sd_record_parse((const char *)data, size, "fuzz", &r, NULL) != 0)
		return 0;
	(void)sd_analyse(&r, NULL, NULL, &a); /* without a usable run there is still a report */
	(void)sd_fold_stacks(&r, 0, 0, &folded);
	(void)sd_profile_stacks(&r, 0, &profile);
	make_lanes(&r, span, &sample, &thread, &run);
	print_some(&r, &a, &narrow, which);
	print_some(&r, &a, &all, which / 32);
	sd_folded_stacks_free(&folded);
	sd_stack_profile_free(&profile);
	sd_analysis_free(&a);
	sd_record_free(&r);
	return 0;
}
