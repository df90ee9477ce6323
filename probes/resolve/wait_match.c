#include "resolve/wait_match.h"

#include <fnmatch.h>
#include <string.h>

static int fits(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text, 0) == 0;
}

static const char *text_of(const struct sd_stacks *s, unsigned text)
{
	return text < s->n_text ? s->text[text] : "";
}

static int called_by(const struct sd_stacks *s, unsigned node, const char *pattern, int within)
{
	for (int i = 0; i < within && node; i++, node = s->node[node].parent)
		if (fits(pattern, text_of(s, s->frame[s->node[node].frame].function)))
			return 1;
	return 0;
}

static int matches(const struct sd_waitrule *rule, const struct sd_stacks *s, unsigned node)
{
	const struct sd_frame *const f = &s->frame[s->node[node].frame];

	return !rule->kernel == !f->kernel && fits(rule->function, text_of(s, f->function)) &&
	       fits(rule->module, basename(text_of(s, f->module))) &&
	       (!rule->caller || called_by(s, s->node[node].parent, rule->caller, rule->within));
}

/* Does this module act on behalf of its caller, like the C library and message libraries? */
static int serves(const char *module)
{
	static const char *const pattern[] = {"libc.so*", "libc-*.so*", "libpthread*.so*",
		"librt*.so*", "ld-*.so*", "\\[vdso\\]", "\\[vsyscall\\]", "libuc[mpst]*.so*",
		"libuct_*", "libfabric*", "libpsm*", "libibverbs*", "libmlx*", "libopen-*", "mca_*",
		"libpmix*", "libevent*"};

	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
		if (fits(pattern[i], module))
			return 1;
	return 0;
}

/*
 * Does the search end at this user frame? It does on leaving the module the thread is in: a barrier
 * or region that called the program's code is not what spins or waits in that code.
 */
static int leaves(const struct sd_stacks *s, unsigned node, const char **inner)
{
	const struct sd_frame *const f = &s->frame[s->node[node].frame];
	const char *const module = basename(text_of(s, f->module));

	if (f->kernel || (!*inner && serves(module)))
		return 0;
	if (!*inner)
		*inner = module;
	return strcmp(*inner, module) != 0 && !serves(module);
}

/* One round over the stack with the rules that are so. */
static enum sd_activity search(const struct sd_wait_rules *r, const struct sd_stacks *s,
	unsigned node, int blocked, int first, int weak)
{
	const char *inner = NULL;
	int user = 0;

	for (; node && user < SD_WAIT_RULES_NEAR; node = s->node[node].parent) {
		const struct sd_frame *const f = &s->frame[s->node[node].frame];

		/* inlined ones among them, there are many of the C library below one call */
		user += !f->kernel && !serves(basename(text_of(s, f->module)));
		if (leaves(s, node, &inner))
			break;
		for (size_t i = 0; i < r->n; i++) {
			const struct sd_waitrule *const rule = &r->rule[i];
			const enum sd_activity says = blocked ? rule->blocked : rule->running;

			if (says != SD_ACTIVITY_COUNT && !rule->first == !first &&
				!rule->weak == !weak && matches(rule, s, node))
				return says;
		}
	}
	return SD_ACTIVITY_COUNT;
}

/*
 * Kernel time on behalf of threads that wait for each other is the price of that waiting: of a
 * contended lock, or of work so fine-grained that waking a thread takes as long.
 */
static enum sd_activity kernel_for(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node, enum sd_activity a)
{
	enum sd_activity wait;

	if (a != SD_ACTIVITY_KERNEL_FUTEX && a != SD_ACTIVITY_KERNEL_SCHEDULER &&
		a != SD_ACTIVITY_KERNEL_OTHER)
		return a;
	while (node && s->frame[s->node[node].frame].kernel)
		node = s->node[node].parent;
	wait = search(r, s, node, 1, 1, 0);
	if (wait == SD_ACTIVITY_COUNT)
		wait = search(r, s, node, 1, 0, 0);
	if (wait == SD_ACTIVITY_COUNT || sd_activity_info[wait].kernel == SD_ACTIVITY_USEFUL)
		return a;
	return sd_activity_info[wait].kernel;
}

/* Kernel time counts as the kernel's, whoever called it; that of a loop that does nothing but ask
 * again is the loop's. */
static enum sd_activity in_kernel(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node, enum sd_activity a)
{
	const enum sd_activity_group group =
		a == SD_ACTIVITY_COUNT ? SD_GROUP_RUNNING : sd_activity_info[a].group;
	const enum sd_activity is =
		kernel_for(r, s, node, group == SD_GROUP_KERNEL ? a : SD_ACTIVITY_KERNEL_OTHER);

	return is == SD_ACTIVITY_KERNEL_OTHER && group == SD_GROUP_SPINNING
		       ? SD_ACTIVITY_KERNEL_YIELD
		       : is;
}

enum sd_activity sd_wait_match_activity(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node, int blocked)
{
	const int kernel = node && s->frame[s->node[node].frame].kernel;
	enum sd_activity a = search(r, s, node, blocked, 1, 0);

	if (a == SD_ACTIVITY_COUNT)
		a = search(r, s, node, blocked, 0, 0);
	if (a == SD_ACTIVITY_COUNT)
		a = search(r, s, node, blocked, 1, 1);
	if (a == SD_ACTIVITY_COUNT)
		a = search(r, s, node, blocked, 0, 1);
	if (blocked)
		return a == SD_ACTIVITY_COUNT ? SD_ACTIVITY_UNKNOWN : a;
	if (kernel)
		return in_kernel(r, s, node, a);
	return a == SD_ACTIVITY_COUNT ? SD_ACTIVITY_USEFUL : a;
}

enum sd_wait_match_enters sd_wait_match_enters_at(
	const struct sd_wait_rules *r, const struct sd_stacks *s, unsigned node)
{
	for (size_t i = 0; node && i < r->n; i++)
		if ((r->rule[i].switches || r->rule[i].interprets) && matches(&r->rule[i], s, node))
			return r->rule[i].switches ? SD_WAIT_MATCH_SCHEDULER
						   : SD_WAIT_MATCH_INTERPRETER;
	return SD_WAIT_MATCH_NOTHING;
}
