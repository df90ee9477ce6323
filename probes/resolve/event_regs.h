/*
 * The user-mode registers of an event that the analysis asks for, by their role.
 */
#ifndef SD_EVENT_REGS_H
#define SD_EVENT_REGS_H

#include "trace/event.h"

/* The instruction and stack pointer; 0 if missing. */
uint64_t sd_event_regs_ip(const struct sd_event *e);
uint64_t sd_event_regs_sp(const struct sd_event *e);

/* Argument i of the system call that a thread waits in; for futex its address, operation and
 * expected value. 0 if missing. */
#define SD_EVENT_REGS_ARGUMENTS 3
uint64_t sd_event_regs_argument(const struct sd_event *e, unsigned i);

#endif
