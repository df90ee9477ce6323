#include "trial/heap_question.h"

#include <stdio.h>
#include <string.h>

#define MATTERS .01 /* of the user time */
#define ALLOCATES \
	.02 /* of it is the allocator's: malloc and free take 30 ns, not 20, with the library */
#define ASKED_MOST 2

static const char *text(const struct sd_record *r, unsigned number)
{
	return number && number < r->stacks.n_text && r->stacks.text[number]
		       ? r->stacks.text[number]
		       : "";
}

/* Lines that are in no file's memory, and whose allocation site would tell what they are. */
static int is_open(
	const struct sd_record *r, const struct sd_native_lines *n, const struct sd_native_line *l)
{
	const char *const name = text(r, l->line.name);

	return !l->line.site && !l->shared &&
	       l->contested + l->maybe + l->spun >= MATTERS * n->seconds &&
	       (!*name || strncmp(name, "[heap]", 6) == 0 || strncmp(name, "anonymous ", 10) == 0);
}

/* By its name without arguments: "malloc", "_int_free", "operator new(unsigned long)". */
static int allocates(const char *name)
{
	char own[32];

	snprintf(own, sizeof own, "%.*s", (int)strcspn(name, "<("), name);
	/* not what belongs to a container, or to Rust's crate alloc */
	return (!strstr(own, "::") && (strstr(own, "alloc") || strstr(own, "free"))) ||
	       strncmp(own, "operator new", 12) == 0;
}

static int allocates_much(const struct sd_record *r, const struct sd_native_lines *n)
{
	double s = 0;

	for (size_t i = 0; i < n->n_loop; i++) {
		const unsigned node = n->loop[i].node;
		const char *const name =
			node && node < r->stacks.n_node
				? text(r, r->stacks.frame[r->stacks.node[node].frame].function)
				: "";

		s += allocates(name) ? n->loop[i].seconds : 0;
	}
	return s > ALLOCATES * n->seconds;
}

static int asks(const struct sd_record *r, const struct sd_native_lines *n)
{
	int open = 0;

	for (size_t i = 0; i < n->n_line; i++)
		open |= is_open(r, n, &n->line[i]);
	return open && !allocates_much(r, n);
}

int sd_heap_question_is_due(const struct sd_record *r, const struct sd_run *run)
{
	unsigned asked = 0;
	int due = 0;

	if (run->kind > SD_RUN_DRIFT)
		return 0;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_native_lines *const n = r->run[i].native;

		if (!n || n->status != SD_STATUS_OK || r->run[i].point != run->point)
			continue;
		asked += n->heap_asked != 0;
		due |= asks(r, n);
		for (size_t k = 0; k < n->n_line; k++)
			if (n->line[k].line.site)
				return 0; /* it is known */
	}
	return due && asked < ASKED_MOST;
}
