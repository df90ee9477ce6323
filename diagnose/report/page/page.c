#include "page/page.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"

#define WIDTH 100 /* when nothing is known of the reader's */

static const char *const tone_code[] = {
	[SD_TONE_PLAIN] = "",
	[SD_TONE_BOLD] = "\033[1m",
	[SD_TONE_GOOD] = "\033[32m",
	[SD_TONE_BAD] = "\033[31m",
	[SD_TONE_DOUBT] = "\033[33m",
	[SD_TONE_DIM] = "\033[2m",
};

void sd_page_begin(struct sd_page *p, FILE *f, const struct sd_report_style *s)
{
	*p = (struct sd_page){.f = f, .width = WIDTH};
	if (!s)
		return;
	p->width = s->width ? s->width : WIDTH;
	p->colour = s->colour;
	p->ascii = s->ascii;
}

int sd_page_end(struct sd_page *p)
{
	if (fflush(p->f) != 0 || ferror(p->f))
		return -EIO;
	return p->failed ? -ENOMEM : 0;
}

/* The text with only what this page may print; a fresh string, or NULL and the page has failed. */
static char *prepare(struct sd_page *p, const char *text)
{
	char *out = p->ascii ? sd_sanitize_ascii(text) : sd_sanitize(text);

	if (!out)
		p->failed = 1;
	return out;
}

/* Sections begin and end with an empty line: one is enough. */
static void end_line(struct sd_page *p)
{
	if (p->ends < 2)
		fputc('\n', p->f);
	p->ends++;
}

static void emit(struct sd_page *p, enum sd_tone tone, const char *text, size_t n)
{
	const int coloured = p->colour && tone != SD_TONE_PLAIN && n > 0;

	if (coloured)
		fputs(tone_code[tone], p->f);
	fwrite(text, 1, n, p->f);
	if (n > 0)
		p->ends = 0;
	if (coloured)
		fputs("\033[0m", p->f);
}

static char *__attribute__((format(printf, 2, 0)))
format(struct sd_page *p, const char *fmt, va_list ap)
{
	char *text = NULL, *out;

	if (vasprintf(&text, fmt, ap) < 0) {
		p->failed = 1;
		return NULL;
	}
	out = prepare(p, text);
	free(text);
	return out;
}

void sd_page_put(struct sd_page *p, enum sd_tone tone, const char *fmt, ...)
{
	char *raw = NULL, *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&raw, fmt, ap);
	va_end(ap);
	if (n < 0) {
		p->failed = 1;
		return;
	}
	/* newlines are the caller's own: clean what stands between them */
	for (char *line = raw; line;) {
		char *end = strchr(line, '\n');

		if (end)
			*end = '\0';
		text = prepare(p, line);
		if (text)
			emit(p, tone, text, strlen(text));
		free(text);
		if (end)
			end_line(p);
		line = end ? end + 1 : NULL;
	}
	free(raw);
}

