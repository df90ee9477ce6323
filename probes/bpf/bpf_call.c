#include "bpf/bpf_call.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int sd_bpf_call_map(enum bpf_map_type type, uint32_t value_size, uint32_t entries, uint32_t flags)
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

int sd_bpf_call_put(int map, uint32_t key, int fd)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.map_fd = (uint32_t)map;
	a.key = address(&key);
	a.value = address(&fd);
	return call(BPF_MAP_UPDATE_ELEM, &a);
}

int sd_bpf_call_load(const struct bpf_insn *insn, size_t n, uint32_t point)
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

int sd_bpf_call_attach(int program)
{
	union bpf_attr a;

	memset(&a, 0, sizeof a);
	a.raw_tracepoint.prog_fd = (uint32_t)program;
	return call(BPF_RAW_TRACEPOINT_OPEN, &a);
}
