#include "bpf/switch_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "bpf/switch_code.h"

static int call(enum bpf_cmd cmd, union bpf_attr *a)
{
	const long rc = syscall(SYS_bpf, cmd, a, sizeof *a);

	return rc < 0 ? -errno : (int)rc;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Before Linux 5.11 maps count as locked memory, of which root has 64 KiB like anybody. */
static int with_memory(enum bpf_cmd cmd, union bpf_attr *a)
{
	const struct rlimit none = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
	struct rlimit before;
	int rc = call(cmd, a);

	if (rc != -EPERM || getrlimit(RLIMIT_MEMLOCK, &before) || setrlimit(RLIMIT_MEMLOCK, &none))
		return rc;
	rc = call(cmd, a);
	(void)setrlimit(RLIMIT_MEMLOCK, &before);
	return rc;
}

/* Keys are 4 bytes. */
static int call_map(enum bpf_map_type type, uint32_t value_size, uint32_t entries, uint32_t flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_type = type;
	a.key_size = 4;
	a.value_size = value_size;
	a.max_entries = entries;
	a.map_flags = flags;
	return with_memory(BPF_MAP_CREATE, &a);
}

/* Stores the descriptor of an event in an array of them. */
static int call_put(int map, uint32_t key, int fd)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)map;
	a.key = address(&key);
	a.value = address(&fd);
	return call(BPF_MAP_UPDATE_ELEM, &a);
}

/* Loads a program for the kernel's raw tracepoint whose BTF type is `point`. */
static int call_load(const struct bpf_insn *insn, size_t n, uint32_t point)
{
	static const char license[] = "Dual MIT/GPL"; /* of this program: else the kernel lets it
							 call less */
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.prog_type = BPF_PROG_TYPE_TRACING;
	a.expected_attach_type = BPF_TRACE_RAW_TP;
	a.attach_btf_id = point;
	a.insns = address(insn);
	a.insn_cnt = (uint32_t)n;
	a.license = address(license);
	return with_memory(BPF_PROG_LOAD, &a);
}

/* Runs it at its tracepoint, until the descriptor is closed. */
static int call_attach(int program)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.raw_tracepoint.prog_fd = (uint32_t)program;
	return call(BPF_RAW_TRACEPOINT_OPEN, &a);
}

#define TYPES "/sys/kernel/btf/vmlinux"
#define PRESENT "/sys/devices/system/cpu/present"
#define FIRST_PIDS "pid:[4026531836]" /* the number of the first namespace, in every kernel */

/* Numbers of threads are those of the first namespace in the kernel. */
static int is_first_namespace(void)
{
	char link[64];
	const ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);

	if (n < 0)
		return 0;
	link[n] = '\0';
	return strcmp(link, FIRST_PIDS) == 0;
}

/* Reading the types takes 10 ms: the kernel stays the same. */
static int find_kernel(struct sd_switch_kernel *out)
{
	static struct sd_switch_kernel known;
	struct sd_kernel_types t;
	int rc = 0;

	if (!known.switching) {
		rc = sd_kernel_types_open(&t, TYPES);
		if (!rc) {
			rc = sd_switch_kernel_find(&t, &known);
			sd_kernel_types_close(&t);
		}
	}
	*out = known;
	return rc;
}

/* As many as the highest number that is present, and one. */
static unsigned count_cpus(void)
{
	struct sd_cpulist list = {0};
	char text[4096] = "";
	unsigned most = 0;
	FILE *const f = fopen(PRESENT, "re");

	if (f && fgets(text, sizeof text, f) && sd_cpulist_parse(text, &list) == 0)
		for (size_t i = 0; i < list.n; i++)
			most = list.cpu[i] >= most ? list.cpu[i] + 1 : most;
	if (f)
		fclose(f);
	sd_cpulist_free(&list);
	return most;
}

static size_t rings_bytes(const struct sd_switch_programs *p)
{
	return p->cpus * sizeof *p->ring;
}

/* One map for all CPUs: a map of maps waits for every CPU of the machine whenever one is added. */
static int open_rings(struct sd_switch_programs *p)
{
	void *ring;

	p->cpus = count_cpus();
	if (!p->cpus)
		return -ENOENT;
	p->rings = call_map(BPF_MAP_TYPE_ARRAY, sizeof *p->ring, p->cpus, BPF_F_MMAPABLE);
	if (p->rings < 0)
		return p->rings;
	ring = mmap(NULL, rings_bytes(p), PROT_READ | PROT_WRITE, MAP_SHARED, p->rings, 0);
	if (ring == MAP_FAILED)
		return -errno;
	p->ring = ring;
	(void)madvise(ring, rings_bytes(p), MADV_DONTFORK); /* a fork would copy its page table */
	return 0;
}

static int open_maps(struct sd_switch_programs *p)
{
	const int rc = open_rings(p);

	if (rc)
		return rc;
	p->stacks = call_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, p->cpus, 0);
	return p->stacks < 0 ? p->stacks : 0;
}

static int load(struct sd_switch_programs *p, const struct sd_switch_kernel *k)
{
	struct bpf_insn code[2][SD_SWITCH_CODE];
	const size_t n[2] = {sd_switch_code(k, p->rings, p->stacks, code[0]),
		sd_switch_code_waking(k, p->rings, code[1])};
	const uint32_t point[2] = {k->switching, k->waking};

	for (int i = 0; i < 2; i++) {
		p->program[i] = call_load(code[i], n[i], point[i]);
		if (p->program[i] < 0)
			return p->program[i];
		p->at[i] = call_attach(p->program[i]);
		if (p->at[i] < 0)
			return p->at[i];
	}
	return 0;
}

int sd_switch_programs_open(struct sd_switch_programs *p)
{
	struct sd_switch_kernel k;
	int rc;

	*p = (struct sd_switch_programs){
		.rings = -1, .stacks = -1, .program = {-1, -1}, .at = {-1, -1}};
	if (!is_first_namespace())
		return -EXDEV;
	rc = find_kernel(&k);
	p->open = 1;
	rc = rc ? rc : open_maps(p);
	rc = rc ? rc : load(p, &k);
	if (rc)
		sd_switch_programs_close(p);
	return rc;
}

void sd_switch_programs_close(struct sd_switch_programs *p)
{
	const int fd[] = {p->at[0], p->program[0], p->at[1], p->program[1], p->rings, p->stacks};

	for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
		if (p->open && fd[i] >= 0)
			close(fd[i]);
	if (p->ring)
		munmap(p->ring, rings_bytes(p));
	*p = (struct sd_switch_programs){0};
}

int sd_switch_programs_ring(
	struct sd_switch_programs *p, unsigned cpu, int event, struct sd_switch_ring **out)
{
	int rc = cpu < p->cpus ? 0 : -ENODEV;

	*out = NULL;
	if (!rc && event >= 0)
		rc = call_put(p->stacks, cpu, event);
	if (!rc)
		*out = &p->ring[cpu];
	return rc;
}
