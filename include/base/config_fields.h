/*
 * Checks that every reader of a libconfig file makes: each setting is a known one, and messages
 * name file and line.
 */
#ifndef SD_CONFIG_FIELDS_H
#define SD_CONFIG_FIELDS_H

#include <libconfig.h>

#include "base/sink.h"

/* Parses `size` bytes of a file. 0: *out is to be destroyed. -EINVAL, said: a NUL, an @include, by
 * which libconfig would open files, or no settings; -ENOMEM; *out is destroyed. */
int sd_config_fields_parse(
	config_t *out, const char *file, const char *text, size_t size, const struct sd_sink *sink);

/* The line of a setting; 1 for the whole file, which libconfig calls 0. */
unsigned sd_config_fields_line(const config_setting_t *s);

/* Says "FILE:LINE: ..." and returns -EINVAL. Line 0 leaves the line out. */
int sd_config_fields_bad(const struct sd_sink *sink, const char *file, unsigned line,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Checks that every member of the group is one of `keys` (NULL-terminated). 0, or -EINVAL, said. */
int sd_config_fields_only(const struct sd_sink *sink, const char *file,
	const config_setting_t *group, const char *const *keys);

/* 1: every byte of it prints. */
int sd_config_fields_prints(const char *text);

#endif
