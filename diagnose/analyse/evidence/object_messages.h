/*
 * Objects that processes send each other: one makes a message of them (pickling), the other makes
 * objects of it, and a pipe or socket lies between.
 */
#ifndef SD_OBJECT_MESSAGES_H
#define SD_OBJECT_MESSAGES_H

#include "case/case.h"

/* From this share of a cause on it is told as one of such messages. */
#define SD_OBJECT_MESSAGES_LEAST .3

/* Says that this share of the cause is at such messages, which is what it is, who asked for them
 * and what the processes of the pool run, as far as samples of the last point met them. */
void sd_object_messages_say(struct sd_case *c, struct sd_finding *f, double share);

#endif
