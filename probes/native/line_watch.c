#include "native/line_watch.h"

#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "native/line_proof.h"
#include "perf_event/counter_read.h"
#include "perf_event/perf_event.h"
#include "proc/proc_parse.h"
#include "proc/textfile.h"

#define WINDOW_NS ((uint64_t)(SD_LINE_WATCH_WINDOW_S * 1e9))
#define EVERY_NS UINT64_C(100000000)
#define THREADS SD_LINE_WATCH_THREADS
#define REGISTERS SD_LINE_WATCH_REGISTERS
#define KINDS SD_LINE_WATCH_KINDS
#define ROUNDS 3   /* of all kinds of windows */
#define OWN_HITS 8 /* that tell what one takes, in each of OWN_ROUNDS */
#define OWN_ROUNDS 4

/* In the group that `leader` leads; -1: it leads one itself, which does not count yet. */
static int open_word(uint64_t address, int written, pid_t tid, int leader)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof attr,
		.read_format = SD_COUNTER_READ_FORMAT,
		.disabled = leader < 0,
		.bp_type = written ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW,
		.bp_addr = address,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
		.exclude_hv = 1};

	return sd_perf_event_open_in(&attr, tid, -1, leader);
}

/* s that a hit takes, by writes of our own; 0: it cannot be watched; INFINITY: not all of them were
 * counted, as on a virtual machine that takes watchpoints and leaves them off. */
static double time_of_hit(void)
{
	static _Alignas(8) volatile uint64_t word;
	const int fd = open_word((uint64_t)(uintptr_t)&word, 1, 0, -1);
	struct sd_counter_read_reading counted;
	uint64_t least = UINT64_MAX;
	int known;

	if (fd < 0 || sd_perf_event_switch(fd, 1)) {
		sd_perf_event_close(fd);
		return 0;
	}
	for (int round = 0; round < OWN_ROUNDS; round++) {
		const uint64_t from = sd_clock_ns();
		uint64_t took;

		for (int i = 0; i < OWN_HITS; i++)
			word = (uint64_t)i;
		took = sd_clock_ns() - from;
		least = took < least ? took : least;
	}
	known = sd_perf_event_read(fd, &counted) == 0 && counted.value == OWN_HITS * OWN_ROUNDS;
	sd_perf_event_close(fd);
	return known ? (double)least / 1e9 / OWN_HITS : INFINITY;
}

/* ---- windows --------------------------------------------------------------------------------- */

/* Threads of a process; above THREADS: there are more than are watched. 0: it is gone. */
static unsigned list_threads(const char *root, int pid, int tid[THREADS])
{
	char path[4096];
	struct dirent *d;
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof path, "%s/proc/%d/task", root ? root : "", pid);
	dir = opendir(path);
	while (dir && n <= THREADS && (d = readdir(dir))) {
		const int id = atoi(d->d_name);

		if (id <= 0)
			continue;
		if (n < THREADS)
			tid[n] = id;
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* The thread's place in the line's counts; THREADS: there is none left. */
static unsigned slot_of(struct sd_watched_line *l, int tid)
{
	unsigned k = 0;

	while (k < l->n_thread && l->tid[k] != tid)
		k++;
	if (k == l->n_thread && k < THREADS)
		l->tid[l->n_thread++] = tid;
	return k;
}

/* Would it run if it had a CPU? */
static int is_runnable(const char *root, int pid, int tid)
{
	struct sd_proc_stat stat;
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, tid);
	return tid != gettid() && sd_textfile_read(root, path, text, sizeof text) == 0 &&
	       sd_proc_parse_stat(text, &stat) == 0 && stat.state == 'R';
}

/* Reads and closes the counters of a thread; s that it had a CPU. */
static double read_thread(struct sd_line_watch *w, unsigned t, uint64_t hits[REGISTERS])
{
	double ran = 0;

	for (unsigned k = 0; k < REGISTERS; k++) {
		struct sd_counter_read_reading r;

		hits[k] = 0;
		if (w->open.fd[k][t] < 0)
			continue;
		if (!sd_perf_event_read(w->open.fd[k][t], &r)) {
			hits[k] = r.value;
			ran = fmax(ran, (double)r.running / 1e9);
		}
	}
	for (unsigned k = REGISTERS; k-- > 0;)
		sd_perf_event_close(w->open.fd[k][t]);
	return ran;
}

static void add_thread(struct sd_line_watch *w, unsigned t, double seconds)
{
	struct sd_watched_line *const l = w->open.line;
	const unsigned first = w->open.kind % 2 * REGISTERS, kind = w->open.kind;
	const unsigned slot = w->open.slot[t];
	uint64_t hits[REGISTERS];
	const double ran = read_thread(w, t, hits);

	if (l->status != SD_STATUS_OK || slot == THREADS)
		return;
	for (unsigned k = 0; k < REGISTERS; k++)
		l->hits[kind < 2][first + k][slot] += hits[k];
	if (ran > seconds / 2 || !is_runnable(w->open.root, l->pid, l->tid[slot]))
		l->seen[kind][slot] += seconds;
	l->ran[kind][slot] += ran;
}

static void close_window(struct sd_line_watch *w)
{
	struct sd_watched_line *const l = w->open.line;
	const double seconds = (double)(sd_clock_ns() - w->open.since) / 1e9;

	if (!l)
		return;
	for (unsigned t = 0; t < w->open.n_thread; t++)
		add_thread(w, t, seconds);
	if (l->status == SD_STATUS_OK)
		l->seconds[w->open.kind] += seconds;
	w->open.line = NULL;
}

