/*
 * From what an event holds to a stack of the record and what the thread did there: unwinding, names
 * and rules, each asked once for what comes again.
 */
#ifndef SD_STACK_RESOLVE_H
#define SD_STACK_RESOLVE_H

#include "resolve/goroutines.h"
#include "record/stacks.h"
#include "symbols/symbols.h"
#include "resolve/wait_rules.h"

struct sd_stack_resolve_memo;
struct sd_stack_resolve_code;

struct sd_stack_resolve {
	struct sd_symbols *symbols;         /* borrowed */
	struct sd_stacks *stacks;           /* borrowed */
	struct sd_goroutines *goroutines;   /* borrowed; NULL: none were looked at */
	struct sd_wait_rules rules;         /* owned */
	unsigned too_many;                  /* the node of what no longer fits into the stacks */
	struct sd_stack_resolve_memo *memo; /* owned hash table of unwound stacks */
	struct sd_stack_resolve_code *code; /* owned hash table of what stands at addresses */
	struct {
		int pid;
		unsigned age;
	} * space; /* owned hash table: how often a process's address space has changed */
	unsigned char *running, *blocked; /* owned; by node: activity + 1, 0 not asked yet */
	unsigned char *switches;          /* owned; by node: its frame does + 1, 0 not asked yet */
	size_t room;
	uint64_t asked, whole; /* stacks, and those that reach their outermost frame */
};

/* 0; -ENOMEM; -EINVAL the rules are broken (said). `configs` as in configs.h. */
int sd_stack_resolve_open(struct sd_stack_resolve *p, struct sd_symbols *symbols,
	struct sd_stacks *stacks, const char *configs, const struct sd_sink *sink);

/* Before another run's events: what is known of processes is forgotten, what is known of stacks and
 * rules stays. */
void sd_stack_resolve_again(struct sd_stack_resolve *p);

/* To be told of every event, in order. 0 or -ENOMEM. */
int sd_stack_resolve_event(struct sd_stack_resolve *p, const struct sd_event *e);

/* The stack of a sample or a switch; 0: none. */
unsigned sd_stack_resolve_node(struct sd_stack_resolve *p, const struct sd_event *e);

/* The stack without the kernel's frames. */
unsigned sd_stack_resolve_user(const struct sd_stack_resolve *p, unsigned node);

/* The stack of the task that a runtime's scheduler left: where the scheduler is on the stack, what
 * is further out. 0: none is on it, or the task is not known. */
unsigned sd_stack_resolve_task(struct sd_stack_resolve *p, unsigned node);

/* What a thread there waits for, or does. */
enum sd_activity sd_stack_resolve_activity(struct sd_stack_resolve *p, unsigned node, int blocked);

/* The user's side of an event; 0 when it is not there. */
uint64_t sd_stack_resolve_ip(const struct sd_event *e);
uint64_t sd_stack_resolve_sp(const struct sd_event *e);

/* Argument i of the system call that a thread waits in: of a futex its place, the operation and the
 * value that it was to have. 0 when it is not there. */
#define SD_STACK_RESOLVE_ARGUMENTS 3
uint64_t sd_stack_resolve_argument(const struct sd_event *e, unsigned i);

void sd_stack_resolve_close(struct sd_stack_resolve *p); /* accepts the zeroed value */

#endif
