/*
 * The relations of Levinthal's paper on non-scaling on Core 2, on its machine as it is modelled
 * (--events model --machine core2-quad): the events that the paper names, by the map of the family,
 * counted while its examples run (tests/programs/paper.c). A line a relation: does it hold, and
 * with which numbers? Never a pass or a failure; the last line counts them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/configs.h"
#include "bench/bench_output.h"
#include "bench/first_cause.h"
#include "record/record_file.h"

static const unsigned counts[] = {1, 2, 4};
enum { POINTS = sizeof counts / sizeof *counts };

static const char *scalediag, *program;
static char folder[] = "/tmp/bench_paper.XXXXXX";
static size_t held, told;

/* The record that a run of a word left. */
struct measured {
	struct sd_record record;
	int ok;
};

static struct measured measure_times(const char *word, const char *machine, const char *times)
{
	struct measured m = {0};
	char path[128], out[4096];
	const char *const argv[] = {scalediag, "--events", "model", "--machine", machine, "--cores",
		"1,2,4", "--multiplex", "--repeats", "1", "-o", path, program, word, "{n}", times,
		NULL};

	snprintf(path, sizeof path, "%s/%s.json", folder, word);
	m.ok = bench_output(argv, out, sizeof out) == 0 &&
	       sd_record_read(path, &m.record, NULL) == 0;
	if (!m.ok)
		printf("%s could not be run: %s\n", word, out);
	unlink(path);
	return m;
}

static struct measured measure(const char *word)
{
	return measure_times(word, "core2-quad", "100");
}

/* The run of a point of this kind; NULL: none. */
static const struct sd_run *run_of(const struct measured *m, unsigned cores, enum sd_run_kind kind)
{
	for (size_t i = 0; m->ok && i < m->record.n_run; i++)
		if (m->record.plan.point[m->record.run[i].point].cores == cores &&
			m->record.run[i].kind == kind)
			return &m->record.run[i];
	return NULL;
}

/* A count; below 0: it was not counted. */
static double of(const struct measured *m, unsigned cores, enum sd_role role)
{
	const struct sd_run *const run = run_of(m, cores, SD_RUN_BLOCK);
	const struct sd_role_count *const c = run ? sd_run_role(run, role) : NULL;

	return c && sd_has(c->value) ? c->value.value : -1;
}

static double seconds(const struct measured *m, unsigned cores)
{
	const struct sd_run *const run = run_of(m, cores, SD_RUN_BLOCK);

	return run ? run->metric[SD_METRIC_WALL].value : -1;
}

/* It holds if low <= value <= high. */
static void tell(const char *what, const char *number, double value, double low, double high)
{
	const int holds = value >= low && value <= high;

	told++;
	held += (size_t)holds;
	printf("%s %-74s %s %.3g\n", holds ? "holds    " : "HOLDS NOT", what, number, value);
}

#define MANY 1e18

/* ---- cache lines ----------------------------------------------------------------------------- */

/* A count that appears with the threads: at 4 cores to that of one. */
static void appears(const struct measured *m, const char *what, enum sd_role role, double times)
{
	tell(what, "ratio", of(m, 4, role) / (of(m, 1, role) + 1), times, MANY);
}

