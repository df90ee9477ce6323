/*
 * Senders of the messages (pipes, sockets) that end waits, if the kernel reported wake-ups.
 */
#ifndef SD_MESSAGE_SENDERS_H
#define SD_MESSAGE_SENDERS_H

#include "trace/timeline.h"

/* *out: owned by the caller, one entry a moment of the timeline: for a wait at a pipe or socket the
 * index + 1 of the thread that ended it, else 0. NULL if no such wait is known. 0 or -ENOMEM.
 */
int sd_message_senders_find(const struct sd_timeline *t, unsigned **out);

#endif
