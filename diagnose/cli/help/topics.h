/*
 * The topics of `scalediag help TOPIC`: the manual's pages of section 7, which are part of the
 * program as they are written (configs/manual, in scdoc's markup).
 */
#ifndef SD_TOPICS_H
#define SD_TOPICS_H

#include <stdio.h>

#include "context/context.h"

/* A topic that the build puts into the program: "limits", its page; NULL as a name ends them. */
struct sd_topic {
	const char *name, *text, *end; /* *end is a NUL */
};
extern const struct sd_topic sd_topics[];

/* The text of a topic in scdoc's markup, or NULL. */
const char *sd_topics_find(const char *name);

/* Writes the subject of a topic, as its NAME says. */
void sd_topics_summary(const char *text, char *out, size_t size);

/* "Topics:" and a line for each, as --help lists them. */
void sd_topics_list(FILE *f, const struct sd_cli *cli);

/* The page as text to read: headings and emphasis, `bold` with a terminal's escape sequences. */
void sd_topics_print(FILE *f, const char *text, int bold);

#endif
