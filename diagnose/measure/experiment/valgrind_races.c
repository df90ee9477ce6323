#include "experiment/valgrind_races.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

enum { TEXT = 512, STACKS = 2 };

struct frame {
	char function[TEXT], object[TEXT], file[256];
	unsigned line;
	uint64_t address;
};

struct reader {
	const char *p, *end;
	struct sd_stacks *stacks;
	struct sd_experiment_run *out;
	/* of the error that is being read */
	int is_race;
	unsigned n_stack;
	struct frame frame[STACKS][SD_RACE_DEPTH];
	size_t n_frame[STACKS];
	struct sd_race race;
	char name[TEXT];
	int rc;
};

/* The text up to the next tag, with the five entities of XML replaced. */
static void take_text(const char *p, size_t n, char *out, size_t size)
{
	static const struct {
		const char *name;
		char is;
	} entities[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	size_t k = 0;

	for (size_t i = 0; i < n && k + 1 < size;) {
		size_t e = 0, length = 0;

		for (; p[i] == '&' && e < sizeof entities / sizeof *entities; e++) {
			length = strlen(entities[e].name);
			if (n - i >= length && memcmp(p + i, entities[e].name, length) == 0)
				break;
		}
		if (p[i] == '&' && e < sizeof entities / sizeof *entities) {
			out[k++] = entities[e].is;
			i += length;
		} else {
			out[k++] = p[i++];
		}
	}
	out[k] = '\0';
}

/* "Possible data race during read of size 8 at 0x10C050 by thread #1" */
static void take_access(struct reader *r, const char *text, unsigned which)
{
	const char *const size = strstr(text, " of size "), *const at = strstr(text, " at 0x");

	if (which && !strstr(text, "conflicts with"))
		return;
	r->race.write[which] = strstr(text, "write of size") != NULL;
	if (which)
		return;
	if (size)
		r->race.bytes = (unsigned)(strtoul(size + 9, NULL, 10) & 0xffff);
	if (at)
		r->race.address = strtoull(at + 4, NULL, 16);
}

/* "Address 0x10c050 is 4 bytes inside data symbol "counter"", or "inside a block of size 64
 * alloc'd" */
static void take_name(struct reader *r, const char *text)
{
	const char *const is = strstr(text, " is "), *const symbol = strstr(text, "data symbol \"");
	const char *const block = strstr(text, "a block of size ");
	const unsigned long offset = is ? strtoul(is + 4, NULL, 10) : 0;

	if (r->name[0])
		return;
	if (symbol) {
		const size_t n = strcspn(symbol + 13, "\"");

		snprintf(r->name, sizeof r->name, "%.*s", (int)(n < 400 ? n : 400), symbol + 13);
		if (offset)
			snprintf(r->name + strlen(r->name), sizeof r->name - strlen(r->name),
				"+%#lx", offset);
	} else if (block) {
		snprintf(r->name, sizeof r->name, "byte %lu of an allocation of %lu", offset,
			strtoul(block + 16, NULL, 10));
	}
}

static struct frame *last_frame(struct reader *r)
{
	const unsigned s = r->n_stack - 1;

	return r->n_stack && r->n_stack <= STACKS && r->n_frame[s] ? &r->frame[s][r->n_frame[s] - 1]
								   : NULL;
}

/* A stack's node; Valgrind's own frames are left out. */
static int make_stack(struct reader *r, unsigned which, unsigned *out)
{
	int rc = 0;

	*out = 0;
	for (size_t i = r->n_frame[which]; i-- > 0 && rc == 0;) {
		const struct frame *const f = &r->frame[which][i];
		struct sd_frame to = {.line = f->line};
		unsigned place = 0;

		if (strstr(f->object, "vgpreload_"))
			continue;
		to.offset = f->function[0] ? 0 : f->address;
		rc = sd_stacks_text(r->stacks, f->function, &to.function);
		rc = rc ? rc : sd_stacks_text(r->stacks, f->file, &to.file);
		rc = rc ? rc : sd_stacks_text(r->stacks, f->object, &to.module);
		rc = rc ? rc : sd_stacks_frame(r->stacks, &to, &place);
		rc = rc ? rc : sd_stacks_node(r->stacks, *out, place, out);
	}
	return rc == -ENOSPC ? 0 : rc;
}

static void begin_error(struct reader *r)
{
	r->is_race = 0;
	r->n_stack = 0;
	memset(r->n_frame, 0, sizeof r->n_frame);
	r->race = (struct sd_race){.bytes = 0};
	r->name[0] = '\0';
}

static int end_error(struct reader *r)
{
	int rc;

	if (!r->is_race)
		return 0;
	r->out->n_race_seen++;
	if (r->out->n_race == SD_RACES)
		return 0;
	rc = make_stack(r, 0, &r->race.node[0]);
	rc = rc ? rc : make_stack(r, 1, &r->race.node[1]);
	rc = rc ? rc : sd_stacks_text(r->stacks, r->name, &r->race.name);
	if (rc && rc != -ENOSPC)
		return rc;
	return SD_APPEND(r->out->race, r->out->n_race, &r->race);
}

static void take_frame_text(struct frame *f, const char *tag, const char *text)
{
	if (strcmp(tag, "fn") == 0)
		snprintf(f->function, sizeof f->function, "%s", text);
	else if (strcmp(tag, "obj") == 0)
		snprintf(f->object, sizeof f->object, "%s", text);
	else if (strcmp(tag, "file") == 0)
		snprintf(f->file, sizeof f->file, "%.255s", text);
	else if (strcmp(tag, "line") == 0)
		f->line = (unsigned)(strtoul(text, NULL, 10) & 0xffffff);
	else if (strcmp(tag, "ip") == 0)
		f->address = strtoull(text, NULL, 16);
}

static void begin_frame(struct reader *r)
{
	const unsigned s = r->n_stack - 1;

	if (r->n_stack == 0 || r->n_stack > STACKS || r->n_frame[s] == SD_RACE_DEPTH)
		return;
	r->frame[s][r->n_frame[s]++] = (struct frame){.line = 0};
}

/* Takes the text between this tag and the next. */
static int take_tag(struct reader *r, const char *tag, const char *p, size_t n)
{
	char text[TEXT];
	struct frame *f;

	if (strcmp(tag, "error") == 0)
		begin_error(r);
	else if (strcmp(tag, "/error") == 0)
		return end_error(r);
	else if (strcmp(tag, "stack") == 0)
		r->n_stack++;
	else if (strcmp(tag, "frame") == 0)
		begin_frame(r);
	if (tag[0] == '/')
		return 0;
	take_text(p, n, text, sizeof text);
	if (strcmp(tag, "kind") == 0)
		r->is_race = strcmp(text, "Race") == 0;
	else if (strcmp(tag, "text") == 0)
		take_access(r, text, r->n_stack > 0);
	else if (strcmp(tag, "auxwhat") == 0)
		take_name(r, text);
	f = last_frame(r);
	if (f)
		take_frame_text(f, tag, text);
	return 0;
}

int sd_valgrind_races_add(
	const char *text, size_t size, struct sd_stacks *stacks, struct sd_experiment_run *out)
{
	struct reader *const r = calloc(1, sizeof *r);
	int rc = 0;

	if (!r)
		return -ENOMEM;
	if (!memmem(text, size, "<valgrindoutput>", 16))
		rc = -EINVAL;
	*r = (struct reader){.p = text, .end = text + size, .stacks = stacks, .out = out};
	while (rc == 0 && r->p < r->end) {
		const char *const open = memchr(r->p, '<', (size_t)(r->end - r->p));
		const char *const close = open ? memchr(open, '>', (size_t)(r->end - open)) : NULL;
		const char *const next =
			close ? memchr(close, '<', (size_t)(r->end - close)) : NULL;
		char tag[24];

		if (!close)
			break;
		take_text(open + 1, (size_t)(close - open - 1), tag, sizeof tag);
		rc = take_tag(r, tag, close + 1, (size_t)((next ? next : r->end) - close - 1));
		r->p = next ? next : r->end;
	}
	free(r);
	return rc;
}
