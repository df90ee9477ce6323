#include "fix/source_edit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

#define CONTEXT 3

/* 0: it stands apart; 1: it overlaps another one; 2: it is there already. */
static int meets(const struct sd_source_edits *e, size_t at, size_t remove, const char *insert)
{
	for (size_t k = 0; k < e->n; k++) {
		const struct sd_source_change *const o = &e->change[k];

		if (o->at == at && o->remove == remove && strcmp(o->insert, insert) == 0)
			return 2;
		if (at < o->at + o->remove && o->at < at + remove)
			return 1;
	}
	return 0;
}

int sd_source_edits_overlaps(
	const struct sd_source_edits *e, size_t at, size_t remove, const char *insert)
{
	return meets(e, at, remove, insert) == 1;
}

int sd_source_edits_add(
	struct sd_source_edits *e, size_t at, size_t remove, const char *insert, ...)
{
	struct sd_source_change one = {.at = at, .remove = remove};
	va_list args;
	size_t i = e->n;
	int n, met;

	va_start(args, insert);
	n = vasprintf(&one.insert, insert, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	met = meets(e, at, remove, one.insert);
	if (met) {
		free(one.insert);
		return met == 2 ? 0 : -EINVAL;
	}
	if (SD_APPEND(e->change, e->n, &one)) {
		free(one.insert);
		return -ENOMEM;
	}
	for (; i > 0 && e->change[i - 1].at > at; i--)
		e->change[i] = e->change[i - 1];
	e->change[i] = one;
	return 0;
}

void sd_source_edits_free(struct sd_source_edits *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->change[i].insert);
	free(e->change);
	*e = (struct sd_source_edits){0};
}

/* The bytes from `from` to `to` after the changes that begin in them; a change at `to` is the
 * next one's unless the text ends there. */
static int put_changed(FILE *f, const struct sd_source_edits *e, const char *text, size_t from,
	size_t to, size_t size)
{
	size_t at = from;

	for (size_t i = 0; i < e->n; i++) {
		const struct sd_source_change *const c = &e->change[i];

		if (c->at < from || c->at > to || (c->at == to && to != size))
			continue;
		fwrite(text + at, 1, c->at - at, f);
		fputs(c->insert, f);
		at = c->at + c->remove;
	}
	if (at < to)
		fwrite(text + at, 1, to - at, f);
	return ferror(f) ? -ENOMEM : 0;
}

char *sd_source_edits_apply(
	const struct sd_source_edits *e, const char *text, size_t size, size_t *length)
{
	char *out = NULL;
	FILE *const f = open_memstream(&out, length);
	int rc;

	if (!f)
		return NULL;
	rc = put_changed(f, e, text, 0, size, size);
	if (fclose(f) != 0 || rc) {
		free(out);
		return NULL;
	}
	return out;
}

/* ---- the diff -------------------------------------------------------------------------------- */

struct lines {
	size_t *at; /* owned; where each line begins, and the end */
	size_t n;
	unsigned char *changed; /* owned */
};

static int split(struct lines *l, const char *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '\n';
	n += size > 0 && text[size - 1] != '\n';
	l->at = calloc(n + 1, sizeof *l->at);
	l->changed = calloc(n + 1, 1);
	if (!l->at || !l->changed)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		if (i == 0 || text[i - 1] == '\n')
			l->at[l->n++] = i;
	l->at[l->n] = size;
	return 0;
}

enum { AS_IT_WAS, CHANGED, BEHIND_NEW_ONES };

/* Marks lines that change, and those that stay behind whole new lines. */
static void mark(struct lines *l, const struct sd_source_edits *e)
{
	for (size_t i = 0; i < e->n; i++)
		for (size_t k = 0; k < l->n; k++) {
			const struct sd_source_change *const c = &e->change[i];
			const size_t n = strlen(c->insert);

			if (c->at >= l->at[k + 1] || c->at + c->remove + !c->remove <= l->at[k])
				continue;
			if (!c->remove && c->at == l->at[k] && n && c->insert[n - 1] == '\n' &&
				l->changed[k] != CHANGED)
				l->changed[k] = BEHIND_NEW_ONES;
			else
				l->changed[k] = CHANGED;
		}
}

