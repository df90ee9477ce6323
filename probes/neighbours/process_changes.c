#include "neighbours/process_changes.h"

#include <string.h>

#define GENERATIONS 64 /* between a process and its forebear */

/* The process of this pid, whichever it is. */
static const struct sd_looked_process *of_pid(const struct sd_process_look *l, int pid)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (l->process[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->n && l->process[low].pid == pid ? &l->process[low] : NULL;
}

static int is_below(const struct sd_process_look *l, const struct sd_looked_process *p, int self)
{
	for (int i = 0; p && i < GENERATIONS; i++) {
		if (p->pid == self)
			return 1;
		p = of_pid(l, p->ppid);
	}
	return 0;
}

/* Is its time in the parent's count of ended children now, and was not at the first look? It is
 * gone then, and so are all between the two. One whose own parent was gone first is init's. */
static int ended_below(const struct sd_process_look *before, const struct sd_process_look *now,
	const struct sd_looked_process *p, const struct sd_looked_process *parent)
{
	for (int i = 0; p && i < GENERATIONS; i++) {
		if (sd_process_look_find(now, p->pid, p->start))
			return 0;
		if (p->ppid == parent->pid || (i > 0 && parent->pid == 1))
			return 1;
		p = of_pid(before, p->ppid);
	}
	return 0;
}

/* Clock ticks that those had used before the first look. */
static uint64_t used_before(const struct sd_process_look *before, const struct sd_process_look *now,
	const struct sd_looked_process *parent)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < before->n; i++) {
		const struct sd_looked_process *const p = &before->process[i];

		if (ended_below(before, now, p, parent))
			sum += p->own + p->children;
	}
	return sum;
}

static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct sd_neighbour change_of(const struct sd_process_look *before,
	const struct sd_process_look *now, const struct sd_looked_process *p, double tick)
{
	static const struct sd_looked_process fresh;
	const struct sd_looked_process *const was = sd_process_look_find(before, p->pid, p->start);
	const struct sd_looked_process *const from = was ? was : &fresh;
	const uint64_t own = more(p->own, from->own), ended = more(p->children, from->children);
	const uint64_t children = ended ? more(ended, used_before(before, now, p)) : 0;
	const double s = now->at - before->at;
	struct sd_neighbour out = {.pid = p->pid,
		.cpu = SD_OK((double)(own + children) * tick / s),
		.disk = SD_NOT(DENIED),
		.memory = SD_NOT(ABSENT)};

	memcpy(out.name, p->comm, sizeof out.name);
	if (p->has_disk)
		out.disk = SD_OK(
			(double)more(p->disk, was && !was->has_disk ? p->disk : from->disk) / s);
	else if (p->kernel)
		out.disk = SD_NOT(ABSENT);
	out.facts = (p->real_time ? SD_NEIGHBOUR_REAL_TIME : 0u) |
		    (p->kernel ? SD_NEIGHBOUR_KERNEL : 0u) |
		    (children > own ? SD_NEIGHBOUR_CHILDREN : 0u);
	return out;
}

/* Disk traffic is compared as the share of a core that a copy through memory of so much takes. */
#define BYTES_A_CORE 1e9

static double size_of(const struct sd_neighbour *n)
{
	return n->cpu.value + (sd_has(n->disk) ? n->disk.value / BYTES_A_CORE : 0);
}

static int matters(const struct sd_neighbour *n)
{
	return n->cpu.value >= SD_NEIGHBOUR_LEAST_CPU ||
	       (sd_has(n->disk) && n->disk.value >= SD_NEIGHBOUR_LEAST_DISK);
}

/* Keeps the largest, in falling order. */
static size_t insert(struct sd_neighbour *list, size_t n, const struct sd_neighbour *x)
{
	size_t at = n;

	while (at > 0 && size_of(&list[at - 1]) < size_of(x))
		at--;
	if (at == SD_NEIGHBOURS)
		return n;
	n += n < SD_NEIGHBOURS;
	memmove(&list[at + 1], &list[at], (n - at - 1) * sizeof *list);
	list[at] = *x;
	return n;
}

size_t sd_process_changes(const struct sd_process_look *before, const struct sd_process_look *now,
	int self, double tick, struct sd_neighbour out[SD_NEIGHBOURS])
{
	size_t n = 0;

	if (!(now->at > before->at))
		return 0;
	for (size_t i = 0; i < now->n; i++) {
		const struct sd_looked_process *const p = &now->process[i];
		const struct sd_neighbour x = change_of(before, now, p, tick);

		if (matters(&x) && !is_below(now, p, self))
			n = insert(out, n, &x);
	}
	return n;
}
