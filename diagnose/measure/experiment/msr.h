/*
 * Access to model-specific registers through the kernel's msr driver (msr(4)).
 */
#ifndef SD_MSR_H
#define SD_MSR_H

#include <stdint.h>

struct sd_msr {
	const char *root; /* prefix of /dev, for fake trees; "" = this machine */
	/*
	 * 0 or -errno: -ENOENT no such file (the driver is not loaded, or no such CPU); -EACCES,
	 * -EPERM not permitted (no root, no CAP_SYS_RAWIO, a locked-down kernel); -EIO the CPU has
	 * no such register.
	 */
	int (*read)(const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t *value);
	int (*write)(const struct sd_msr *m, unsigned cpu, uint32_t address, uint64_t value);
};

/* Access through the kernel. `root` is borrowed. */
struct sd_msr sd_msr_of(const char *root);

/*
 * Locks the registers of all CPUs against other scalediag processes on the machine, without
 * waiting. Returns a descriptor; closing it releases the lock. -EWOULDBLOCK: locked by another;
 * -errno.
 */
int sd_msr_lock(const struct sd_msr *m);

#endif