static void contended(const char *word)
{
	struct measured m = measure_times(word, "core2-quad", "1000");
	const double hitm = of(&m, 4, SD_ROLE_HITM_BUS), burst = of(&m, 4, SD_ROLE_BUS_BURST);
	const double rfo = of(&m, 4, SD_ROLE_BUS_RFO_LINES),
		     brd = of(&m, 4, SD_ROLE_BUS_READ_LINES);
	const double line = of(&m, 4, SD_ROLE_LLC_LOAD_MISSES);

	printf("\n%s, lines that threads contend for\n", word);
	tell("EXT_SNOOP.ALL_AGENTS.HITM is about BUS_HITM_DRV, 4 cores", "ratio",
		hitm / of(&m, 4, SD_ROLE_HITM_SUPPLIED), .9, 1.1);
	appears(&m, "EXT_SNOOP.HITM appears with the threads: that of 4 cores to 1",
		SD_ROLE_HITM_BUS, 100);
	appears(&m, "BUS_TRANS_BURST.SELF appears with the threads: 4 cores to 1",
		SD_ROLE_BUS_BURST, 10);
	appears(&m, "BUS_TRANS_RFO.SELF appears with the threads: 4 cores to 1",
		SD_ROLE_BUS_RFO_LINES, 10);
	tell("BUS_TRANS_BURST.SELF grows more than L2_LINE_MISS: their ratio, 4 cores to 1",
		"ratio",
		burst / line / (of(&m, 1, SD_ROLE_BUS_BURST) / of(&m, 1, SD_ROLE_LLC_LOAD_MISSES)),
		2, MANY);
	tell("BUS_TRANS_RFO is the bulk of BUS_TRANS_BURST, 4 cores", "share", rfo / burst, .5, 1);
	tell("the balance of BUS_TRANS_BURST is in BUS_TRANS_BRD, 4 cores", "share",
		brd / (burst - rfo), .7, 1);
	tell("the time does not fall with the cores: 4 cores to 1", "speedup",
		seconds(&m, 1) / seconds(&m, 4), 0, 2);
	sd_record_free(&m.record);
}

/* Threads of the sort read words of the line that they have not just written. Those of the sum read
 * only what their own last store wrote, which the store buffer forwards: such a load misses
 * nothing. */
static void missed(void)
{
	struct measured m = measure("sort");
	const double added = of(&m, 4, SD_ROLE_L2_LOAD_MISSES) - of(&m, 1, SD_ROLE_L2_LOAD_MISSES);

	puts("\nsort, loads that miss");
	appears(&m, "MEM_LOAD_RETIRED.L2_MISS appears with the threads: 4 cores to 1",
		SD_ROLE_L2_LOAD_MISSES, 10);
	/* on one core a stream's loads wait for its lines, too: what contention adds is the
	 * relation */
	tell("L2_MISS is much greater than L2_LINE_MISS, of what 4 cores add to 1", "ratio",
		added / (of(&m, 4, SD_ROLE_LLC_LOAD_MISSES) - of(&m, 1, SD_ROLE_LLC_LOAD_MISSES)),
		10, MANY);
	sd_record_free(&m.record);
}

static void locked(void)
{
	struct measured m = measure("lock");
	const double one = of(&m, 1, SD_ROLE_LOCKS_L2);

	printf("\nlock, a lock by an exchange\n");
	tell("L2_LOCK.SELF.E_STATE grows as the lock goes from hand to hand: 4 cores to 1", "ratio",
		of(&m, 4, SD_ROLE_LOCK_L2_E) / (of(&m, 1, SD_ROLE_LOCK_L2_E) + 1), 20, MANY);
	tell("the lock was modified: L2_LOCK.SELF.M_STATE, 4 cores to 1", "ratio",
		of(&m, 4, SD_ROLE_LOCK_L2_M) / (of(&m, 1, SD_ROLE_LOCK_L2_M) + 1), 20, MANY);
	tell("EXT_SNOOP.HITM increments too, 4 cores: a lock that reached the L2", "ratio",
		of(&m, 4, SD_ROLE_HITM_BUS) / of(&m, 4, SD_ROLE_LOCKS_L2), .2, MANY);
	tell("a lock that nobody contends for stays in the L1: of all locks, 1 core", "share",
		one / of(&m, 1, SD_ROLE_LOCKS), 0, .05);
	sd_record_free(&m.record);
}

/* ---- the bus --------------------------------------------------------------------------------- */

