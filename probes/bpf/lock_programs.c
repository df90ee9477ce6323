#include "bpf/lock_programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"
#include "bpf/bpf_calls.h"

#define POSSIBLE "/sys/devices/system/cpu/possible"

/* Elements of the maps. A stack whose place another one has is not kept: of 200 stacks one in 80.
 */
#define PROCESSES 65536
#define WAITING 16384
#define SUMS 2048
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
		: open_map(&m->waiting, BPF_MAP_TYPE_HASH, sizeof(struct sd_lock_thread),
			  sizeof(struct sd_lock_wait), WAITING, 0);
	rc = rc ? rc
		: open_map(&m->sums, BPF_MAP_TYPE_PERCPU_HASH, sizeof(struct sd_lock_key),
			  sizeof(struct sd_lock_sum), SUMS, 0);
	rc = rc ? rc
		: open_map(&m->pace, BPF_MAP_TYPE_PERCPU_ARRAY, 4, sizeof(struct sd_lock_pace), 1,
			  0);
	return rc ? rc
		  : open_map(&m->stacks, BPF_MAP_TYPE_STACK_TRACE, 4, 8 * SD_LOCK_PROGRAMS_FRAMES,
			    STACKS, 0);
}

static const struct sd_lock_key others = {UINT32_MAX, -1, -1, UINT32_MAX};

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

		p->program[i] = sd_bpf_calls_load(code, n, k->point[i]);
		if (p->program[i] < 0)
			return p->program[i];
		p->at[i] = sd_bpf_calls_attach(p->program[i]);
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
		p->maps.processes, p->maps.waiting, p->maps.sums, p->maps.pace, p->maps.stacks};

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
	struct sd_lock_thread key; /* of the longest */

	while (sd_bpf_calls_first(map, &key) == 0 && sd_bpf_calls_delete(map, &key) == 0)
		;
}

static void read_stack(struct sd_lock_programs *p, int32_t number, uint64_t *out)
{
	if (number < 0 || sd_bpf_calls_get(p->maps.stacks, &number, out))
		memset(out, 0, SD_LOCK_PROGRAMS_FRAMES * sizeof *out);
}

static int is_others(const struct sd_lock_key *key)
{
	return memcmp(key, &others, sizeof others) == 0;
}

static struct sd_lock_waits sum_cpus(const struct sd_lock_sum *of, unsigned cpus)
{
	struct sd_lock_waits w = {0};

	for (unsigned i = 0; i < cpus; i++) {
		w.waits += of[i].waits;
		w.ns += of[i].ns;
		w.recorded += of[i].recorded;
		w.longest = of[i].longest > w.longest ? of[i].longest : w.longest;
	}
	return w;
}

/* Sums that have waits, each of which is deleted. */
static int take_sums(
	struct sd_lock_programs *p, struct sd_lock_sum *room, struct sd_lock_waits **out, size_t *n)
{
	struct sd_lock_key key;
	int rc = 0;

	while (!rc && sd_bpf_calls_first(p->maps.sums, &key) == 0) {
		struct sd_lock_waits w;

		rc = sd_bpf_calls_get(p->maps.sums, &key, room);
		if (rc)
			break;
		w = sum_cpus(room, p->cpus);
		if (!is_others(&key)) {
			w.flags = key.flags;
			read_stack(p, key.waiter, w.waiter);
			read_stack(p, key.holder, w.holder);
		}
		if (w.waits)
			rc = SD_APPEND(*out, *n, &w);
		if (!rc)
			rc = sd_bpf_calls_delete(p->maps.sums, &key);
	}
	return rc;
}

int sd_lock_programs_take(struct sd_lock_programs *p, struct sd_lock_waits **out, size_t *n)
{
	struct sd_lock_sum *const room = calloc(p->cpus, sizeof *room);
	int rc = room ? 0 : -ENOMEM;

	*out = NULL;
	*n = 0;
	empty(p->maps.processes);
	rc = rc ? rc : take_sums(p, room, out, n);
	rc = rc ? rc : put_others(p);
	empty(p->maps.waiting);
	empty(p->maps.stacks);
	free(room);
	if (rc) {
		free(*out);
		*out = NULL;
		*n = 0;
	}
	return rc;
}
