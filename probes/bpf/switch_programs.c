#include "bpf/switch_programs.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/bpf_calls.h"
#include "bpf/switch_code.h"

#define PRESENT "/sys/devices/system/cpu/present"

/* Reading the types takes 10 ms: the kernel stays the same. */
static int find_kernel(struct sd_switch_kernel *out)
{
	static struct sd_switch_kernel known;
	struct sd_kernel_types t;
	int rc = 0;

	if (!known.switching) {
		rc = sd_kernel_types_open(&t, SD_BPF_CALLS_TYPES);
		if (!rc) {
			rc = sd_switch_kernel_find(&t, &known);
			sd_kernel_types_close(&t);
		}
	}
	*out = known;
	return rc;
}

static size_t rings_bytes(const struct sd_switch_programs *p)
{
	return p->cpus * sizeof *p->ring;
}

/* One map for all CPUs: a map of maps waits for every CPU of the machine whenever one is added. */
static int open_rings(struct sd_switch_programs *p)
{
	void *ring;

	p->cpus = sd_bpf_calls_cpus(PRESENT);
	if (!p->cpus)
		return -ENOENT;
	p->rings =
		sd_bpf_calls_map(BPF_MAP_TYPE_ARRAY, 4, sizeof *p->ring, p->cpus, BPF_F_MMAPABLE);
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
	p->stacks = sd_bpf_calls_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, p->cpus, 0);
	return p->stacks < 0 ? p->stacks : 0;
}

static int load(struct sd_switch_programs *p, const struct sd_switch_kernel *k)
{
	struct bpf_insn code[2][SD_SWITCH_CODE];
	const size_t n[2] = {sd_switch_code(k, p->rings, p->stacks, code[0]),
		sd_switch_code_waking(k, p->rings, code[1])};
	const uint32_t point[2] = {k->switching, k->waking};

	for (int i = 0; i < 2; i++) {
		p->at[i] = sd_bpf_calls_run(code[i], n[i], point[i], NULL);
		if (p->at[i] < 0)
			return p->at[i];
	}
	return 0;
}

int sd_switch_programs_open(struct sd_switch_programs *p)
{
	struct sd_switch_kernel k;
	int rc;

	*p = (struct sd_switch_programs){.rings = -1, .stacks = -1, .at = {-1, -1}};
	if (!sd_bpf_calls_sees_pids())
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
	const int fd[] = {p->at[0], p->at[1], p->rings, p->stacks};

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
		rc = sd_bpf_calls_put(p->stacks, &cpu, &event);
	if (!rc)
		*out = &p->ring[cpu];
	return rc;
}
