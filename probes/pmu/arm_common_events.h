/*
 * Which of the architecture's common events an ARM CPU implements.
 */
#ifndef SD_ARM_COMMON_EVENTS_H
#define SD_ARM_COMMON_EVENTS_H

#include <stdint.h>

/*
 * An ARM PMU accepts any event number and counts 0 for events it lacks. The kernel lists in sysfs
 * which common events (Arm ARM: those covered by PMCEID0 and PMCEID1) are implemented. 1: `code` is
 * a common event but not listed, so it would count nothing. 0: listed, or not a common event, or
 * there is no such PMU here. `root` is the prefix of /sys.
 */
int sd_arm_common_events_lack(const char *root, uint64_t code);

#endif
