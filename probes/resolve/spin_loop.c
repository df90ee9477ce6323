#include "resolve/spin_loop.h"

#include <stdint.h>
#include <string.h>

/* Properties of all instructions of a loop. */
struct loop {
	unsigned seen[SD_INSN_DECODE_BRANCH + 1];
	uint32_t writes, addresses;
};

/*
 * Does a round of the loop of `n` bytes use register values of the previous round? A list traversal
 * takes its address from there, a computation its value; neither is waiting. Registers loaded in
 * the same round from constant addresses do not count.
 */
static int goes_on(enum sd_insn_decode_machine machine, const unsigned char *code, size_t n,
	const struct loop *l)
{
	uint32_t fresh = 0;

	for (size_t at = 0; at < n;) {
		const struct sd_insn_decode i = sd_insn_decode_at(machine, code + at, n - at);
		const uint32_t old = l->writes & ~fresh;
		const long to = (long)at + i.target;

		if ((i.addresses & old) || (i.kind == SD_INSN_DECODE_DERIVE && (i.reads & old)))
			return 1;
		/* a load that may be skipped does not count */
		if (i.kind == SD_INSN_DECODE_BRANCH && to > (long)at && to < (long)n &&
			(l->writes & l->addresses))
			return 1;
		if (i.reads & old)
			fresh &= ~i.writes;
		else
			fresh |= i.writes;
		at += i.length;
	}
	return 0;
}

/* Does the code from `begin` on come back there, after ip, and can only another thread end that? A
 * branch back on a condition may also leave the loop. */
static int spins_from(
	enum sd_insn_decode_machine machine, const unsigned char *code, long n, long ip, long begin)
{
	struct loop loop = {.writes = 0};

	for (long at = begin; at < n;) {
		const struct sd_insn_decode i =
			sd_insn_decode_at(machine, code + at, (size_t)(n - at));
		const long to = at + i.target;
		const int back = i.kind == SD_INSN_DECODE_BRANCH && at >= ip && to >= 0 &&
				 to <= begin && to > ip - SD_SPIN_LOOP_BYTES;

		if (i.kind == SD_INSN_DECODE_UNKNOWN || i.length == 0)
			return 0;
		loop.seen[i.kind]++;
		loop.writes |= i.writes;
		loop.addresses |= i.addresses;
		if (back && to == begin && !loop.seen[SD_INSN_DECODE_COUNT] &&
			!loop.seen[SD_INSN_DECODE_EXCHANGE] && loop.seen[SD_INSN_DECODE_LOAD] &&
			!goes_on(machine, code + begin, (size_t)(at - begin), &loop))
			return 1;
		/* from ip on, then from where its branch goes */
		if (back && to < begin && begin == ip && spins_from(machine, code, n, ip, to))
			return 1;
		if (i.always && at >= ip && to <= begin)
			return 0;
		at += (long)i.length;
	}
	return 0;
}

/* ---- rounds that have a pause or an exchange ------------------------------------------------ */

struct ways {
	enum sd_insn_decode_machine machine;
	const unsigned char *code;
	long n, ip;
	long before[SD_SPIN_LOOP_WINDOW];        /* predecessor on the shortest path; -1 none */
	unsigned char back[SD_SPIN_LOOP_WINDOW]; /* a path leads from it back to ip */
};

static struct sd_insn_decode instruction(const struct ways *w, long at)
{
	return sd_insn_decode_at(w->machine, w->code + at, (size_t)(w->n - at));
}

/* The visible instructions that may follow; returns how many. An unknown instruction has none: it
 * is the exit of a wait loop, or work. */
static int next_of(const struct ways *w, long at, long next[2])
{
	const struct sd_insn_decode i = instruction(w, at);
	const long to[2] = {at + (long)i.length, at + i.target};
	const int is_branch = i.kind == SD_INSN_DECODE_BRANCH;
	int n = 0;

	for (int k = 0; k < 2; k++)
		if (i.kind != SD_INSN_DECODE_UNKNOWN && i.length > 0 &&
			(k == 0 ? !is_branch || !i.always : is_branch) && to[k] >= 0 &&
			to[k] < w->n)
			next[n++] = to[k];
	return n;
}

/* Finds all instructions reachable from ip, by shortest paths. Returns the last one on the shortest
 * path back to ip, or -1. */
