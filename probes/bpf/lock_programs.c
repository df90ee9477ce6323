#include "bpf/lock_programs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/one_more.h"
#include "bpf/bpf_calls.h"
#include "bpf/lock_shares.h"

#define POSSIBLE "/sys/devices/system/cpu/possible"

/* Elements of the maps. A stack whose place another one has is not kept: of 200 stacks one in 80.
 */
#define PROCESSES 65536
#define WAITING 16384
#define SUMS 4096
#define STACKS 16384

static int open_map(
	int *out, enum bpf_map_type type, size_t key, size_t value, uint32_t n, uint32_t flags)
{
	*out = sd_bpf_calls_map(type, (uint32_t)key, (uint32_t)value, n, flags);
	return *out < 0 ? *out : 0;
}

static int open_maps(struct sd_lock_programs *p)
{
	struct sd_lock_maps *const m = &p->maps;
	int rc = open_map(&m->processes, BPF_MAP_TYPE_HASH, 4, 4, PROCESSES, BPF_F_NO_PREALLOC);

	rc = rc ? rc
		: open_map(&m->waiting, BPF_MAP_TYPE_HASH, 4, sizeof(struct sd_lock_wait), WAITING,
			  0);
	rc = rc ? rc
		: open_map(&m->sums, BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct sd_lock_key),
			  sizeof(struct sd_lock_sum), SUMS, 0);
	rc = rc ? rc
		: open_map(&m->cpu, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct sd_lock_cpu), 1, 0);
	return rc ? rc
		  : open_map(&m->stacks, BPF_MAP_TYPE_STACK_TRACE, 4, 8 * SD_LOCK_PROGRAMS_FRAMES,
			    STACKS, 0);
}

static const struct sd_lock_key others = {UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX, -1, -1};

/* The sum of what finds no room: the code cannot make it then. */
static int put_others(struct sd_lock_programs *p)
{
	struct sd_lock_sum *const zero = calloc(p->cpus, sizeof *zero);
	const int rc = zero ? sd_bpf_calls_put(p->maps.sums, &others, zero) : -ENOMEM;

	free(zero);
	return rc;
}

static int find_kernel(struct sd_lock_kernel *out)
{
	struct sd_kernel_types t;
	int rc = sd_kernel_types_open(&t, SD_BPF_CALLS_TYPES);

	if (rc)
		return rc;
	rc = sd_lock_kernel_find(&t, out);
	sd_kernel_types_close(&t);
	return rc;
}

static int load(struct sd_lock_programs *p, const struct sd_lock_kernel *k)
{
	for (int i = 0; i < SD_LOCK_POINTS; i++) {
		struct bpf_insn code[SD_LOCK_CODE];
		const size_t n = sd_lock_code(k, (enum sd_lock_point)i, &p->maps, code);

		p->at[i] = sd_bpf_calls_run(code, n, k->point[i], &p->program[i]);
		if (p->at[i] < 0)
			return p->at[i];
	}
	return 0;
}

int sd_lock_programs_open(struct sd_lock_programs *p)
{
	struct sd_lock_kernel k;
	int rc;

	*p = (struct sd_lock_programs){.open = 1,
		.maps = {-1, -1, -1, -1, -1},
		.program = {-1, -1, -1, -1},
		.at = {-1, -1, -1, -1}};
	p->cpus = sd_bpf_calls_cpus(POSSIBLE);
	rc = !sd_bpf_calls_sees_pids() ? -EXDEV : p->cpus ? 0 : -ENOENT;
	rc = rc ? rc : find_kernel(&k);
	rc = rc ? rc : open_maps(p);
	rc = rc ? rc : put_others(p);
	rc = rc ? rc : load(p, &k);
	if (rc)
		sd_lock_programs_close(p);
	return rc;
}