static void bandwidth(void)
{
	struct measured m = measure("triad"), nt = measure("triad-nt");
	/* lines a cycle: what one core asks for, and what the bus gives (2 of its clocks a line) */
	const double asks = of(&m, 1, SD_ROLE_BUS_BURST) / of(&m, 1, SD_ROLE_CYCLES);
	const double gives = of(&m, 1, SD_ROLE_BUS_CLOCKS) / of(&m, 1, SD_ROLE_CYCLES) / 2;
	const double saturates = gives / asks, speedup = seconds(&m, 1) / seconds(&m, 4);
	const double busy =
		of(&m, 4, SD_ROLE_BUS_BUSY) / (of(&m, 4, SD_ROLE_TOTAL_CYCLES) * gives * 2);
	double latency[POINTS];

	for (size_t i = 0; i < POINTS; i++)
		latency[i] = of(&m, counts[i], SD_ROLE_BUS_OCCUPANCY) /
			     (of(&m, counts[i], SD_ROLE_BUS_READ_LINES) -
				     of(&m, counts[i], SD_ROLE_BUS_IFETCH_LINES));
	printf("\ntriad, a stream (one core asks for %.3g lines a cycle, the bus gives %.3g)\n",
		asks, gives);
	tell("lines a cycle of one core tell the count that saturates: speedup of 4 to it", "ratio",
		speedup / saturates, .8, 1.2);
	tell("BUS_DRDY_CLOCKS of 4 cores fill the bus", "share", busy, .85, 1.001);
	tell("the appetite of 2 cores is twice that of one, below the limit", "ratio",
		of(&m, 2, SD_ROLE_BUS_BURST) / of(&m, 2, SD_ROLE_TOTAL_CYCLES) / asks, 1.6, 2.05);
	tell("the total of lines is that of one core, however many saturate", "ratio",
		of(&m, 4, SD_ROLE_BUS_BURST) / of(&m, 1, SD_ROLE_BUS_BURST), .9, 1.1);
	tell("the bus latency grows faster and faster: from 2 to 4 cores against 1 to 2", "ratio",
		(latency[2] - latency[1]) / (latency[1] - latency[0]), 1.5, MANY);
	tell("RFOs of stores are a quarter of the triad's lines", "share",
		of(&m, 1, SD_ROLE_BUS_RFO_LINES) / of(&m, 1, SD_ROLE_BUS_BURST), .2, .3);
	tell("non-temporal stores save it: lines read with them to without, 2 of 3", "ratio",
		of(&nt, 1, SD_ROLE_LLC_LINES_IN) / of(&m, 1, SD_ROLE_LLC_LINES_IN), .65, .69);
	/* a fifth of what was written is still in the L2 at the end, and is written back by nobody
	 */
	tell("and of all, with lines that the L2 still has modified, 3 of 4", "ratio",
		of(&nt, 1, SD_ROLE_BUS_BURST) /
			(of(&m, 1, SD_ROLE_BUS_BURST) + of(&m, 1, SD_ROLE_BUS_RFO_LINES) -
				of(&m, 1, SD_ROLE_BUS_WRITEBACK_LINES)),
		.73, .77);
	sd_record_free(&m.record);
	sd_record_free(&nt.record);
}

/* The machine without prefetchers: a file of its own. */
static int without_prefetchers(char *path, size_t room)
{
	struct sd_config c = {0};
	FILE *f;
	int rc = sd_configs_get(sd_configs_dir(), "machines/core2-quad.conf", &c, NULL);

	snprintf(path, room, "%s/off.conf", folder);
	f = rc ? NULL : fopen(path, "w");
	for (const char *line = c.text; f && *line;) {
		const size_t n = strcspn(line, "\n");

		if (strncmp(line, "adjacent", 8) == 0)
			fputs("adjacent = false;\n", f);
		else if (strncmp(line, "\tahead", 6) == 0)
			fputs("\tahead = 0;\n", f);
		else
			fprintf(f, "%.*s\n", (int)n, line);
		line += n + (line[n] != '\0');
	}
	rc = f ? fclose(f) : -1;
	sd_config_free(&c);
	return rc;
}

