#include "page/sanitize.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t first, last;
} unsafe[] = {
	{0x0000, 0x001f},   /* C0 controls: escape sequences begin here */
	{0x007f, 0x009f},   /* DEL and the C1 controls, which some terminals obey */
	{0x00ad, 0x00ad},   /* soft hyphen */
	{0x061c, 0x061c},   /* Arabic letter mark */
	{0x200b, 0x200f},   /* zero width, direction marks */
	{0x2028, 0x202e},   /* line separators, direction overrides */
	{0x2060, 0x206f},   /* invisible operators, direction isolates */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xfff0, 0xfffb},   /* interlinear marks */
	{0xe0000, 0xe007f}, /* tags */
};

static const struct {
	uint32_t sign;
	const char *ascii;
} likeness[] = {
	{0x00a0, " "},
	{0x00b1, "+-"},
	{0x00b5, "u"},
	{0x00b7, "-"},
	{0x00d7, "x"},
	{0x03b1, "alpha"},
	{0x03b2, "beta"},
	{0x03b3, "gamma"},
	{0x03bc, "u"},
	{0x2009, " "},
	{0x2013, "-"},
	{0x2014, "-"},
	{0x2018, "'"},
	{0x2019, "'"},
	{0x201c, "\""},
	{0x201d, "\""},
	{0x2026, "..."},
	{0x202f, " "},
	{0x2192, "->"},
	{0x2212, "-"},
	{0x2248, "~"},
	{0x2264, "<="},
	{0x2265, ">="},
};

/*
 * The code point at s and its length in bytes; 0 when the bytes are not UTF-8 (overlong forms,
 * surrogates and points past U+10FFFF are not).
 */
static size_t decode(const unsigned char *s, uint32_t *point)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n;
	uint32_t v;

	if (s[0] < 0x80) {
		*point = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	v = s[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also the end of the string */
			return 0;
		v = v << 6 | (s[i] & 0x3fu);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*point = v;
	return n;
}

static int is_unsafe(uint32_t point)
{
	for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
		if (point >= unsafe[i].first && point <= unsafe[i].last)
			return 1;
	return 0;
}

static const char *like(uint32_t point)
{
	for (size_t i = 0; i < sizeof likeness / sizeof *likeness; i++)
		if (likeness[i].sign == point)
			return likeness[i].ascii;
	return NULL;
}

static void put(FILE *f, const char *s, size_t n, uint32_t point, int ascii)
{
	const char *const other = ascii && point >= 0x80 ? like(point) : NULL;

	if (other)
		fputs(other, f);
	else if (point < 0x100 && is_unsafe(point))
		fprintf(f, "\\x%02x", point);
	else if (is_unsafe(point) || (ascii && point >= 0x80))
		fprintf(f, "\\u%04x", point);
	else
		fwrite(s, 1, n, f);
}

static char *clean(const char *text, int ascii)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	while (*text) {
		uint32_t point = 0;
		const size_t n = decode((const unsigned char *)text, &point);

		if (n == 0)
			fprintf(f, "\\x%02x", (unsigned char)*text);
		else
			put(f, text, n, point, ascii);
		text += n ? n : 1;
	}
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

char *sd_sanitize(const char *text)
{
	return clean(text, 0);
}

char *sd_sanitize_ascii(const char *text)
{
	return clean(text, 1);
}
