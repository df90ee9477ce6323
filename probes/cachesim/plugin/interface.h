/*
 * The differences between the versions of QEMU's plugin interface.
 */
#ifndef SIM_INTERFACE_H
#define SIM_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/qemu_plugin.h"

#define SIM_INTERFACE_BYTES 16u /* of the longest instruction */

/* Call first at installation. */
void sim_interface_open(const struct qemu_info *info);

/* The bytes of an instruction; *n: how many. Valid until the next call for the same `copy`. */
const unsigned char *sim_interface_code(
	const struct qemu_plugin_insn *in, unsigned char copy[SIM_INTERFACE_BYTES], size_t *n);

/* Whether translated code can count for itself: store into a vCPU's memory, and call on condition.
 */
int sim_interface_counts(void);

/* Whether translations may be dropped while the program runs: QEMU 7.2 crashes now and then,
 * for it goes on to use what it has freed. */
int sim_interface_retranslates(void);

#endif