static void prefetched(void)
{
	char off[128];
	struct measured on = measure("strides"), triad = measure("triad"), without = {0};

	if (without_prefetchers(off, sizeof off) == 0)
		without = measure_times("strides", off, "100");
	printf("\nstrides, short inner loops with gaps between\n");
	tell("L2_LD.SELF.PREFETCH tells that the prefetchers are on, of lines in", "share",
		of(&triad, 1, SD_ROLE_L2_HWPF_LOADS) / of(&triad, 1, SD_ROLE_LLC_LINES_IN), .5, 1);
	tell("and that they are off: L2_LD.SELF.PREFETCH", "count",
		of(&without, 1, SD_ROLE_L2_HWPF_LOADS), 0, 0);
	tell("lines that nobody reads: BUS_TRANS_BURST with prefetchers to without", "ratio",
		of(&on, 1, SD_ROLE_BUS_BURST) / of(&without, 1, SD_ROLE_BUS_BURST), 1.3, MANY);
	unlink(off);
	sd_record_free(&on.record);
	sd_record_free(&triad.record);
	sd_record_free(&without.record);
}

/* ---- capacity -------------------------------------------------------------------------------- */

static void capacity(void)
{
	struct measured strong = measure("blocks"), per_core = measure("blocks-weak");
	struct measured stream = measure("structures");
	const struct sd_run *const run = run_of(&per_core, 2, SD_RUN_SIMULATED);
	double over = 0, all = 0;

	printf("\nblocks of 2.5 MB, two of which do not fit an L2\n");
	tell("work divided: L2_LINES_IN in total grows where two share an L2, 2 cores to 1",
		"ratio",
		of(&strong, 2, SD_ROLE_LLC_LINES_IN) / of(&strong, 1, SD_ROLE_LLC_LINES_IN), 2,
		MANY);
	tell("and stays where nothing is evicted that is used again (a stream)", "ratio",
		of(&stream, 2, SD_ROLE_LLC_LINES_IN) / of(&stream, 1, SD_ROLE_LLC_LINES_IN), .9,
		1.1);
	tell("work that grows: L2_LINES_IN per core grows, 2 cores to 1", "ratio",
		of(&per_core, 2, SD_ROLE_LLC_LINES_IN) / 2 / of(&per_core, 1, SD_ROLE_LLC_LINES_IN),
		2, MANY);
	tell("no line of it was modified elsewhere: EXT_SNOOP.HITM of L2_LINES_IN, 2 cores",
		"share", of(&strong, 2, SD_ROLE_HITM_BUS) / of(&strong, 2, SD_ROLE_LLC_LINES_IN), 0,
		.01);
	/* stack distances from half the L2's 65536 lines on: [16] begins there */
	for (size_t i = 0;
		run && run->simulated && run->simulated->n_thread && i < SD_SIM_DISTANCES - 1;
		i++) {
		all += i > 4 ? run->simulated->thread[0].distance[i] : 0;
		over += i >= 16 ? run->simulated->thread[0].distance[i] : 0;
	}
	tell("the cache stack distance of a thread peaks above its half of the L2", "share",
		all > 0 ? over / all : -1, .5, 1);
	sd_record_free(&strong.record);
	sd_record_free(&per_core.record);
	sd_record_free(&stream.record);
}

static void translation(void)
{
	struct measured rows = measure("rows"), columns = measure("columns");

	printf("\nrows and columns of a matrix of as many pages as rows\n");
	tell("a division by rows: DTLB_MISSES stay, 4 cores to 1", "ratio",
		of(&rows, 4, SD_ROLE_DTLB_LOAD_WALKS) / of(&rows, 1, SD_ROLE_DTLB_LOAD_WALKS), 0,
		1.2);
	tell("by columns they grow", "ratio",
		of(&columns, 4, SD_ROLE_DTLB_LOAD_WALKS) / of(&columns, 1, SD_ROLE_DTLB_LOAD_WALKS),
		2, MANY);
	sd_record_free(&rows.record);
	sd_record_free(&columns.record);
}

/* ---- work ------------------------------------------------------------------------------------ */

