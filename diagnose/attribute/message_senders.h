/*
 * Who ends the waits for messages (pipes, sockets), where the kernel said who woke whom.
 */
#ifndef SD_MESSAGE_SENDERS_H
#define SD_MESSAGE_SENDERS_H

#include "trace/timeline.h"

/* *out: owned by the caller, one a moment of the timeline: of a wait at a pipe or socket, the
 * number of the thread that ended it, + 1; else 0. NULL where no such wait is known. 0 or -ENOMEM.
 */
int sd_message_senders_find(const struct sd_timeline *t, unsigned **out);

#endif
