#include "export/firefox_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/lane_steps.h"
#include "base/one_more.h"
#include "render/json_values.h"

/* ---- distinct texts -------------------------------------------------------------------------- */

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* `which`: 0 the files, 1 the modules. */
static int collect(
	const struct sd_viewer_functions *v, int which, struct sd_firefox_tables_names *out)
{
	size_t n = 0;

	out->text = calloc(v->n + 1, sizeof *out->text);
	if (!out->text)
		return -ENOMEM;
	for (size_t i = 0; i < v->n; i++) {
		const char *const text = which ? v->function[i].module : v->function[i].file;

		if (text && *text)
			out->text[n++] = text;
	}
	if (n)
		qsort(out->text, n, sizeof *out->text, by_text);
	for (size_t i = 0; i < n; i++)
		if (!out->n || strcmp(out->text[out->n - 1], out->text[i]) != 0)
			out->text[out->n++] = out->text[i];
	return 0;
}

/* Its number; < 0: none. */
static long number_of(const struct sd_firefox_tables_names *names, const char *text)
{
	const char **const at = text && *text && names->n ? bsearch(&text, names->text, names->n,
								    sizeof *names->text, by_text)
							  : NULL;

	return at ? at - names->text : -1;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int is_shown(const struct sd_viewer_functions *v, unsigned node)
{
	return v->used[node] && v->stacks->node[node].frame < v->stacks->n_frame;
}

static int number_nodes(struct sd_firefox_tables *t)
{
	const struct sd_stacks *const s = t->v->stacks;
	unsigned char *const met = calloc(s->n_frame + 1, sizeof *met);

	t->stack = calloc(s->n_node + 1, sizeof *t->stack);
	t->frame = calloc(s->n_frame + 1, sizeof *t->frame);
	t->shown = calloc(s->n_frame + 1, sizeof *t->shown);
	if (!met || !t->stack || !t->frame || !t->shown) {
		free(met);
		return -ENOMEM;
	}
	for (unsigned i = 1; i < s->n_node; i++)
		if (is_shown(t->v, i)) {
			t->stack[i] = (unsigned)t->n_stack++;
			met[s->node[i].frame] = 1;
		}
	for (unsigned i = 0; i < s->n_frame; i++)
		if (met[i]) {
			t->frame[i] = (unsigned)t->n_frame;
			t->shown[t->n_frame++] = i;
		}
	free(met);
	return 0;
}

/* The innermost node of a stack that is in the table; 0: none. */
static unsigned shown_node(const struct sd_viewer_functions *v, unsigned node)
{
	while (node > 0 && node < v->stacks->n_node && !is_shown(v, node))
		node = v->stacks->node[node].parent < node ? v->stacks->node[node].parent : 0;
	return node < v->stacks->n_node ? node : 0;
}

/* Does what a stack did have a frame of its own, in brackets? */
static int has_end(enum sd_activity a)
{
	return a >= SD_ACTIVITY_COUNT || sd_activity_info[a].group == SD_GROUP_WAITING ||
	       sd_activity_info[a].group == SD_GROUP_SPINNING;
}

static void add_end(struct sd_firefox_tables *t, unsigned node, enum sd_activity activity)
{
	uint64_t *value;

	node = shown_node(t->v, node);
	if (t->failed || !has_end(activity) ||
		sd_key_table_find(&t->by_end, (uint64_t)node + 1, activity))
		return;
	value = sd_key_table_add(&t->by_end, (uint64_t)node + 1, activity);
	if (value)
		*value = t->n_end;
	if (!value || SD_APPEND(t->end, t->n_end, &(struct sd_firefox_tables_end){node, activity}))
		t->failed = -ENOMEM;
}

static void add_lane_ends(struct sd_firefox_tables *t, const struct sd_thread_lanes_thread *lane)
{
	add_end(t, 0, SD_FIREFOX_TABLES_ON_CPU);
	for (size_t i = 0; i < lane->n_span; i++)
		add_end(t, lane->span[i].node, lane->span[i].activity);
	for (size_t i = 0; i < lane->n_sample; i++)
		add_end(t, lane->sample[i].node, lane->sample[i].activity);
}

int sd_firefox_tables_make(struct sd_firefox_tables *t, const struct sd_viewer_functions *v,
	const struct sd_stack_profile *p, const struct sd_thread_lanes *lanes)
{
	*t = (struct sd_firefox_tables){.v = v};
	if (collect(v, 0, &t->file) < 0 || collect(v, 1, &t->module) < 0 || number_nodes(t) < 0)
		return -ENOMEM;
	for (size_t i = 0; p && i < p->n; i++)
		for (size_t k = 0; k < p->point[i].n; k++)
			add_end(t, p->point[i].row[k].node, p->point[i].row[k].activity);
	for (size_t i = 0; lanes && i < lanes->n; i++)
		for (size_t k = 0; k < lanes->run[i].n; k++)
			add_lane_ends(t, &lanes->run[i].thread[k]);
	return t->failed;
}

long sd_firefox_tables_stack(
	const struct sd_firefox_tables *t, unsigned node, enum sd_activity activity)
{
	const uint64_t *at;

	node = shown_node(t->v, node);
	if (!has_end(activity))
		return node ? (long)t->stack[node] : -1;
	at = sd_key_table_find(&t->by_end, (uint64_t)node + 1, activity);
	return at ? (long)(t->n_stack + *at) : -1;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Strings: functions, files, modules, what stands at the ends of stacks, labels; and "". */
static size_t string_of_file(const struct sd_firefox_tables *t, size_t i)
{
	return t->v->n + i;
}

static size_t string_of_module(const struct sd_firefox_tables *t, size_t i)
{
	return t->v->n + t->file.n + i;
}

static size_t string_of_end(const struct sd_firefox_tables *t, enum sd_activity a)
{
	return string_of_module(t, t->module.n) + a;
}

size_t sd_firefox_tables_label(const struct sd_firefox_tables *t, enum sd_activity activity)
{
	return string_of_end(t, SD_FIREFOX_TABLES_ENDS) + activity;
}

static void put_strings(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	char name[128];

	sd_json_stream_open(out, "stringArray", '[');
	for (size_t i = 0; i < t->v->n; i++)
		sd_json_stream_text(out, NULL, t->v->function[i].name);
	for (size_t i = 0; i < t->file.n; i++)
		sd_json_stream_text(out, NULL, t->file.text[i]);
	for (size_t i = 0; i < t->module.n; i++)
		sd_json_stream_text(out, NULL, t->module.text[i]);
	for (int i = 0; i < SD_FIREFOX_TABLES_ENDS; i++) {
		snprintf(name, sizeof name, "[%s]", sd_lane_steps_label((enum sd_activity)i));
		sd_json_stream_text(out, NULL, name);
	}
	for (int i = 0; i < SD_FIREFOX_TABLES_ENDS; i++)
		sd_json_stream_text(out, NULL, sd_lane_steps_label((enum sd_activity)i));
	sd_json_stream_close(out, ']');
}

/* A column of n times the same; takes the reference. */
static void put_same(struct sd_json_stream *out, const char *name, size_t n, json_t *value)
{
	sd_json_stream_open(out, name, '[');
	for (size_t i = 0; i < n; i++)
		sd_json_stream_put(out, NULL, json_incref(value));
	sd_json_stream_close(out, ']');
	json_decref(value);
}

/* < 0: null */
static void put_index(struct sd_json_stream *out, long value)
{
	sd_json_stream_put(out, NULL, value < 0 ? json_null() : json_integer(value));
}

static enum sd_firefox_category category_of_end(enum sd_activity a)
{
	if (a >= SD_ACTIVITY_COUNT)
		return SD_FIREFOX_CATEGORY_OTHER;
	return sd_activity_info[a].group == SD_GROUP_WAITING ? SD_FIREFOX_CATEGORY_WAITING
							     : SD_FIREFOX_CATEGORY_SPINNING;
}

/* Behind the program's functions one for each activity: the same order as that of the strings. */
static void put_functions(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	const size_t n = t->v->n + SD_FIREFOX_TABLES_ENDS;

	sd_json_stream_open(out, "funcTable", '{');
	sd_json_stream_open(out, "name", '[');
	for (size_t i = 0; i < n; i++)
		sd_json_stream_number(out, NULL,
			(double)(i < t->v->n ? i
					     : string_of_end(t, (enum sd_activity)(i - t->v->n))));
	sd_json_stream_close(out, ']');
	put_same(out, "isJS", n, json_false());
	put_same(out, "relevantForJS", n, json_false());
	sd_json_stream_open(out, "resource", '[');
	for (size_t i = 0; i < n; i++)
		sd_json_stream_number(out, NULL,
			i < t->v->n ? (double)number_of(&t->module, t->v->function[i].module) : -1);
	sd_json_stream_close(out, ']');
	sd_json_stream_open(out, "source", '[');
	for (size_t i = 0; i < n; i++)
		put_index(out, i < t->v->n ? number_of(&t->file, t->v->function[i].file) : -1);
	sd_json_stream_close(out, ']');
	put_same(out, "lineNumber", n, json_null());
	put_same(out, "columnNumber", n, json_null());
	sd_json_stream_number(out, "length", (double)n);
	sd_json_stream_close(out, '}');
}

/* Behind the frames of the program one for each activity. */
static void put_frames(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	const struct sd_viewer_functions *const v = t->v;
	const size_t n = t->n_frame + SD_FIREFOX_TABLES_ENDS;

	sd_json_stream_open(out, "frameTable", '{');
	sd_json_stream_open(out, "func", '[');
	for (size_t i = 0; i < n; i++)
		sd_json_stream_number(out, NULL,
			(double)(i < t->n_frame ? v->of[t->shown[i]] : v->n + i - t->n_frame));
	sd_json_stream_close(out, ']');
	sd_json_stream_open(out, "line", '[');
	for (size_t i = 0; i < n; i++) {
		const unsigned line = i < t->n_frame ? v->stacks->frame[t->shown[i]].line : 0;

		put_index(out, line ? (long)line : -1);
	}
	sd_json_stream_close(out, ']');
	sd_json_stream_open(out, "category", '[');
	for (size_t i = 0; i < n; i++)
		sd_json_stream_number(out, NULL,
			i >= t->n_frame ? category_of_end((enum sd_activity)(i - t->n_frame))
			: v->stacks->frame[t->shown[i]].kernel ? SD_FIREFOX_CATEGORY_KERNEL
							       : SD_FIREFOX_CATEGORY_WORK);
	sd_json_stream_close(out, ']');
	put_same(out, "subcategory", n, json_integer(0));
	put_same(out, "address", n, json_integer(-1));
	put_same(out, "inlineDepth", n, json_integer(0));
	put_same(out, "nativeSymbol", n, json_null());
	put_same(out, "innerWindowID", n, json_null());
	put_same(out, "column", n, json_null());
	sd_json_stream_number(out, "length", (double)n);
	sd_json_stream_close(out, '}');
}

/* Parents come before their children in the record, and so they do here. */
static void put_stacks(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	const struct sd_stacks *const s = t->v->stacks;

	sd_json_stream_open(out, "stackTable", '{');
	sd_json_stream_open(out, "frame", '[');
	for (unsigned i = 1; i < s->n_node; i++)
		if (is_shown(t->v, i))
			sd_json_stream_number(out, NULL, t->frame[s->node[i].frame]);
	for (size_t i = 0; i < t->n_end; i++)
		sd_json_stream_number(out, NULL, (double)(t->n_frame + t->end[i].activity));
	sd_json_stream_close(out, ']');
	sd_json_stream_open(out, "prefix", '[');
	for (unsigned i = 1; i < s->n_node; i++)
		if (is_shown(t->v, i)) {
			const unsigned parent =
				shown_node(t->v, s->node[i].parent < i ? s->node[i].parent : 0);

			put_index(out, parent ? (long)t->stack[parent] : -1);
		}
	for (size_t i = 0; i < t->n_end; i++)
		put_index(out, t->end[i].node ? (long)t->stack[t->end[i].node] : -1);
	sd_json_stream_close(out, ']');
	sd_json_stream_number(out, "length", (double)(t->n_stack + t->n_end));
	sd_json_stream_close(out, '}');
}

static void put_resources(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	sd_json_stream_open(out, "resourceTable", '{');
	put_same(out, "type", t->module.n, json_integer(1)); /* a library */
	sd_json_stream_open(out, "lib", '[');
	for (size_t i = 0; i < t->module.n; i++)
		sd_json_stream_number(out, NULL, (double)i);
	sd_json_stream_close(out, ']');
	sd_json_stream_open(out, "name", '[');
	for (size_t i = 0; i < t->module.n; i++)
		sd_json_stream_number(out, NULL, (double)string_of_module(t, i));
	sd_json_stream_close(out, ']');
	put_same(out, "host", t->module.n, json_null());
	sd_json_stream_number(out, "length", (double)t->module.n);
	sd_json_stream_close(out, '}');
}

static void put_sources(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	sd_json_stream_open(out, "sources", '{');
	put_same(out, "id", t->file.n, json_null());
	sd_json_stream_open(out, "filename", '[');
	for (size_t i = 0; i < t->file.n; i++)
		sd_json_stream_number(out, NULL, (double)string_of_file(t, i));
	sd_json_stream_close(out, ']');
	sd_json_stream_number(out, "length", (double)t->file.n);
	sd_json_stream_close(out, '}');
}

static void put_libs(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	sd_json_stream_open(out, "libs", '[');
	for (size_t i = 0; i < t->module.n; i++) {
		const char *const path = t->module.text[i];
		const char *const slash = strrchr(path, '/');
		const char *const name = slash && slash[1] ? slash + 1 : path;

		sd_json_stream_put(out, NULL,
			sd_json("arch", "", "name", name, "path", path, "debugName", name,
				"debugPath", path, "breakpadId", "", "codeId", json_null()));
	}
	sd_json_stream_close(out, ']');
}

void sd_firefox_tables_put(const struct sd_firefox_tables *t, struct sd_json_stream *out)
{
	put_libs(t, out);
	sd_json_stream_open(out, "shared", '{');
	put_strings(t, out);
	put_sources(t, out);
	put_resources(t, out);
	put_functions(t, out);
	put_frames(t, out);
	put_stacks(t, out);
	sd_json_stream_put(out, "nativeSymbols",
		sd_json("libIndex", json_array(), "address", json_array(), "name", json_array(),
			"functionSize", json_array(), "length", 0));
	sd_json_stream_close(out, '}');
}

void sd_firefox_tables_free(struct sd_firefox_tables *t)
{
	free(t->file.text);
	free(t->module.text);
	free(t->stack);
	free(t->frame);
	free(t->shown);
	free(t->end);
	sd_key_table_free(&t->by_end);
	*t = (struct sd_firefox_tables){0};
}