static void work(void)
{
	struct measured parallel = measure("trips"), serial = measure("serial");
	struct measured structures = measure("structures");
	const struct sd_run *run = run_of(&parallel, 1, SD_RUN_SIMULATED);
	double trips = -1, most = 0, consumed = 0;

	printf("\ncycles, loops and what they use\n");
	tell("effective_cycles / total_cycles of work divided in 4 is near 4", "cores",
		of(&parallel, 4, SD_ROLE_CYCLES) / of(&parallel, 4, SD_ROLE_TOTAL_CYCLES), 2.8,
		4.001);
	tell("and of serial code 1", "cores",
		of(&serial, 4, SD_ROLE_CYCLES) / of(&serial, 4, SD_ROLE_TOTAL_CYCLES), .9, 1.3);
	for (size_t i = 0; run && run->simulated && i < run->simulated->n_loop; i++)
		if (run->simulated->loop[i].iterations > most) {
			most = run->simulated->loop[i].iterations;
			trips = most / run->simulated->loop[i].entries;
		}
	tell("execution counts give the trips of an inner loop of 7", "trips", trips, 6.9, 7.1);
	run = run_of(&structures, 1, SD_RUN_SIMULATED);
	most = 0;
	for (size_t i = 0; run && run->simulated && i < run->simulated->n_loop; i++)
		if (run->simulated->loop[i].bytes_moved > most) {
			most = run->simulated->loop[i].bytes_moved;
			consumed = run->simulated->loop[i].bytes_consumed / most;
		}
	tell("bytes that a loop uses of those its lines bring, one word of eight", "share",
		consumed, .115, .135);
	sd_record_free(&parallel.record);
	sd_record_free(&serial.record);
	sd_record_free(&structures.record);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void verdicts(void)
{
	static const struct {
		const char *name, *cores;
	} machine[] = {{"core2-quad", "1,2,4"}, {"skylake-sp", "1,2,4,8"},
		{"epyc-genoa", "1,2,4,8"}, {"sapphire-rapids", "1,2,4,8"},
		{"graviton3", "1,2,4,8"}};
	static const struct {
		const char *word, *times, *cause; /* NULL: it scales */
		unsigned on; /* these of the machines: others have the room, or the bandwidth */
	} row[] = {{"sum", "1000", "false-sharing", 31}, {"lock", "1000", "true-sharing", 31},
		{"sort", "500", "false-sharing", 31}, {"held", "1", "lock-contention", 31},
		{"triad", "100", "memory-bandwidth", 1}, {"triad", "500", NULL, 30},
		{"blocks", "100", "llc-capacity", 3}, {"blocks", "500", "llc-capacity", 14},
		{"columns", "1000", NULL, 31}, {"serial", "1", "serial-code", 31},
		{"uneven", "800", "load-imbalance", 31}};

	puts("\nfirst causes, by scalediag --events model --machine ... --multiplex");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		for (size_t k = 0; k < sizeof machine / sizeof *machine; k++) {
			char path[128], what[128];
			struct first_cause f;
			int is_right;

			if (!(row[i].on >> k & 1))
				continue;
			snprintf(path, sizeof path, "%s/first.json", folder);
			f = first_cause_of(scalediag, program, machine[k].name, machine[k].cores,
				row[i].word, row[i].times, path);
			is_right = row[i].cause ? strcmp(f.cause, row[i].cause) == 0 &&
							  strcmp(f.verdict, "likely") == 0
						: f.scales;
			snprintf(what, sizeof what, "%s on %s: %s", row[i].word, machine[k].name,
				row[i].cause ? row[i].cause : "it scales");
			tell(what, row[i].cause ? f.cause : "", is_right ? f.cores : -1, 0, MANY);
		}
}

int main(void)
{
	scalediag = getenv("SCALEDIAG");
	program = getenv("PAPER");
	if (!scalediag || !program || !mkdtemp(folder)) {
		fputs("make bench-paper runs it\n", stderr);
		return 2;
	}
	contended("sum");
	contended("sort");
	missed();
	locked();
	bandwidth();
	prefetched();
	capacity();
	translation();
	work();
	verdicts();
	rmdir(folder);
	printf("\n%zu of %zu relations hold\n", held, told);
	return 0;
}
