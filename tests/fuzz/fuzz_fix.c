/*
 * A source from anywhere that is to be changed: the first bytes say what a contested line has to do
 * with it, or that a lock or a loop at a line costs time, the rest is the file. A change leaves all
 * other text as it is, and the diff has it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix/fix_kinds.h"
#include "fix/fix_loops.h"
#include "fix/fix_sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *const texts[] = {"", "a.c", "count", "struct count", "found", "limit"};

static const struct sd_fix_locks locks = {
	{{"mtx_lock", "mtx_unlock", 0, 0}, {"lock", "unlock", 0, 1}, {"lock_guard", "", 0, 0}}, 3};

/* Changes a section, a loop, or else a layout. */
static int change(struct sd_fix_case *c, unsigned which, unsigned line)
{
	return which == 1   ? sd_fix_sections_at(c, texts[1], line)
	       : which == 2 ? sd_fix_loops_at(c, texts[1], line)
			    : sd_fix_kinds_line(c);
}

static void check(const struct sd_fix_source *in)
{
	size_t length = 0, grown = in->size;
	char *const text = sd_source_edits_apply(&in->edits, in->text, in->size, &length);
	char *diff = NULL;
	FILE *f;

	for (size_t i = 0; i < in->edits.n; i++)
		grown += strlen(in->edits.change[i].insert) - in->edits.change[i].remove;
	if (!text || length != grown)
		abort();
	free(text);
	f = open_memstream(&diff, &length);
	if (!f || sd_source_edits_diff(f, &in->edits, in->path, in->text, in->size) != 0)
		abort();
	fclose(f);
	free(diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sd_line_layout layout;
	static struct sd_fix_case c;
	struct sd_line_member member[2] = {{4, 0, 8, 2}, {5, 8, 8, 3}};
	struct sd_line_object object = {
		.variable = 2, .type = 3, .file = 1, .at_file = 1, .member = member};
	struct sd_sim_sharer sharer[2] = {{.thread = 0, .written = 0xff, .stores = 1},
		{.thread = 1, .written = 0xff00, .stores = 1}};
	struct sd_frame frame = {.file = 1};
	struct sd_node node[2] = {{0, 0}, {0, 0}};
	struct sd_sim_code code = {.node = 1, .writes = 1, .locked = 1};
	struct sd_sim_contested line = {.sharer = sharer,
		.n_sharer = 2,
		.code = &code,
		.n_code = 1,
		.object = &object,
		.n_object = 1};
	const struct sd_line_view view = {.line = &line, .touched = 0xffff, .accesses = 2};
	struct sd_record record = {0};
	struct sd_fix_source source = {.named = texts[1], .path = texts[1]};
	struct sd_fix_sources sources = {.record = &record, .source = {&source}, .n = 1};

	if (size < 4)
		return 0;
	memcpy(&record.stacks.text, &(const void *){texts}, sizeof record.stacks.text);
	record.stacks.n_text = sizeof texts / sizeof *texts;
	record.stacks.frame = &frame;
	record.stacks.n_frame = 1;
	record.stacks.node = node;
	record.stacks.n_node = 2;
	line.sharing = data[0] & 1 ? SD_SIM_TRUE : SD_SIM_FALSE;
	object.composed = data[0] >> 1 & 1;
	object.elements = data[0] >> 2 & 1 ? 1 : 4;
	object.storage = data[0] >> 3 & 1 ? SD_OBJECT_HEAP : SD_OBJECT_STATIC;
	object.language = data[0] >> 4 & 1 ? SD_OBJECT_CXX : SD_OBJECT_C;
	object.bytes = object.elements == 1 ? 16 : 8;
	object.n_member = object.composed ? 2 : 0;
	object.line = object.at_line = frame.line = data[1];
	member[1].line = data[2];
	source.text = (char *)malloc(size - 3 + 1);
	if (!source.text)
		return 0;
	source.size = size - 3;
	memcpy(source.text, data + 3, source.size);
	source.text[source.size] = '\0';
	if (sd_c_tokens_read(&source.tokens, source.text, source.size) != 0 ||
		sd_c_statement_compiled(&source.tokens, &frame.line, 1, &source.compiled) != 0)
		abort();
	sd_line_layout_make(&view, 64, &layout);
	c = (struct sd_fix_case){.record = &record,
		.view = &view,
		.layout = &layout,
		.sources = &sources,
		.locks = &locks};
	if ((change(&c, data[0] >> 5 & 3, data[1]) == 0) != (source.edits.n > 0))
		abort();
	check(&source);
	sd_c_tokens_free(&source.tokens);
	sd_c_tokens_free(&source.compiled);
	sd_source_edits_free(&source.edits);
	free(source.text);
	return 0;
}
