#include "sweep/sweep_hosts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 255u
#define FILE_MAX_BYTES ((size_t)16 << 20)

/* States of sinfo(1) in which a job can be started now or in a while; a '*' marks a node that does
 * not answer. */
static const char *const fit[] = {
	"idle", "mixed", "allocated", "completing", "reserved", "planned"};

/*
 * pdsh takes a word before a colon that names one of its ways for how to reach the node, and
 * "exec:" for a command that is run here: behind a colon stand digits alone, and none of these
 * before it; or all is an address of IPv6.
 */
static int has_colon_of_its_own(const char *name)
{
	static const char *const ways[] = {
		"exec", "ssh", "rsh", "mrsh", "mqsh", "qsh", "krb4", "xcpu"};
	const char *const at = strrchr(name, '@'), *const host = at ? at + 1 : name;
	const char *const colon = strchr(name, ':');
	struct in6_addr address;

	if (!colon || inet_pton(AF_INET6, host, &address) == 1)
		return 1;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strncmp(name, ways[i], strlen(ways[i])) == 0 && name[strlen(ways[i])] == ':')
			return 0;
	return colon > host && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

int sd_sweep_hosts_is_name(const char *name)
{
	return name[0] && !strchr("._-@:", name[0]) && strlen(name) <= NAME_MAX_BYTES &&
	       strspn(name,
		       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:") ==
		       strlen(name) &&
	       has_colon_of_its_own(name);
}

/* The n-th word of a line, from 0; "" none. */
static void copy_word(const char *line, size_t n, unsigned which, char *out, size_t size)
{
	static const char blanks[] = " \t\r,";
	size_t from = 0, to = 0;

	for (unsigned i = 0; i <= which; i++) {
		for (from = to; from < n && strchr(blanks, line[from]) && line[from];)
			from++;
		for (to = from; to < n && line[to] && !strchr(blanks, line[to]);)
			to++;
	}
	snprintf(out, size, "%.*s", (int)(to - from), line + from);
}

static int add_host(const char *host, const char *name, size_t line, struct sd_texts *out,
	const struct sd_sink *sink)
{
	if (!sd_sweep_hosts_is_name(host)) {
		sd_say(sink, SD_LEVEL_ERROR,
			"%s:%zu: '%.64s' is no name of a node%s; one name a line (nodeset -e "
			"expands ranges)",
			name, line, host,
			strchr(host, ':') ? ", and how it is reached --engine says" : "");
		return -EINVAL;
	}
	return sd_texts_add(out, "%s", host);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In one order, each once. */
static void keep_once(struct sd_texts *t)
{
	size_t kept = 0;

	if (t->n)
		qsort(t->text, t->n, sizeof *t->text, by_name);
	for (size_t i = 0; i < t->n; i++)
		if (kept && strcmp(t->text[kept - 1], t->text[i]) == 0)
			free(t->text[i]);
		else
			t->text[kept++] = t->text[i];
	t->n = kept;
}

int sd_sweep_hosts_parse(const char *text, size_t size, const char *name, struct sd_texts *out,
	const struct sd_sink *sink)
{
	size_t line = 1;
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < size; line++) {
		const char *const end = memchr(text + at, '\n', size - at);
		const size_t n = end ? (size_t)(end - text) - at : size - at;
		const char *const hash = memchr(text + at, '#', n);
		char host[NAME_MAX_BYTES + 2];

		copy_word(text + at, hash ? (size_t)(hash - text) - at : n, 0, host, sizeof host);
		if (host[0])
			rc = add_host(host, name, line, out, sink);
		at += n + 1;
	}
	keep_once(out);
	return rc;
}

int sd_sweep_hosts_read(const char *path, struct sd_texts *out, const struct sd_sink *sink)
{
	FILE *const f = fopen(path, "re");
	char *const text = malloc(FILE_MAX_BYTES);
	size_t n = 0;
	int rc = f && text ? 0 : f ? -ENOMEM : -errno;

	if (rc == 0) {
		n = fread(text, 1, FILE_MAX_BYTES, f);
		rc = ferror(f) ? -EIO : n == FILE_MAX_BYTES ? -EFBIG : 0;
	}
	if (rc)
		sd_say(sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
	else
		rc = sd_sweep_hosts_parse(text, n, path, out, sink);
	if (f)
		fclose(f);
	free(text);
	return rc;
}

static int is_fit(const char *state)
{
	for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
		if (strncmp(state, fit[i], strlen(fit[i])) == 0 && !strchr(state, '*'))
			return 1;
	return 0;
}

int sd_sweep_hosts_slurm(const char *text, size_t size, struct sd_texts *out,
	struct sd_texts *unfit, const struct sd_sink *sink)
{
	int rc = 0;

	for (size_t at = 0, line = 1; rc == 0 && at < size; line++) {
		const char *const end = memchr(text + at, '\n', size - at);
		const size_t n = end ? (size_t)(end - text) - at : size - at;
		char host[NAME_MAX_BYTES + 2], state[32];

		copy_word(text + at, n, 0, host, sizeof host);
		copy_word(text + at, n, 1, state, sizeof state);
		if (host[0])
			rc = add_host(host, "sinfo", line, is_fit(state) ? out : unfit, sink);
		at += n + 1;
	}
	keep_once(out);
	keep_once(unfit);
	return rc;
}
