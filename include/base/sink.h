/*
 * The sink of messages for the user: main creates one and passes it down; nothing below main
 * prints.
 */
#ifndef SD_SINK_H
#define SD_SINK_H

#include <stdarg.h>

enum sd_level {
	SD_LEVEL_ERROR,   /* the command cannot do what was asked */
	SD_LEVEL_WARNING, /* it can, but the user should know something */
	SD_LEVEL_NOTE,    /* progress and hints; may be dropped */
};

struct sd_sink {
	/* `text` is one line without the newline; control characters have been replaced. */
	void (*emit)(void *ctx, enum sd_level level, const char *text);
	void *ctx;
};

/*
 * Formats one message (longer ones are cut to 1023 bytes) and passes it to the sink; a NULL sink
 * drops it. A message says what happened, to what, and what to do about it. It is reported once,
 * where the cause is known.
 */
void sd_say(const struct sd_sink *sink, enum sd_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
