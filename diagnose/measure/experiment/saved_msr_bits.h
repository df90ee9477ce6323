/*
 * Registers as they were before a change, written down in a file for the case that nobody is
 * left who remembers: scalediag and its guard both killed.
 *
 *   scalediag prefetchers 1
 *   boot 6f0c2f2e-...          a later boot has reset the registers
 *   msr 420
 *   cpu 0 0                    which CPU, and the bits that were set there
 */
#ifndef SD_SAVED_MSR_BITS_H
#define SD_SAVED_MSR_BITS_H

#include <stddef.h>
#include <stdint.h>

struct sd_saved_msr_bits_cpu {
	unsigned cpu;
	uint64_t bits;
};

struct sd_saved_msr_bits {
	uint32_t msr;
	char boot[64];                     /* the kernel's boot id; "" unknown */
	struct sd_saved_msr_bits_cpu *cpu; /* owned */
	size_t n;
};

/* The kernel's boot id; "" if unknown. `root` is the prefix of /proc. */
void sd_saved_msr_bits_boot(char *boot, size_t size, const char *root);

/* Writes and syncs the file. 0; -EEXIST: an older one still exists; -errno with nothing left
 * behind. */
int sd_saved_msr_bits_write(const char *path, const struct sd_saved_msr_bits *o);

/*
 * 0; -ENOENT; -EPERM: others could have written the file; -EINVAL: not such a file, or damaged;
 * -errno. *o is empty on failure.
 */
int sd_saved_msr_bits_read(const char *path, struct sd_saved_msr_bits *o);

/* The same from memory. The fuzz target. */
int sd_saved_msr_bits_parse(const char *text, size_t size, struct sd_saved_msr_bits *o);

void sd_saved_msr_bits_free(struct sd_saved_msr_bits *o); /* accepts the zeroed value */

#endif
