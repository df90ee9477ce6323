#include "analysis/code_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *sd_code_place_region(const char *function, size_t *length)
{
	const char *const open = strrchr(function, '[');
	const size_t n = open ? strcspn(open + 1, "[]") : 0;

	if (!n || open[n + 1] != ']' || open[n + 2] || !memchr(open + 1, ':', n) ||
		!(strstr(function, "._omp_fn.") || strstr(function, ".omp_outlined")))
		return NULL;
	*length = n;
	return open + 1;
}

void sd_code_place_within(
	const char *region, size_t length, const char *file, unsigned line, char *out, size_t size)
{
	char at[320];
	const int n = snprintf(at, sizeof at, "%.300s:%u", file, line);
	const size_t own_file = strcspn(region, ":") + 1;

	if (!line || (n == (int)length && strncmp(at, region, length) == 0))
		snprintf(out, size, "%s", "");
	else if (strncmp(at, region, own_file) == 0)
		snprintf(out, size, ", line %u", line);
	else
		snprintf(out, size, ", %s", at);
}

/* A name of C++ has its parameters. */
static const char *called(const char *function)
{
	static const char *const end[] = {")", ") const"};
	const size_t n = strlen(function);

	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		if (n > strlen(end[i]) && strcmp(function + n - strlen(end[i]), end[i]) == 0)
			return "";
	return "()";
}

/* The name in CPython's "py::Model.step:/srv/app.py", *length bytes; any other as it is. */
static const char *bare_name(const char *function, size_t *length)
{
	const char *const file = strrchr(function, ':');

	*length = strlen(function);
	if (strncmp(function, "py::", 4) != 0 || file < function + 4)
		return function;
	*length = (size_t)(file - function) - 4;
	return function + 4;
}

void sd_code_place_text(const struct sd_stacks *s, unsigned node, char *out, size_t size)
{
	const struct sd_frame *f;
	const char *file, *function, *region, *name;
	char within[400];
	size_t n = 0;

	if (!node || node >= s->n_node || s->node[node].frame >= s->n_frame) {
		snprintf(out, size, "unknown code");
		return;
	}
	f = &s->frame[s->node[node].frame];
	file = f->file < s->n_text ? base_name(s->text[f->file]) : "";
	function = f->function && f->function < s->n_text ? s->text[f->function] : NULL;
	region = function ? sd_code_place_region(function, &n) : NULL;
	if (region) {
		sd_code_place_within(region, n, file, f->line, within, sizeof within);
		snprintf(out, size, "parallel region at %.*s%s", (int)n, region, within);
	} else if (function && f->line) {
		name = bare_name(function, &n);
		snprintf(out, size, "%.*s%s %.150s:%u", n < 300 ? (int)n : 300, name,
			name > function && *name == '<' ? "" : called(function), file, f->line);
	} else if (function) {
		snprintf(out, size, "%.300s%s", function, called(function));
	} else {
		snprintf(out, size, "%.300s+0x%" PRIx64,
			f->module < s->n_text ? base_name(s->text[f->module]) : "", f->offset);
	}
}

/* Is this main()? Its callers are the C library's. */
static int is_main(const struct sd_stacks *s, unsigned node)
{
	const unsigned frame = s->node[node].frame;
	const unsigned function = frame < s->n_frame ? s->frame[frame].function : 0;

	return function && function < s->n_text && strcmp(s->text[function], "main") == 0;
}

void sd_code_place_callers(
	const struct sd_stacks *s, unsigned node, unsigned most, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; node && node < s->n_node && i < most && used < size; i++) {
		char place[512];

		sd_code_place_text(s, node, place, sizeof place);
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " <- " : "", place);
		node = is_main(s, node) ? 0 : s->node[node].parent;
	}
}

int sd_code_place_collects(const char *function)
{
	static const char *const part[] = {"GenCollectedHeap", "SerialHeap", "DefNewGeneration",
		"MarkSweep", "SerialMark", "Scavenger", "MarkCompact", "gc_collect_", "runtime.gc",
		"runtime.bgsweep", "runtime.sweepone", "GC_mark_from", "GC_stopped_mark"};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (strstr(function, part[i]))
			return 1;
	return 0;
}

int sd_code_place_in_collector(const struct sd_stacks *s, unsigned node)
{
	while (node > 0 && node < s->n_node) {
		const struct sd_node *const n = &s->node[node];
		const struct sd_frame *const f = n->frame < s->n_frame ? &s->frame[n->frame] : NULL;

		if (f && sd_code_place_collects(sd_stacks_text_at(s, f->function)))
			return 1;
		node = n->parent < node ? n->parent : 0;
	}
	return 0;
}
