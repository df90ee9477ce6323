#include "openmp/omp_regions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "symbols/code_nodes.h"
#include "symbols/symbols.h"
#include "trace/event.h"
#include "trace/omp_log.h"

#define SUFFIX ".omp"
#define LOGS 4096u               /* processes, at most */
#define SPAN (UINT64_C(1) << 40) /* of a module, in addresses made up for it */
#define MOST_NS UINT64_C(1000000000000000000)
#define MOST_THREADS (1u << 20)

#define S(ns) ((double)(ns)*1e-9)

/* ---- one log --------------------------------------------------------------------------------- */

static uint64_t at_most(uint64_t v, uint64_t most)
{
	return v < most ? v : most;
}

int sd_omp_regions_check(struct sd_omp_log *log, size_t size)
{
	if (size != sizeof *log || log->magic != SD_OMP_LOG_MAGIC ||
		log->size_of_region != sizeof log->region[0])
		return -EINVAL;
	log->modules = (uint32_t)at_most(log->modules, SD_OMP_LOG_MODULES);
	for (uint32_t i = 0; i < log->modules; i++)
		log->module[i][sizeof log->module[i] - 1] = '\0';
	for (unsigned i = 0; i < SD_OMP_LOG_REGIONS; i++) {
		struct sd_omp_region *const r = &log->region[i];
		uint64_t *const times[] = {&r->elapsed, &r->thread_ns, &r->imbalance, &r->barrier,
			&r->lock, &r->scheduling, &r->serial, &r->task_work, &r->task_span,
			&r->loop_span};

		for (size_t k = 0; k < sizeof times / sizeof *times; k++)
			*times[k] = at_most(*times[k], MOST_NS);
		r->most = (uint32_t)at_most(r->most, MOST_THREADS);
		r->least = (uint32_t)at_most(r->least, r->most);
		/* a row that is being written counts for nothing */
		if (!r->ready || !r->function)
			r->entries = 0;
	}
	return 0;
}

/* Adds what locks and pieces of loops cost, which some calls of many tell (preload/omp_pace.h):
 * together no more than the time of the region's threads that nothing else has. */
static void add_estimates(const struct sd_omp_region *r, struct sd_region_time *to)
{
	const double rest = S(r->thread_ns) - S(r->imbalance) - S(r->barrier);
	const double both = S(r->lock) + S(r->scheduling);
	const double part = both <= rest ? 1 : rest > 0 ? rest / both : 0;

	to->lock += part * S(r->lock);
	to->scheduling += part * S(r->scheduling);
}

static double calls_of(const struct sd_omp_log *log)
{
	double calls = 0;

	for (unsigned i = 0; i < SD_OMP_LOG_REGIONS; i++)
		calls += log->region[i].entries ? (double)log->region[i].calls : 0;
	return calls;
}

int sd_omp_regions_take(
	const struct sd_omp_log *log, const unsigned *node, struct sd_region_run *out)
{
	out->no_row += (double)log->no_row;
	out->calls += calls_of(log);
	for (unsigned i = 0; i < SD_OMP_LOG_REGIONS; i++) {
		const struct sd_omp_region *const r = &log->region[i];
		struct sd_region_time *to;

		if (!r->entries)
			continue;
		to = sd_region_run_row(out, SD_REGION_OPENMP, "", node[i]);
		if (!to && out->n_row < SD_REGION_RUN_ROWS)
			return -ENOMEM;
		if (!to) {
			out->no_row += (double)r->entries;
			continue;
		}
		to->processes++;
		to->least = to->processes > 1 && to->least < r->least ? to->least : r->least;
		to->most = to->most > r->most ? to->most : r->most;
		to->entries += (double)r->entries;
		to->elapsed = to->elapsed > S(r->elapsed) ? to->elapsed : S(r->elapsed);
		to->thread_s += S(r->thread_ns);
		to->imbalance += S(r->imbalance);
		to->barrier += S(r->barrier);
		add_estimates(r, to);
		to->serial = to->serial > S(r->serial) ? to->serial : S(r->serial);
		to->nested += (double)r->nested;
		to->tasks += (double)r->tasks;
		to->whole += (double)r->whole;
		to->task_work += S(r->task_work);
		to->task_span += S(r->task_span);
		to->loop_span += S(r->loop_span);
		to->dependent += (double)r->dependent;
		to->unspanned += (double)r->unspanned;
	}
	return 0;
}

/* ---- the names of their code ----------------------------------------------------------------- */

static int name_rows(const struct sd_omp_log *log, const struct sd_code_nodes *code, unsigned *node)
{
	uint64_t base[SD_OMP_LOG_MODULES] = {0};
	int rc = 0;

	for (uint32_t i = 0; i < log->modules; i++) {
		const struct sd_event map = {.kind = SD_EVENT_MAP,
			.pid = code->pid,
			.tid = code->pid,
			.address = (i + 1) * SPAN,
			.size = SPAN,
			.name = log->module[i]};

		if (log->module[i][0] == '/' && !sd_symbols_event(code->symbols, &map))
			base[i] = map.address;
	}
	for (unsigned i = 0; i < SD_OMP_LOG_REGIONS && !rc; i++) {
		const struct sd_omp_region *const r = &log->region[i];

		if (r->entries && r->module < log->modules && base[r->module] && r->address < SPAN)
			rc = sd_code_nodes_add(code, base[r->module] + r->address, 0, 0, &node[i]);
	}
	return rc;
}

static int add_log(struct sd_omp_log *log, struct sd_symbols *symbols, int number,
	struct sd_stacks *stacks, struct sd_region_run *out)
{
	const struct sd_code_nodes code = {symbols, stacks, number};
	unsigned node[SD_OMP_LOG_REGIONS] = {0};
	int rc = symbols ? name_rows(log, &code, node) : 0;

	return rc ? rc : sd_omp_regions_take(log, node, out);
}

/* ---- the folder ------------------------------------------------------------------------------ */

static int is_log(const char *name)
{
	const size_t digits = strspn(name, "0123456789");

	return digits && strcmp(name + digits, SUFFIX) == 0;
}

/* A log of this user's. 0: it is none. */
static int read_log(int folder, const char *name, struct sd_omp_log *log)
{
	struct stat st;
	const int fd = sd_regular_file_open_at(folder, name, O_NOFOLLOW, &st);
	size_t got = 0;

	if (fd < 0)
		return 0;
	if (st.st_uid == geteuid())
		got = sd_regular_file_bytes(fd, log, sizeof *log, 0);
	close(fd);
	return got == sizeof *log && sd_omp_regions_check(log, got) == 0;
}

int sd_omp_regions_add(const char *folder, struct sd_symbols *symbols, struct sd_stacks *stacks,
	struct sd_region_run *out)
{
	DIR *const d = opendir(folder);
	struct sd_omp_log *const log = malloc(sizeof *log);
	const struct dirent *e;
	int n = 0, rc = log ? 0 : -ENOMEM;

	while (d && !rc && (unsigned)n < LOGS && (e = readdir(d)) != NULL) {
		if (!is_log(e->d_name) || !read_log(dirfd(d), e->d_name, log))
			continue;
		rc = add_log(log, stacks ? symbols : NULL, ++n, stacks, out);
	}
	free(log);
	if (d)
		closedir(d);
	return rc;
}

void sd_omp_regions_remove(const char *folder)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		if (is_log(e->d_name))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}