size_t sd_page_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t columns_of(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* The bytes of `text` that go on a line of `room` columns: up to the last space that fits. A per
 * cent sign stays with its number. */
static size_t line_length(const char *text, size_t room)
{
	size_t best = 0;

	for (size_t i = 0;; i++) {
		if (text[i] != '\0' && (text[i] != ' ' || text[i + 1] == '%'))
			continue;
		if (best > 0 && columns_of(text, i) > room)
			return best;
		best = i;
		if (text[i] == '\0')
			return best;
	}
}

static void wrap(
	struct sd_page *p, enum sd_tone tone, const char *first, unsigned indent, const char *text)
{
	size_t used = sd_page_columns(first);

	emit(p, SD_TONE_PLAIN, first, strlen(first));
	do {
		const size_t n = line_length(text, p->width > used ? p->width - used : 1);

		emit(p, tone, text, n);
		end_line(p);
		text += n;
		while (*text == ' ')
			text++;
		if (*text)
			fprintf(p->f, "%*s", (int)indent, "");
		used = indent;
	} while (*text);
}

static void __attribute__((format(printf, 5, 0))) wrap_all(struct sd_page *p, enum sd_tone tone,
	const char *first, unsigned indent, const char *fmt, va_list ap)
{
	const size_t empty = strspn(first, "\n");
	char *head = prepare(p, first + empty), *text = format(p, fmt, ap);

	if (head && text) {
		for (size_t i = 0; i < empty; i++)
			end_line(p);
		wrap(p, tone, head, indent, text);
	}
	free(head);
	free(text);
}

void sd_page_wrap(struct sd_page *p, const char *first, unsigned indent, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wrap_all(p, SD_TONE_PLAIN, first, indent, fmt, ap);
	va_end(ap);
}

void sd_page_wrap_tone(struct sd_page *p, enum sd_tone tone, const char *first, unsigned indent,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	wrap_all(p, tone, first, indent, fmt, ap);
	va_end(ap);
}

unsigned sd_page_bar(struct sd_page *p, double fraction, unsigned columns, int gain)
{
	static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	const double f = fraction > 1 ? 1 : fraction;
	const unsigned n = f > 0 ? (unsigned)lround(f * columns * 8) : 0;
	const unsigned whole = p->ascii || gain ? (n + 4) / 8 : n / 8;
	const unsigned rest = p->ascii || gain ? 0 : n % 8;

	for (unsigned i = 0; i < whole; i++)
		fputs(gain ? (p->ascii ? "-" : "░") : p->ascii ? "#" : "█", p->f);
	fputs(eighth[rest], p->f);
	if (n > 0)
		p->ends = 0;
	return whole + (rest > 0);
}

void sd_page_cell(struct sd_page *p, enum sd_tone tone, const char *text, size_t columns, int right)
{
	char *clean = prepare(p, text);
	size_t n, pad;

	if (!clean)
		return;
	n = sd_page_columns(clean);
	pad = n < columns ? columns - n : 0;
	if (columns)
		p->ends = 0;
	fprintf(p->f, "%*s", right ? (int)pad : 0, "");
	emit(p, tone, clean, strlen(clean));
	fprintf(p->f, "%*s", right ? 0 : (int)pad, "");
	free(clean);
}

char *sd_page_written(FILE *f, char **text)
{
	if (f && fclose(f) == 0)
		return *text;
	free(*text);
	*text = NULL;
	return NULL;
}

static void put_word(FILE *f, const char *word)
{
	/* what no shell gives a meaning to */
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_^{}";

	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

char *sd_page_command(const struct sd_texts *argv)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < argv->n; i++) {
		if (i > 0)
			fputc(' ', f);
		put_word(f, argv->text[i]);
	}
	return sd_page_written(f, &out);
}

char *sd_page_word(const char *word)
{
	char *copy = strdup(word), *out;
	const struct sd_texts one = {.text = &copy, .n = 1};

	out = copy ? sd_page_command(&one) : NULL;
	free(copy);
	return out;
}

/* One word at *p, which is not blank, to `to`, where *p is behind it then. 0 or -EINVAL. */
static int read_word(const char **p, char *to)
{
	int quoted = 0;

	for (; **p && (quoted || **p != ' '); (*p)++)
		if (**p == '\'')
			quoted = !quoted;
		else if (**p == '\\' && !quoted && (*p)[1])
			*to++ = *++*p;
		else
			*to++ = **p;
	*to = '\0';
	return quoted ? -EINVAL : 0;
}

int sd_page_words(const char *command, struct sd_texts *argv)
{
	char *const word = malloc(strlen(command) + 1);
	int rc = word ? 0 : -ENOMEM;

	while (!rc && *(command += strspn(command, " "))) {
		rc = read_word(&command, word);
		rc = rc ? rc : sd_texts_add(argv, "%s", word);
	}
	free(word);
	return rc;
}