/* Puts text line by line behind a sign; returns how many. */
static size_t put_lines(FILE *f, char sign, const char *text, size_t size)
{
	size_t n = 0;

	while (size > 0) {
		const char *const end = memchr(text, '\n', size);
		const size_t length = end ? (size_t)(end - text) + 1 : size;

		fputc(sign, f);
		fwrite(text, 1, length, f);
		if (!end)
			fputs("\n\\ No newline at end of file\n", f);
		text += length;
		size -= length;
		n++;
	}
	return n;
}

/* Lines and what becomes of them; returns how many that are. Lines that were put before them leave
 * them as they are. */
static size_t put_change(
	FILE *f, const char *before, size_t size, const char *changed, size_t length)
{
	const size_t more = length > size ? length - size : 0;

	if (more && changed[more - 1] == '\n' && memcmp(changed + more, before, size) == 0)
		return put_lines(f, '+', changed, more) + put_lines(f, ' ', before, size);
	put_lines(f, '-', before, size);
	return put_lines(f, '+', changed, length);
}

/* The lines from `from` to `to`, of which the changed ones stand in both versions. */
static int put_body(FILE *f, const struct sd_source_edits *e, const struct lines *l,
	const char *text, size_t from, size_t to, size_t *after)
{
	for (size_t i = from; i < to;) {
		size_t end = i, length = 0;
		char *changed = NULL;
		FILE *m;
		int rc;

		while (end < to && l->changed[end] == l->changed[i] &&
			(end == i || l->changed[i] != BEHIND_NEW_ONES))
			end++;
		if (!l->changed[i]) {
			*after += put_lines(f, ' ', text + l->at[i], l->at[end] - l->at[i]);
			i = end;
			continue;
		}
		m = open_memstream(&changed, &length);
		if (!m)
			return -ENOMEM;
		rc = put_changed(m, e, text, l->at[i], l->at[end], l->at[l->n]);
		if (fclose(m) != 0 || rc) {
			free(changed);
			return -ENOMEM;
		}
		*after += put_change(f, text + l->at[i], l->at[end] - l->at[i], changed, length);
		free(changed);
		i = end;
	}
	return 0;
}

static int put_hunks(
	FILE *f, const struct sd_source_edits *e, const struct lines *l, const char *text)
{
	size_t first = 0;
	long moved = 0;

	while (first < l->n) {
		size_t from, to, last, after = 0, size = 0;
		char *body = NULL;
		FILE *m;
		int rc;

		while (first < l->n && !l->changed[first])
			first++;
		if (first == l->n)
			break;
		last = first;
		for (size_t i = first; i < l->n && i <= last + 2 * CONTEXT + 1; i++)
			last = l->changed[i] ? i : last;
		from = first > CONTEXT ? first - CONTEXT : 0;
		to = last + 1 + CONTEXT < l->n ? last + 1 + CONTEXT : l->n;
		m = open_memstream(&body, &size);
		if (!m)
			return -ENOMEM;
		rc = put_body(m, e, l, text, from, to, &after);
		if (fclose(m) != 0 || rc) {
			free(body);
			return -ENOMEM;
		}
		fprintf(f, "@@ -%zu,%zu +%ld,%zu @@\n", from + 1, to - from, (long)from + 1 + moved,
			after);
		fwrite(body, 1, size, f);
		free(body);
		moved += (long)after - (long)(to - from);
		first = to;
	}
	return 0;
}

int sd_source_edits_diff(
	FILE *f, const struct sd_source_edits *e, const char *path, const char *text, size_t size)
{
	struct lines l = {0};
	int rc = split(&l, text, size);

	if (!rc) {
		mark(&l, e);
		fprintf(f, "--- a/%s\n+++ b/%s\n", path, path);
		rc = put_hunks(f, e, &l, text);
	}
	free(l.at);
	free(l.changed);
	return rc;
}
