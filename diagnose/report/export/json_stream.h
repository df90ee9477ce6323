/*
 * JSON that is written as it is made: tables of a profile may be longer than what one would hold in
 * memory as objects. ASCII only, no spaces.
 */
#ifndef SD_JSON_STREAM_H
#define SD_JSON_STREAM_H

#include <jansson.h>
#include <stdio.h>

struct sd_json_stream {
	FILE *f;  /* borrowed */
	int rc;   /* 0, or the first -EIO or -ENOMEM: nothing more is written then */
	int many; /* the innermost list has a member already */
};

/* A list or object begins: `name` as a member of an object, NULL in a list or at the top; `bracket`
 * is '[' or '{'. */
void sd_json_stream_open(struct sd_json_stream *s, const char *name, char bracket);
/* `bracket`: ']' or '}'. */
void sd_json_stream_close(struct sd_json_stream *s, char bracket);

/* One value; takes the reference, NULL is -ENOMEM. */
void sd_json_stream_put(struct sd_json_stream *s, const char *name, json_t *value);

void sd_json_stream_number(struct sd_json_stream *s, const char *name, double value);
/* A clean or any text; what is not UTF-8 in it is shown as \xNN. NULL is null. */
void sd_json_stream_text(struct sd_json_stream *s, const char *name, const char *text);

/* Ends with a newline. 0, -EIO or -ENOMEM. */
int sd_json_stream_end(struct sd_json_stream *s);

#endif
