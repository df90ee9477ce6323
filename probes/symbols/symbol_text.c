#include "symbols/symbol_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"

char *sd_symbol_text_file(int fd, size_t max)
{
	size_t size = 0, room = 65536;
	char *text = malloc(room);
	ssize_t n = -1;

	while (text && (n = read(fd, text + size, room - size - 1)) > 0) {
		size += (size_t)n;
		if (room - size > 1)
			continue;
		if (room >= max)
			break;
		char *const more = realloc(text, room * 2);

		if (!more)
			break;
		text = more;
		room *= 2;
	}
	close(fd);
	if (text && n < 0) {
		free(text);
		return NULL;
	}
	if (text)
		text[size] = '\0';
	return text;
}

static int push(struct sd_symbol_text *l, uint64_t start, uint64_t end, const char *name)
{
	return SD_APPEND(l->item, l->n,
		&(struct sd_label){.start = start, .end = end, .name = name, .order = l->n});
}

/* 16: it is none. */
static unsigned digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
	       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
				      : 16;
}

/* A hexadecimal number and a blank behind it; 0 when there is none. A kernel has a hundred thousand
 * of them, which a run waits for. */
static int hex(char **at, uint64_t *out)
{
	char *c = *at + strspn(*at, " ");
	const char *first;
	uint64_t n = 0;
	unsigned d;

	if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
		c += 2;
	for (first = c; (d = digit(*c)) < 16; c++) {
		if (n >> 60)
			return 0;
		n = n << 4 | d;
	}
	if (c == first || (*c != ' ' && *c != '\t'))
		return 0;
	*out = n;
	*at = c + 1;
	return 1;
}

static int compare(const void *pa, const void *pb)
{
	const struct sd_label *const a = pa, *const b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* As the kernel lists its own. */
static int is_sorted(const struct sd_symbol_text *l)
{
	for (size_t i = 0; i + 1 < l->n; i++)
		if (compare(&l->item[i], &l->item[i + 1]) > 0)
			return 0;
	return 1;
}

static void sort(struct sd_symbol_text *l)
{
	size_t n = 0;

	if (!is_sorted(l))
		qsort(l->item, l->n, sizeof *l->item, compare);
	for (size_t i = 0; i < l->n; i++)
		if (i + 1 == l->n || l->item[i + 1].start != l->item[i].start)
			l->item[n++] = l->item[i];
	l->n = n;
}

int sd_symbol_text_jit(struct sd_symbol_text *out, char *text)
{
	int rc = 0;

	*out = (struct sd_symbol_text){.text = text};
	for (char *line = text, *next; rc == 0 && line && *line; line = next) {
		uint64_t start, size;

		next = strchr(line, '\n');
		/* a last line that is not ended is still being written */
		if (!next)
			break;
		*next++ = '\0';
		if (hex(&line, &start) && hex(&line, &size) && *line && start + size > start)
			rc = push(out, start, start + size, line);
	}
	sort(out);
	return rc;
}

int sd_symbol_text_kernel(struct sd_symbol_text *out, char *text)
{
	int rc = 0, shown = 0;

	*out = (struct sd_symbol_text){.text = text};
	for (char *line = text, *next; rc == 0 && line && *line; line = next) {
		uint64_t start;
		char *end;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!hex(&line, &start) || !line[0] || line[1] != ' ')
			continue;
		end = strchr(line + 2, '\t');
		if (end)
			*end = '\0';
		shown |= start != 0;
		rc = push(out, start, UINT64_MAX, strchr("tTwW", line[0]) ? line + 2 : NULL);
	}
	if (!shown)
		out->n = 0;
	sort(out);
	for (size_t i = 0; i + 1 < out->n; i++)
		out->item[i].end = out->item[i + 1].start;
	/* where the last one ends nobody says */
	if (out->n)
		out->n--;
	return rc;
}

const struct sd_label *sd_symbol_text_at(const struct sd_symbol_text *l, uint64_t address)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (l->item[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && l->item[low - 1].end > address && l->item[low - 1].name ? &l->item[low - 1]
									      : NULL;
}

void sd_symbol_text_free(struct sd_symbol_text *l)
{
	free(l->text);
	free(l->item);
	*l = (struct sd_symbol_text){0};
}
