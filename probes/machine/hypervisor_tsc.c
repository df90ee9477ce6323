#include "machine/hypervisor_tsc.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>

/* Signatures of leaf 0x40000000, as their makers document them. */
static const struct {
	const char *signature, *name;
} hypervisors[] = {
	{"KVMKVMKVM", "KVM"},
	{"Linux KVM Hv", "KVM"},
	{"TCGTCGTCGTCG", "QEMU TCG"},
	{"Microsoft Hv", "Hyper-V"},
	{"VMwareVMware", "VMware"},
	{"XenVMMXenVMM", "Xen"},
	{"VBoxVBoxVBox", "VirtualBox"},
	{"prl hyperv  ", "Parallels"},
	{" lrpepyh  vr", "Parallels"},
	{"bhyve bhyve ", "bhyve"},
	{"ACRNACRNACRN", "ACRN"},
	{"HAXMHAXMHAXM", "HAXM"},
};

#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_HYPERVISOR_TSC 0x40000010u /* EAX: kHz (VMware's convention, also KVM's) */
#define LEAF_TSC 0x15u                  /* TSC = ECX * EBX / EAX (Intel SDM, CPUID, leaf 15H) */

/* The largest hypervisor leaf; 0 = no hypervisor. Fills the signature. */
static unsigned hypervisor_leaf(char signature[13])
{
	unsigned a, b, c, d;

	signature[0] = '\0';
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return 0;
	__cpuid(LEAF_HYPERVISOR, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
	signature[12] = '\0';
	/* KVM may leave EAX 0 and means its first leaf (Linux, Documentation/virt/kvm) */
	return a > LEAF_HYPERVISOR ? a : LEAF_HYPERVISOR;
}

int sd_hypervisor_tsc_name(char *name, size_t size)
{
	char signature[13];

	name[0] = '\0';
	if (!hypervisor_leaf(signature))
		return 0;
	snprintf(name, size, "%s", signature[0] ? signature : "unknown");
	for (char *p = name; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	for (size_t i = 0; i < sizeof hypervisors / sizeof *hypervisors; i++)
		if (strcmp(signature, hypervisors[i].signature) == 0)
			snprintf(name, size, "%s", hypervisors[i].name);
	return 0;
}

static int has_counter(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (d & 1u << 4);
}

/* prctl(PR_SET_TSC) can make reading fatal. */
static int may_read_counter(void)
{
	int mode = PR_TSC_ENABLE;

	return prctl(PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}

/* Unordered: the few ns are nothing beside the ms measured. */
static uint64_t read_counter(void)
{
	return __rdtsc();
}

/* 0 = not stated. */
static double stated_hz(void)
{
	char signature[13];
	unsigned a, b, c, d;

	if (hypervisor_leaf(signature) >= LEAF_HYPERVISOR_TSC) {
		__cpuid(LEAF_HYPERVISOR_TSC, a, b, c, d);
		if (a)
			return a * 1e3;
	}
	if (__get_cpuid(LEAF_TSC, &a, &b, &c, &d) && a && b && c)
		return (double)c * b / a;
	return 0;
}

#elif defined(__aarch64__)

int sd_hypervisor_tsc_name(char *name, size_t size)
{
	(void)size;
	name[0] = '\0';
	return -ENOTSUP;
}

static int has_counter(void)
{
	return 1;
}

static int may_read_counter(void)
{
	return 1;
}

static uint64_t read_counter(void)
{
	uint64_t v;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(v)::"memory");
	return v;
}

static double stated_hz(void)
{
	uint64_t v;

	__asm__("mrs %0, cntfrq_el0" : "=r"(v));
	return (double)(v & UINT32_MAX);
}

#else

int sd_hypervisor_tsc_name(char *name, size_t size)
{
	(void)size;
	name[0] = '\0';
	return -ENOTSUP;
}

static int has_counter(void)
{
	return 0;
}

static int may_read_counter(void)
{
	return 0;
}

static uint64_t read_counter(void)
{
	return 0;
}

static double stated_hz(void)
{
	return 0;
}

#endif

#define PRECISE 1e-3 /* relative uncertainty that a measured rate may have */

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The tightest of a few tries: an interrupt or a preemption between the reads widens the others. */
static struct sd_hypervisor_tsc_moment moment(void)
{
	struct sd_hypervisor_tsc_moment best = {.doubt = UINT64_MAX};

	for (int i = 0; i < 8; i++) {
		const uint64_t before = read_counter(), ns = clock_ns(), after = read_counter();

		if (after >= before && after - before < best.doubt)
			best = (struct sd_hypervisor_tsc_moment){
				before + (after - before) / 2, ns, after - before};
	}
	return best;
}

/* Until now; *error is the relative uncertainty. 0 when time stood still. */
static double hz_since(const struct sd_hypervisor_tsc_moment *from, double *error)
{
	const struct sd_hypervisor_tsc_moment to = moment();
	uint64_t ticks;

	*error = 1;
	if (to.ns <= from->ns || to.ticks <= from->ticks)
		return 0;
	ticks = to.ticks - from->ticks;
	*error = ((double)from->doubt + (double)to.doubt) / 2 / (double)ticks;
	return (double)ticks / (double)(to.ns - from->ns) * 1e9;
}

/* Measures over `ns`. */
static double measured_hz(long ns, double *error)
{
	const struct sd_hypervisor_tsc_moment from = moment();

	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
	return hz_since(&from, error);
}

/* A guest may be shown the rate of the host it was started on, not of the one it moved to. */
static int agree(double stated, double hz, double error)
{
	return hz > 0 && fabs(stated / hz - 1) < 0.01 + error;
}

static int is_plausible(double stated)
{
	double error;
	const double hz = measured_hz(200000, &error);

	return agree(stated, hz, error);
}

struct sd_value sd_hypervisor_tsc_hz(void)
{
	const double stated = has_counter() ? stated_hz() : 0;

	if (!has_counter())
		return SD_NOT(UNSUPPORTED);
	if (!may_read_counter())
		return stated > 0 ? SD_OK(stated) : SD_NOT(DENIED);
	if (stated > 0 && is_plausible(stated))
		return SD_OK(stated);
	for (int tries = 0; tries < 3; tries++) {
		double error;
		const double hz = measured_hz(1000000, &error);

		if (hz > 0 && error < PRECISE)
			return SD_OK(hz);
	}
	return SD_NOT(ABSENT);
}

struct sd_hypervisor_tsc_moment sd_hypervisor_tsc_now(void)
{
	return has_counter() && may_read_counter() ? moment()
						   : (struct sd_hypervisor_tsc_moment){0};
}

struct sd_value sd_hypervisor_tsc_since(const struct sd_hypervisor_tsc_moment *then)
{
	double stated, hz, error = 1;

	if (!then->ns || !may_read_counter())
		return sd_hypervisor_tsc_hz();
	hz = hz_since(then, &error);
	if (!(hz > 0 && error < PRECISE))
		return sd_hypervisor_tsc_hz();
	stated = stated_hz();
	if (stated > 0)
		return agree(stated, hz, error) ? SD_OK(stated) : sd_hypervisor_tsc_hz();
	return SD_OK(hz);
}
