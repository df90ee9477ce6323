#include "witness/witness.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/one_more.h"
#include "launch/binary_facts.h"
#include "launch/descendants.h"

#define FIRST_NS UINT64_C(2000000)
#define MOST_NS UINT64_C(1000000000)

/* Below this share of all CPU time a process did not do the work. */
#define WORK_SHARE .1

/* ---- all of them ----------------------------------------------------------------------------- */

static uint64_t cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_name(struct sd_witness_process *p, const char *folder)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "%s/comm", folder);
	f = fopen(path, "re");
	if (f && !fgets(p->name, sizeof p->name, f))
		p->name[0] = '\0';
	if (f)
		fclose(f);
	for (char *c = p->name; *c; c++)
		if (*c == '\n')
			*c = '\0';
		else if (iscntrl((unsigned char)*c))
			*c = '?';
	snprintf(path, sizeof path, "%s/exe", folder);
	free(p->program);
	p->program = realpath(path, NULL);
}

/* Field 28 of proc(5): at random of each exec; 0: not for us to know. */
static unsigned long long stack_of(const char *folder)
{
	char path[64], text[1024] = "";
	unsigned long long stack = 0;
	const char *at;
	FILE *f;

	snprintf(path, sizeof path, "%s/stat", folder);
	f = fopen(path, "re");
	if (!f)
		return 0;
	at = fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
	fclose(f);
	for (int field = 2; at && field < 28; field++)
		at = strchr(at + 1, ' ');
	if (at)
		stack = strtoull(at, NULL, 10);
	return stack;
}

static struct sd_witness_process *row_of(
	struct sd_witness *w, pid_t pid, const struct stat *st, unsigned long long stack)
{
	struct sd_witness_process *p;

	for (size_t i = 0; i < w->n_process; i++) {
		p = &w->process[i];
		if (p->pid == pid && p->device == st->st_dev && p->inode == st->st_ino &&
			p->stack == stack)
			return p;
	}
	if (w->n_process == SD_WITNESS_PROCESSES)
		return NULL;
	if (SD_APPEND(w->process, w->n_process,
		    &(struct sd_witness_process){.pid = pid,
			    .device = st->st_dev,
			    .inode = st->st_ino,
			    .stack = stack,
			    .lacks = w->ask.signs & ~(unsigned)SD_PROCESS_SIGN_MALLOC}))
		return NULL;
	p = &w->process[w->n_process - 1];
	for (size_t i = 0; i + 1 < w->n_process; i++)
		if (w->process[i].pid == pid && w->process[i].cpu_ns > p->since_ns)
			p->since_ns = w->process[i].cpu_ns;
	return p;
}

static void look_at(struct sd_witness *w, pid_t pid)
{
	char folder[48], path[64];
	struct stat st = {0};
	struct sd_witness_process *p;
	uint64_t cpu;

	snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
	snprintf(path, sizeof path, "%s/exe", folder);
	/* another user's program is not known; one that has ended has none: what is known stays */
	if (stat(path, &st) != 0 && errno != EACCES)
		return;
	p = row_of(w, pid, &st, stack_of(folder));
	if (!p)
		return;
	p->last = w->looks;
	cpu = cpu_ns(pid);
	p->cpu_ns = cpu > p->cpu_ns ? cpu : p->cpu_ns;
	if (p->cpu_ns < p->since_ns)
		p->since_ns = 0; /* the number is another process's now */
	if (!p->lacks)
		return;
	if (!p->name[0])
		read_name(p, folder);
	/* what it had once it was given; one that is ending has nothing any more */
	p->lacks &= sd_process_sign_lacks(&w->ask, folder, &p->unreadable);
	p->looks++;
}

void sd_witness_look(void *ctx, pid_t parent)
{
	struct sd_witness *const w = ctx;
	const uint64_t now = sd_clock_ns();
	pid_t queue[SD_WITNESS_PROCESSES];
	size_t n;

	if (now < w->next_ns)
		return;
	w->every_ns = !w->every_ns                ? FIRST_NS
		      : w->every_ns < MOST_NS / 2 ? 2 * w->every_ns
						  : MOST_NS;
	w->next_ns = now + w->every_ns;
	w->looks++;
	n = sd_descendants_children(parent, queue, SD_WITNESS_PROCESSES);
	for (size_t i = 0; i < n; i++) {
		n += sd_descendants_children(queue[i], queue + n, SD_WITNESS_PROCESSES - n);
		look_at(w, queue[i]);
	}
}

