#include "experiment/prefetch_bits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 3 /* to put a CPU's bits back */

#define SAY(...) snprintf(why, size, __VA_ARGS__)

/* Gives these bits of a CPU's register these values, and looks. -ENOTSUP: it had no effect. */
static int set_bits(const struct sd_prefetchers_of *of, unsigned cpu, uint64_t bits)
{
	const uint64_t off = of->bits.off;
	uint64_t value;
	int rc = of->msr.read(&of->msr, cpu, of->bits.msr, &value);

	if (!rc && (value & off) == bits)
		return 0;
	if (!rc)
		rc = of->msr.write(&of->msr, cpu, of->bits.msr, (value & ~off) | bits);
	if (!rc)
		rc = of->msr.read(&of->msr, cpu, of->bits.msr, &value);
	return rc ? rc : (value & off) == bits ? 0 : -ENOTSUP;
}

struct sd_prefetch_bits sd_prefetch_bits_back(
	const struct sd_prefetchers_of *of, const struct sd_saved_msr_bits *old)
{
	struct sd_prefetch_bits r = {0};

	for (size_t i = 0; i < old->n; i++) {
		int rc = -EIO;

		for (int k = 0; k < TRIES && rc; k++)
			rc = set_bits(of, old->cpu[i].cpu, old->cpu[i].bits);
		/* the others still get theirs */
		if (rc)
			r = (struct sd_prefetch_bits){rc, old->cpu[i].cpu};
	}
	return r;
}

struct sd_prefetch_bits sd_prefetch_bits_off(
	const struct sd_prefetchers_of *of, const struct sd_saved_msr_bits *old)
{
	for (size_t i = 0; i < old->n; i++) {
		const int rc = set_bits(of, old->cpu[i].cpu, of->bits.off);

		if (rc)
			return (struct sd_prefetch_bits){rc, old->cpu[i].cpu};
	}
	return (struct sd_prefetch_bits){0};
}

struct sd_prefetch_bits sd_prefetch_bits_read(const struct sd_prefetchers_of *of,
	const struct sd_cpulist *cpus, struct sd_saved_msr_bits *old)
{
	*old = (struct sd_saved_msr_bits){.msr = of->bits.msr};
	sd_saved_msr_bits_boot(old->boot, sizeof old->boot, "");
	old->cpu = calloc(cpus->n ? cpus->n : 1, sizeof *old->cpu);
	if (!old->cpu)
		return (struct sd_prefetch_bits){-ENOMEM, 0};
	for (; old->n < cpus->n; old->n++) {
		const unsigned cpu = cpus->cpu[old->n];
		uint64_t value;
		const int rc = of->msr.read(&of->msr, cpu, of->bits.msr, &value);

		if (rc)
			return (struct sd_prefetch_bits){rc, cpu};
		old->cpu[old->n] = (struct sd_saved_msr_bits_cpu){cpu, value & of->bits.off};
	}
	return (struct sd_prefetch_bits){0};
}

void sd_prefetch_bits_explain(
	const struct sd_prefetchers_of *of, struct sd_prefetch_bits r, char *why, size_t size)
{
	switch (r.rc) {
	case -ENOENT:
		SAY("there is no /dev/cpu/%u/msr: `modprobe msr` as root", r.cpu);
		break;
	case -EACCES:
	case -EPERM:
		SAY("/dev/cpu/%u/msr may not be opened: only root may, and not where the kernel is "
		    "locked down",
			r.cpu);
		break;
	case -EIO:
		SAY("CPU %u has no register %#" PRIx32 " that may be touched: a virtual machine?",
			r.cpu, of->bits.msr);
		break;
	case -ENOTSUP:
		SAY("register %#" PRIx32
		    " of CPU %u does not keep what is written: a virtual machine ignores it",
			of->bits.msr, r.cpu);
		break;
	default:
		SAY("register %#" PRIx32 " of CPU %u: %s", of->bits.msr, r.cpu, strerror(-r.rc));
	}
}

void sd_prefetch_bits_lament(const struct sd_prefetchers_of *of,
	const struct sd_saved_msr_bits *old, struct sd_prefetch_bits r, char *why, size_t size)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < old->n; i++)
		bits = old->cpu[i].cpu == r.cpu ? old->cpu[i].bits : bits;
	SAY("the prefetchers of CPU %u could not be turned on again: bits %#" PRIx64
	    " of register %#" PRIx32 " must become %#" PRIx64
	    " (wrmsr of msr-tools; a restart of the machine does it too)",
		r.cpu, of->bits.off, of->bits.msr, bits);
}