static long find_round(struct ways *w)
{
	long queue[SD_SPIN_LOOP_WINDOW], next[2], found = -1;
	size_t first = 0, last = 0;

	for (long i = 0; i < SD_SPIN_LOOP_WINDOW; i++)
		w->before[i] = -1;
	queue[last++] = w->ip;
	while (first < last) {
		const long at = queue[first++];

		for (int k = next_of(w, at, next); k-- > 0;) {
			if (next[k] == w->ip && found < 0)
				found = at;
			if (next[k] == w->ip || w->before[next[k]] >= 0)
				continue;
			w->before[next[k]] = at;
			queue[last++] = next[k];
		}
	}
	return found;
}

/* Marks the reachable instructions with a path back to ip. */
static void find_backs(struct ways *w)
{
	int more = 1;

	memset(w->back, 0, sizeof w->back);
	w->back[w->ip] = 1;
	while (more) {
		more = 0;
		for (long at = 0; at < w->n; at++) {
			long next[2];
			const int n = w->before[at] >= 0 && !w->back[at] ? next_of(w, at, next) : 0;

			for (int k = 0; k < n && !w->back[at]; k++)
				more |= w->back[at] = w->back[next[k]];
		}
	}
}

/* Does the round exchange a value it loaded itself, such as a list's next pointer for its head? */
static int exchanges_loaded(const struct ways *w, const long *round, size_t n)
{
	uint32_t loaded = 0;

	for (size_t i = 0; i < 2 * n; i++) { /* the second pass uses registers left by the first */
		const struct sd_insn_decode at = instruction(w, round[i % n]);

		if (at.kind == SD_INSN_DECODE_EXCHANGE && (at.reads & loaded))
			return 1;
		loaded = at.kind == SD_INSN_DECODE_LOAD ? loaded | at.writes : loaded & ~at.writes;
	}
	return 0;
}

/* Such a round waits, unless what it exchanges is made anew each time: that is work,
 * tried again. */
static int spins_around(struct ways *w)
{
	unsigned seen[SD_INSN_DECODE_BRANCH + 1] = {0};
	long round[SD_SPIN_LOOP_WINDOW];
	size_t n = 0;

	for (long at = find_round(w); at >= 0; at = w->before[at])
		n++;
	for (long at = find_round(w), k = (long)n; at >= 0; at = w->before[at]) {
		round[--k] = at;
		seen[instruction(w, at).kind]++;
	}
	return seen[SD_INSN_DECODE_PAUSE] ||
	       (seen[SD_INSN_DECODE_EXCHANGE] && !seen[SD_INSN_DECODE_COUNT] &&
		       !seen[SD_INSN_DECODE_DERIVE] && !exchanges_loaded(w, round, n));
}

/* ---- does it wait for a lock? --------------------------------------------------------------- */

#define TESTS 2 /* instructions from an exchange to the branch that its result decides */

/* Does the result of the exchange at `at` decide whether the loop continues? A sequentially
 * consistent store is also an exchange, but its result is unused. */
static int decides(const struct ways *w, long at)
{
	long next[2];
	int n = next_of(w, at, next);

	for (int k = 0; k < TESTS && n == 1; k++) {
		if (instruction(w, next[0]).kind != SD_INSN_DECODE_PLAIN)
			break;
		n = next_of(w, next[0], next);
	}
	if (n != 1 || instruction(w, next[0]).kind != SD_INSN_DECODE_BRANCH)
		return 0;
	return w->back[next[0]] && !instruction(w, next[0]).always;
}

static int takes(struct ways *w)
{
	(void)find_round(w);
	find_backs(w);
	for (long at = 0; at < w->n; at++)
		if (w->back[at] && instruction(w, at).kind == SD_INSN_DECODE_EXCHANGE &&
			decides(w, at))
			return 1;
	return 0;
}

enum sd_spin_loop sd_spin_loop(
	enum sd_insn_decode_machine machine, const unsigned char *code, size_t n, size_t ip)
{
	struct ways w = {.machine = machine, .code = code, .n = (long)n, .ip = (long)ip};

	if (machine == SD_INSN_DECODE_OTHER || ip >= n || n > SD_SPIN_LOOP_WINDOW)
		return SD_SPIN_LOOP_NONE;
	if (!spins_around(&w) && !spins_from(machine, code, (long)n, (long)ip, (long)ip))
		return SD_SPIN_LOOP_NONE;
	return takes(&w) ? SD_SPIN_LOOP_TAKES : SD_SPIN_LOOP_WAITS;
}