/* ---- after the run --------------------------------------------------------------------------- */

static double cpu_s_of(const struct sd_witness_process *p)
{
	return (double)(p->cpu_ns - p->since_ns) * 1e-9;
}

static const struct sd_witness_process *busiest(const struct sd_witness *w)
{
	const struct sd_witness_process *most = NULL;

	for (size_t i = 0; i < w->n_process; i++)
		if (!most || cpu_s_of(&w->process[i]) > cpu_s_of(most))
			most = &w->process[i];
	return most;
}

/* Can one that lacks a sign have had more than the busiest, since the last look at both? */
static int is_overtaken(
	const struct sd_witness *w, const struct sd_witness_process *most, double cpu_s)
{
	double unseen = cpu_s, other = -1;

	for (size_t i = 0; i < w->n_process; i++) {
		const struct sd_witness_process *const p = &w->process[i];

		unseen -= cpu_s_of(p);
		if (p->lacks && p->last == w->looks && cpu_s_of(p) > other)
			other = cpu_s_of(p);
	}
	return other >= 0 && other + unseen > cpu_s_of(most);
}

/* Adds what its file alone tells, which is read now, as it may be large. */
static unsigned lacks_in_file(const struct sd_witness *w, const struct sd_witness_process *p)
{
	unsigned lacks = p->lacks;
	struct sd_binary_facts facts;

	if (!(w->ask.signs & (SD_PROCESS_SIGN_MALLOC | SD_PROCESS_SIGN_OPENMP)) || !p->program ||
		sd_binary_facts_look(p->program, &facts))
		return lacks;
	if (facts.openmp == 1)
		lacks &= ~(unsigned)SD_PROCESS_SIGN_OPENMP;
	if (w->ask.signs & SD_PROCESS_SIGN_MALLOC && facts.allocator[0])
		lacks |= SD_PROCESS_SIGN_MALLOC;
	return lacks;
}

enum sd_witnessed sd_witness_judge(const struct sd_witness *w, double cpu_s, char *why, size_t size)
{
	static const char *const says[] = {
#define X(id, text) [SD_PROCESS_SIGN_INDEX_##id] = text,
		SD_PROCESS_SIGNS(X)
#undef X
	};
	const struct sd_witness_process *const p = busiest(w);
	unsigned lacks;

	why[0] = '\0';
	/* at its first look a program may still be loading */
	lacks = p ? lacks_in_file(w, p) : 0;
	if (!p || (lacks && p->looks < 2) || cpu_s_of(p) < WORK_SHARE * cpu_s ||
		(!lacks && is_overtaken(w, p, cpu_s))) {
		snprintf(why, size,
			"nobody saw whether it took place: the process%s ended before anybody could look at %s",
			p ? "es that did the work" : "", p ? "them" : "it");
		return SD_WITNESSED_UNSEEN;
	}
	if (!lacks)
		return SD_WITNESSED;
	if (p->unreadable) {
		snprintf(why, size,
			"nobody saw whether it took place: %s, which has most CPU time, cannot be looked at (another user's)",
			p->name[0] ? p->name : "the process");
		return SD_WITNESSED_UNSEEN;
	}
	for (unsigned i = 0; i < SD_PROCESS_SIGN_INDEX_COUNT && !why[0]; i++)
		if (lacks >> i & 1)
			snprintf(why, size,
				"it did not take place: %s, which has most CPU time, %s", p->name,
				says[i]);
	return SD_WITNESSED_NOT;
}

void sd_witness_free(struct sd_witness *w)
{
	for (size_t i = 0; i < w->n_process; i++)
		free(w->process[i].program);
	free(w->process);
	w->process = NULL;
	w->n_process = 0;
	w->next_ns = w->every_ns = 0;
}
