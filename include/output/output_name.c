#include "output/output_name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of the character there, 0: it is no UTF-8; *c is the character. */
static size_t decode(const unsigned char *s, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const size_t n = *s < 0x80             ? 1
			 : (*s & 0xe0) == 0xc0 ? 2
			 : (*s & 0xf0) == 0xe0 ? 3
			 : (*s & 0xf8) == 0xf0 ? 4
					       : 0;

	*c = n == 1 ? *s : *s & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also the end of the text */
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return *c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : n;
}

static int is_plain(uint32_t c)
{
	return c >= 0x20 && c != '/' && !(c >= 0x7f && c < 0xa0) && !(c >= 0x200b && c <= 0x200f) &&
	       !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f) && c != 0xfeff;
}

char *sd_output_name(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	char *const name = malloc(SD_OUTPUT_NAME_BYTES + 1);
	size_t used = 0;

	while (name && *at) {
		uint32_t c;
		const size_t n = decode(at, &c), width = n && is_plain(c) ? n : 1;

		if (used + width > SD_OUTPUT_NAME_BYTES)
			break;
		if (n && is_plain(c))
			memcpy(name + used, at, n);
		else
			name[used] = '_';
		used += width;
		at += n ? n : 1;
	}
	if (!name)
		return NULL;
	if (!used || name[0] == '-' || name[0] == '.')
		name[0] = '_';
	name[used ? used : 1] = '\0';
	return name;
}
