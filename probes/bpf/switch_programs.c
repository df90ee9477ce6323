#include "bpf/switch_programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "bpf/bpf_call.h"
#include "bpf/switch_code.h"

#define TYPES "/sys/kernel/btf/vmlinux"
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

static int open_ring(void)
{
	return sd_bpf_call_map(
		BPF_MAP_TYPE_ARRAY, sizeof(struct sd_switch_ring), 1, BPF_F_MMAPABLE, -1);
}

static int open_maps(struct sd_switch_programs *p)
{
	const int like = open_ring();

	if (like < 0)
		return like;
	p->rings = sd_bpf_call_map(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, SD_CPU_MAX, 0, like);
	close(like);
	if (p->rings < 0)
		return p->rings;
	p->stacks = sd_bpf_call_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, SD_CPU_MAX, 0, -1);
	return p->stacks < 0 ? p->stacks : 0;
}

static int load(struct sd_switch_programs *p, const struct sd_switch_kernel *k)
{
	struct bpf_insn code[2][SD_SWITCH_CODE];
	const size_t n[2] = {sd_switch_code(k, p->rings, p->stacks, code[0]),
		sd_switch_code_waking(k, p->rings, code[1])};
	const uint32_t point[2] = {k->switching, k->waking};

	for (int i = 0; i < 2; i++) {
		p->program[i] = sd_bpf_call_load(code[i], n[i], point[i]);
		if (p->program[i] < 0)
			return p->program[i];
		p->at[i] = sd_bpf_call_attach(p->program[i]);
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
	*p = (struct sd_switch_programs){0};
}

int sd_switch_programs_ring(
	struct sd_switch_programs *p, unsigned cpu, int event, struct sd_switch_ring **out)
{
	const int map = open_ring();
	void *ring = MAP_FAILED;
	int rc = map < 0 ? map : 0;

	*out = NULL;
	if (!rc) {
		ring = mmap(NULL, sizeof(struct sd_switch_ring), PROT_READ | PROT_WRITE, MAP_SHARED,
			map, 0);
		rc = ring == MAP_FAILED ? -errno : 0;
	}
	if (!rc && event >= 0)
		rc = sd_bpf_call_put(p->stacks, cpu, event);
	rc = rc ? rc : sd_bpf_call_put(p->rings, cpu, map);
	if (map >= 0)
		close(map);
	if (!rc)
		*out = ring;
	else if (ring != MAP_FAILED)
		munmap(ring, sizeof(struct sd_switch_ring));
	return rc;
}

void sd_switch_programs_unmap(struct sd_switch_ring *ring)
{
	if (ring)
		munmap(ring, sizeof(struct sd_switch_ring));
}
