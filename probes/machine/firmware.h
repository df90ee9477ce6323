/*
 * What the machine's firmware and the kernel's /sys say of the hypervisor, where the CPU cannot
 * tell.
 */
#ifndef SD_FIRMWARE_H
#define SD_FIRMWARE_H

#include <stddef.h>

/*
 * The hypervisor's name from /sys/hypervisor/type, the device tree or DMI under `root` (NULL = this
 * machine), as systemd-detect-virt(1) knows them; "" when none of them names one: bare metal, or
 * unknown.
 */
void sd_firmware_hypervisor(const char *root, char *name, size_t size);

#endif