/* All words in all threads, or none: a count of some would be less than there is. */
static void open_window(struct sd_line_watch *w, struct sd_watched_line *l, const int *tid,
	unsigned n, unsigned kind)
{
	int rc = 0;

	w->open.line = l;
	w->open.kind = kind;
	w->open.n_thread = n;
	l->status = SD_STATUS_OK;
	for (unsigned t = 0; t < n; t++) {
		w->open.slot[t] = slot_of(l, tid[t]);
		for (unsigned k = 0; k < REGISTERS; k++) {
			const uint64_t word = l->address + 8 * (kind % 2 * REGISTERS + k);
			int *const fd = &w->open.fd[k][t];

			*fd = -1;
			if (!rc && w->open.slot[t] < THREADS && (!k || w->open.fd[0][t] >= 0))
				*fd = open_word(word, kind < 2, tid[t], k ? w->open.fd[0][t] : -1);
			if (*fd < 0 && *fd != -ESRCH && !rc)
				rc = w->open.slot[t] == THREADS ? -EMFILE : *fd;
		}
	}
	for (unsigned t = 0; t < n && !rc; t++)
		if (w->open.fd[0][t] >= 0)
			rc = sd_perf_event_switch(w->open.fd[0][t], 1);
	w->open.since = sd_clock_ns();
	if (rc) {
		l->status = sd_counter_read_error(rc);
		close_window(w);
	}
}

/* ---- when ------------------------------------------------------------------------------------ */

/* Touches are asked for in a few rounds, since a thread may have no CPU then; writes all the time.
 */
static unsigned kind_of(const struct sd_watched_line *l)
{
	return l->windows % (l->windows < ROUNDS * KINDS ? KINDS : 2);
}

static int is_done(const struct sd_line_watch *w, const struct sd_watched_line *l)
{
	return l->status == SD_STATUS_DENIED || l->status == SD_STATUS_UNSUPPORTED ||
	       (l->windows >= ROUNDS * KINDS && sd_line_proof_is_hit_always(l, w->hit_s));
}

/* The threads of the process that has the line; 0: none that has one to fight with, or it has too
 * many. */
static unsigned find_threads(const struct sd_line_place *p, const struct sd_data_maps *m,
	const char *root, struct sd_watched_line *l, int tid[THREADS])
{
	size_t older = m->n;
	int pid = l->pid;
	uint64_t address = l->address;

	while (pid || !sd_line_places_find(p, m, &older, &pid, &address)) {
		const unsigned n = list_threads(root, pid, tid);

		if (n >= 2 && n <= THREADS) {
			l->pid = pid;
			l->address = address;
			return n;
		}
		if (l->pid)
			return 0;
		pid = 0;
	}
	return 0;
}

/* The time of all CPUs so far. */
static void read_cpus(struct sd_line_watch *w, int last)
{
	char text[512];

	if (sd_textfile_read(w->open.root, "/proc/stat", text, sizeof text) == 0 &&
		sd_proc_parse_cpus(text, &w->cpus[last]) == 0)
		w->read = last + 1;
}

static void begin_window(
	struct sd_line_watch *w, const struct sd_data_maps *m, const char *root, unsigned at)
{
	struct sd_watched_line *const l = &w->line[at];
	int tid[THREADS];
	const unsigned n = is_done(w, l) ? 0 : find_threads(&w->places->place[at], m, root, l, tid);

	if (!n)
		return;
	w->open.root = root;
	if (w->hit_s == 0)
		w->hit_s = time_of_hit();
	if (isinf(w->hit_s)) {
		l->status = SD_STATUS_UNSUPPORTED;
		return;
	}
	if (!w->read)
		read_cpus(w, 0);
	open_window(w, l, tid, n, kind_of(l));
	l->windows += l->status == SD_STATUS_OK;
}

uint64_t sd_line_watch_tick(
	struct sd_line_watch *w, const struct sd_data_maps *m, const char *root, uint64_t now)
{
	if (!w->places || !w->places->n)
		return UINT64_MAX;
	if (w->open.line) {
		if (now < w->open.since + WINDOW_NS)
			return w->open.since + WINDOW_NS - now;
		close_window(w);
	} else if (now >= w->next) {
		w->next = now + EVERY_NS;
		begin_window(w, m, root, w->turn++ % w->places->n);
		if (w->open.line)
			return WINDOW_NS;
	}
	return w->next > now ? w->next - now : 0;
}

void sd_line_watch_end(struct sd_line_watch *w)
{
	close_window(w);
	if (w->read)
		read_cpus(w, 1);
}

/* Share of the CPUs' busy time that a hypervisor took; absent: not known. */
static struct sd_value stolen(const struct sd_line_watch *w)
{
	const double busy = (double)(w->cpus[1].busy - w->cpus[0].busy);
	const double steal = (double)(w->cpus[1].steal - w->cpus[0].steal);

	if (w->read < 2 || w->cpus[1].busy < w->cpus[0].busy || w->cpus[1].steal < w->cpus[0].steal)
		return SD_NOT(ABSENT);
	return SD_OK(steal > 0 ? steal / (busy + steal) : 0);
}

void sd_line_watch_tell(
	const struct sd_line_watch *w, int pid, uint64_t address, struct sd_native_line *out)
{
	for (unsigned i = 0; w && w->places && i < w->places->n; i++) {
		const struct sd_watched_line *const l = &w->line[i];

		if (l->pid != pid || l->address != address)
			continue;
		if (l->status != SD_STATUS_OK)
			out->proven.status = l->status;
		else if (l->seconds[0] > 0 && l->seconds[1] > 0)
			sd_line_proof_tell(l, w->hit_s, stolen(w), out);
	}
}
