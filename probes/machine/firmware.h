/*
 * The hypervisor according to firmware and /sys, where the CPU cannot tell.
 */
#ifndef SD_FIRMWARE_H
#define SD_FIRMWARE_H

#include <stddef.h>

/*
 * The hypervisor's name from /sys/hypervisor/type, the device tree or DMI under `root` (NULL = this
 * machine), as systemd-detect-virt(1) knows them; "" if none names one: bare metal, or unknown.
 */
void sd_firmware_hypervisor(const char *root, char *name, size_t size);

#endif