static void close_all(const int *fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

void sd_lock_programs_close(struct sd_lock_programs *p)
{
	const int maps[] = {
		p->maps.processes, p->maps.waiting, p->maps.sums, p->maps.cpu, p->maps.stacks};

	if (p->open) {
		close_all(p->at, SD_LOCK_POINTS);
		close_all(p->program, SD_LOCK_POINTS);
		close_all(maps, sizeof maps / sizeof *maps);
	}
	*p = (struct sd_lock_programs){0};
}

int sd_lock_programs_watch(struct sd_lock_programs *p, pid_t pid)
{
	const uint32_t number = (uint32_t)pid;

	return sd_bpf_calls_put(p->maps.processes, &number, &number);
}

static void empty(int map)
{
	uint32_t key;

	while (sd_bpf_calls_first(map, &key) == 0 && sd_bpf_calls_delete(map, &key) == 0)
		;
}

/* Looks at what the CPUs keep: *sum has what they lost together, and the most waits of one. They
 * forget it if `forget`. 0 or -errno. */
static int look_at_cpus(struct sd_lock_programs *p, int forget, struct sd_lock_cpu *sum)
{
	struct sd_lock_cpu *const cpu = calloc(p->cpus, sizeof *cpu);
	const uint32_t key = 0;
	int rc = cpu ? sd_bpf_calls_get(p->maps.cpu, &key, cpu) : -ENOMEM;

	*sum = (struct sd_lock_cpu){0};
	for (unsigned i = 0; i < p->cpus && !rc; i++) {
		sum->lost += cpu[i].lost;
		sum->all = cpu[i].all > sum->all ? cpu[i].all : sum->all;
		cpu[i] = (struct sd_lock_cpu){0};
	}
	if (!rc && forget)
		rc = sd_bpf_calls_put(p->maps.cpu, &key, cpu);
	free(cpu);
	return rc;
}

static int end_watching(struct sd_lock_programs *p, uint64_t *lost)
{
	struct sd_lock_cpu sum;
	int rc;

	empty(p->maps.processes);
	rc = look_at_cpus(p, 1, &sum);
	*lost = p->lost + sum.lost;
	p->lost = 0;
	empty(p->maps.waiting);
	return rc;
}

/* ---- spells ---------------------------------------------------------------------------------- */

#define SPELL 25000000    /* ns that waits are timed, and until the next look at how many */
#define LONGEST 250000000 /* ns that none is */
#define A_SECOND 100000   /* waits of a CPU that are not too many */

static const enum sd_lock_point timing[2] = {SD_LOCK_POINT_END, SD_LOCK_POINT_BEGIN};

static void begin_spell(struct sd_lock_programs *p, uint64_t now, uint64_t ns)
{
	p->since = now;
	p->until = now + ns;
}

/* Attaching takes the kernel up to some ms, which belong to the rest. Waits that have begun are
 * forgotten: their ends are not seen. */
static void go_on(struct sd_lock_programs *p, uint64_t now)
{
	const uint64_t before = sd_clock_ns();
	struct sd_lock_cpu sum;

	empty(p->maps.waiting);
	if (look_at_cpus(p, 1, &sum) == 0)
		p->lost += sum.lost;
	for (int i = 0; i < 2; i++)
		p->at[timing[i]] = sd_bpf_calls_attach(p->program[timing[i]]);
	now += sd_clock_ns() - before;
	p->off += now - p->since;
	p->paused = 0;
	p->seen = 0;
	begin_spell(p, now, SPELL);
}

static void stop_timing(struct sd_lock_programs *p, uint64_t ns)
{
	const uint64_t before = sd_clock_ns();
	uint64_t took = 0;

	for (int i = 0; i < 2; i++) {
		if (p->at[timing[i]] >= 0)
			close(p->at[timing[i]]);
		p->at[timing[i]] = -1;
		took = took ? took : sd_clock_ns() - before; /* waits were timed until then */
	}
	p->on += took;
	p->since += took;
	p->until = p->since + ns;
	p->paused = 1;
}

uint64_t sd_lock_programs_pace(struct sd_lock_programs *p, uint64_t now)
{
	struct sd_lock_cpu sum;

	if (!p->since)
		begin_spell(p, now, SPELL);
	if (now >= p->until && p->paused) {
		go_on(p, now);
	} else if (now >= p->until && look_at_cpus(p, 0, &sum) == 0) {
		const double most = A_SECOND * 1e-9 * (double)(now - p->since),
			     waits = (double)(sum.all - p->seen);

		p->seen = sum.all;
		p->on += now - p->since;
		begin_spell(p, now, SPELL);
		if (waits > most)
			stop_timing(p, (uint64_t)fmin(LONGEST, SPELL * (waits / most - 1)));
	}
	return p->until > now ? p->until - now : 1;
}

/* By how much the whole time is longer than that in which waits were timed; the next one begins. */
static double end_spells(struct sd_lock_programs *p)
{
	const uint64_t now = (uint64_t)(sd_clock_s() * 1e9);
	const uint64_t rest = p->since && now > p->since ? now - p->since : 0;
	double on, off;

	on = (double)(p->on + (p->paused ? 0 : rest));
	off = (double)(p->off + (p->paused ? rest : 0));
	if (p->paused)
		go_on(p, now);
	p->on = p->off = p->since = p->seen = 0;
	return on > 0 ? (on + off) / on : 1;
}

/* ---- what was summed ------------------------------------------------------------------------- */

static int read_sum(struct sd_lock_programs *p, const struct sd_lock_key *key,
	struct sd_lock_sum *room, struct sd_lock_keyed *out)
{
	const int rc = sd_bpf_calls_get(p->maps.sums, key, room);

	*out = (struct sd_lock_keyed){.key = *key};
	for (unsigned i = 0; i < p->cpus && !rc; i++) {
		out->sum.waits += room[i].waits;
		out->sum.ns += room[i].ns;
		out->sum.timed += room[i].timed;
		if (room[i].longest > out->sum.longest)
			out->sum.longest = room[i].longest;
	}
	return rc;
}

/* Sums that have waits, each of which is deleted. */
static int take_sums(struct sd_lock_programs *p, struct sd_lock_keyed **out, size_t *n)
{
	struct sd_lock_sum *const room = calloc(p->cpus, sizeof *room);
	struct sd_lock_key key;
	int rc = room ? 0 : -ENOMEM;

	while (!rc && sd_bpf_calls_first(p->maps.sums, &key) == 0) {
		struct sd_lock_keyed k;

		rc = read_sum(p, &key, room, &k);
		if (!rc && k.sum.waits)
			rc = SD_APPEND(*out, *n, &k);
		rc = rc ? rc : sd_bpf_calls_delete(p->maps.sums, &key);
	}
	free(room);
	return rc;
}

static void read_stack(struct sd_lock_programs *p, int32_t number, uint64_t *out)
{
	if (number < 0 || sd_bpf_calls_get(p->maps.stacks, &number, out))
		memset(out, 0, SD_LOCK_PROGRAMS_FRAMES * sizeof *out);
}

static int add_waits(struct sd_lock_programs *p, const struct sd_lock_keyed *k, double times,
	struct sd_lock_waits **out, size_t *n)
{
	struct sd_lock_waits w = {.waits = (uint64_t)((double)k->sum.waits * times),
		.ns = (uint64_t)((double)k->sum.ns * times),
		.longest = k->sum.longest,
		.recorded = k->sum.timed};

	if (!k->sum.waits)
		return 0;
	if (memcmp(&k->key, &others, sizeof others) != 0)
		w.flags = k->key.flags;
	read_stack(p, k->key.waiter, w.waiter);
	read_stack(p, k->key.holder, w.holder);
	return SD_APPEND(*out, *n, &w);
}

int sd_lock_programs_take(struct sd_lock_programs *p, struct sd_lock_waits **out, size_t *n)
{
	struct sd_lock_waits lost = {0};
	struct sd_lock_keyed *sum = NULL;
	size_t n_sum = 0;
	const double times = end_spells(p);
	int rc = end_watching(p, &lost.waits);

	*out = NULL;
	*n = 0;
	rc = rc ? rc : take_sums(p, &sum, &n_sum);
	rc = rc ? rc : put_others(p);
	if (!rc)
		sd_lock_shares_give(sum, n_sum);
	for (size_t i = 0; i < n_sum && !rc; i++)
		rc = add_waits(p, &sum[i], times, out, n);
	if (!rc && lost.waits)
		rc = SD_APPEND(*out, *n, &lost);
	empty(p->maps.stacks);
	free(sum);
	if (rc) {
		free(*out);
		*out = NULL;
		*n = 0;
	}
	return rc;
}
