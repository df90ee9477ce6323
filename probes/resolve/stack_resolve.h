/*
 * Resolves an event to a stack of the record and to what the thread did there. Results of
 * unwinding, naming and rules are cached.
 */
#ifndef SD_STACK_RESOLVE_H
#define SD_STACK_RESOLVE_H

#include "record/stacks.h"
#include "resolve/stack_depth.h"
#include "resolve/stack_starts.h"
#include "symbols/symbols.h"
#include "resolve/wait_rules.h"

struct sd_runtime_frames;
struct sd_stack_resolve_memo;
struct sd_stack_resolve_code;

struct sd_stack_resolve {
	struct sd_symbols *symbols;         /* borrowed */
	struct sd_stacks *stacks;           /* borrowed */
	struct sd_runtime_frames *runtimes; /* borrowed; NULL: none were looked at */
	struct sd_wait_rules rules;         /* owned */
	unsigned too_many;                  /* node for stacks that no longer fit */
	struct sd_stack_resolve_memo *memo; /* owned, unwound stacks; the first n_memo are used */
	unsigned *slot, n_memo;             /* owned hash table of them, index + 1; 0 none */
	struct sd_stack_resolve_code *code; /* owned hash table of code at addresses */
	struct {
		int pid;
		unsigned age;
	} * space; /* owned hash table: how often a process's address space has changed */
	unsigned char *running, *blocked; /* owned; by node: activity + 1, 0 not determined yet */
	unsigned char
		*enters; /* owned; by node: enum sd_wait_match_enters + 1, 0 not determined yet */
	size_t room;
	uint64_t asked, whole; /* stacks, and those reaching their outermost frame */
	uint64_t samples, cut; /* stacks of samples, and those whose copy ends before it */
	uint64_t all_cut;      /* of all stacks */
	uint64_t pointed;      /* stacks with callers by frame pointers, behind the copy */
	struct sd_stack_starts starts;
	int is_gauge; /* tells what smaller copies would show: */
	struct sd_stack_depth depth;
};

/* 0; -ENOMEM; -EINVAL with a message: the rules are broken. `configs` as in configs.h. */
int sd_stack_resolve_open(struct sd_stack_resolve *p, struct sd_symbols *symbols,
	struct sd_stacks *stacks, const char *configs, const struct sd_sink *sink);

/* Call before the events of another run: forgets processes, keeps stacks and rules. */
void sd_stack_resolve_again(struct sd_stack_resolve *p);

/* Must see every event, in order. 0 or -ENOMEM. */
int sd_stack_resolve_event(struct sd_stack_resolve *p, const struct sd_event *e);

/* The stack of a sample or a switch; 0: none. */
unsigned sd_stack_resolve_node(struct sd_stack_resolve *p, const struct sd_event *e);

/* The stack without the kernel's frames. */
unsigned sd_stack_resolve_user(const struct sd_stack_resolve *p, unsigned node);

void sd_stack_resolve_close(struct sd_stack_resolve *p); /* accepts the zeroed value */

#endif
