/*
 * The architecture's common events that an ARM CPU really has.
 */
#ifndef SD_ARM_COMMON_EVENTS_H
#define SD_ARM_COMMON_EVENTS_H

#include <stdint.h>

/*
 * An ARM PMU opens every event number and counts 0 for what it does not have. Of the common events
 * (Arm ARM: those that PMCEID0 and PMCEID1 tell of) the kernel lists in sysfs just the ones that
 * there are. 1: `code` is a common event and not listed: it would count nothing. 0: it is listed,
 * or not a common event, or there is no such PMU here. `root` is the prefix of /sys.
 */
int sd_arm_common_events_lack(const char *root, uint64_t code);

#endif
