#include "bpf/bpf_calls.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cpulist.h"

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

int sd_bpf_calls_map(enum bpf_map_type type, uint32_t key_size, uint32_t value_size,
	uint32_t entries, uint32_t flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_type = type;
	a.key_size = key_size;
	a.value_size = value_size;
	a.max_entries = entries;
	a.map_flags = flags;
	return with_memory(BPF_MAP_CREATE, &a);
}

int sd_bpf_calls_put(int map, const void *key, const void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)map;
	a.key = address(key);
	a.value = address(value);
	return call(BPF_MAP_UPDATE_ELEM, &a);
}

int sd_bpf_calls_get(int map, const void *key, void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)map;
	a.key = address(key);
	a.value = address(value);
	return call(BPF_MAP_LOOKUP_ELEM, &a);
}

int sd_bpf_calls_first(int map, void *key)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)map;
	a.next_key = address(key);
	return call(BPF_MAP_GET_NEXT_KEY, &a);
}

int sd_bpf_calls_delete(int map, const void *key)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)map;
	a.key = address(key);
	return call(BPF_MAP_DELETE_ELEM, &a);
}

static int load(const struct bpf_insn *insn, size_t n, uint32_t point)
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

int sd_bpf_calls_attach(int program)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.raw_tracepoint.prog_fd = (uint32_t)program;
	return call(BPF_RAW_TRACEPOINT_OPEN, &a);
}

int sd_bpf_calls_run(const struct bpf_insn *insn, size_t n, uint32_t point, int *program)
{
	const int loaded = load(insn, n, point);
	const int at = loaded < 0 ? loaded : sd_bpf_calls_attach(loaded);

	if (program)
		*program = loaded;
	else if (loaded >= 0)
		close(loaded); /* where it is attached keeps it */
	return at;
}

#define FIRST_PIDS "pid:[4026531836]" /* the number of the first namespace, in every kernel */

int sd_bpf_calls_sees_pids(void)
{
	char link[64];
	const ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);

	if (n < 0)
		return 0;
	link[n] = '\0';
	return strcmp(link, FIRST_PIDS) == 0;
}

unsigned sd_bpf_calls_cpus(const char *list_path)
{
	struct sd_cpulist list = {0};
	char text[4096] = "";
	unsigned most = 0;
	FILE *const f = fopen(list_path, "re");

	if (f && fgets(text, sizeof text, f) && sd_cpulist_parse(text, &list) == 0)
		for (size_t i = 0; i < list.n; i++)
			most = list.cpu[i] >= most ? list.cpu[i] + 1 : most;
	if (f)
		fclose(f);
	sd_cpulist_free(&list);
	return most;
}
