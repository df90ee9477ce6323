#include "python/python_objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHARACTERS 512u /* of a name or a path */

static uint64_t word(const unsigned char *from, unsigned at)
{
	uint64_t v;

	memcpy(&v, from + at, sizeof v);
	return v;
}

/* Does the object there have this type? */
static int is_a(const struct sd_python_program *p, int pid, uint64_t object, uint64_t type)
{
	uint64_t is;

	return object &&
	       sd_python_program_read(pid, object + p->layout->at[SD_PYTHON_OBJECT_TYPE], &is, 8) &&
	       is == type;
}

static int read_word(int pid, uint64_t address, uint64_t *out)
{
	return sd_python_program_read(pid, address, out, sizeof *out);
}

/* Writes a character as UTF-8; the bytes written. A half of a pair, which no text has, is '?'. */
static size_t put(char *out, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c == 0)
		c = '?';
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 63));
		out[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 63));
	out[2] = (char)(0x80 | (c >> 6 & 63));
	out[3] = (char)(0x80 | (c & 63));
	return 4;
}

/* A string object's characters, as UTF-8; the first CHARACTERS of them. NULL: it is none. */
static char *read_text(const struct sd_python_program *p, int pid, uint64_t object)
{
	const unsigned *const at = p->layout->at;
	unsigned char raw[4 * CHARACTERS];
	char out[4 * CHARACTERS + 1];
	uint64_t length;
	uint32_t state, kind, is_ascii;
	size_t n = 0;

	if (!is_a(p, pid, object, p->text) ||
		!read_word(pid, object + at[SD_PYTHON_TEXT_LENGTH], &length) ||
		!sd_python_program_read(pid, object + at[SD_PYTHON_TEXT_STATE], &state, 4))
		return NULL;
	state >>= at[SD_PYTHON_TEXT_STATE_KIND];
	kind = state & 7;
	is_ascii = state >> 4 & 1;
	if (!(state >> 3 & 1) || (kind != 1 && kind != 2 && kind != 4)) /* not compact */
		return NULL;
	length = length < CHARACTERS ? length : CHARACTERS;
	if (!sd_python_program_read(pid,
		    object + at[is_ascii ? SD_PYTHON_TEXT_ASCII : SD_PYTHON_TEXT_OTHER], raw,
		    kind * (size_t)length))
		return NULL;
	for (size_t i = 0; i < length; i++) {
		uint32_t c = 0;

		memcpy(&c, raw + kind * i, kind); /* the lowest byte is the first */
		n += put(out + n, c);
	}
	out[n] = '\0';
	return strdup(out);
}

static void read_lines(const struct sd_python_program *p, struct sd_python_code *c)
{
	const unsigned *const at = p->layout->at;
	uint64_t size;

	if (!is_a(p, c->pid, c->lines_at, p->bytes) ||
		!read_word(c->pid, c->lines_at + at[SD_PYTHON_BYTES_SIZE], &size) || size == 0 ||
		size > SD_PYTHON_LINES_MOST)
		return;
	c->lines = malloc(size);
	if (c->lines && sd_python_program_read(
				c->pid, c->lines_at + at[SD_PYTHON_BYTES_START], c->lines, size))
		c->n_lines = size;
}

int sd_python_objects_code(
	const struct sd_python_program *p, int pid, uint64_t address, struct sd_python_code *out)
{
	static const enum sd_python_field field[] = {SD_PYTHON_OBJECT_TYPE, SD_PYTHON_CODE_FILE,
		SD_PYTHON_CODE_NAME, SD_PYTHON_CODE_LINES, SD_PYTHON_CODE_FIRST_LINE};
	unsigned char whole[1024];
	size_t size = 0;

	for (size_t i = 0; i < sizeof field / sizeof *field; i++)
		size = p->layout->at[field[i]] + 8 > size ? p->layout->at[field[i]] + 8 : size;
	if (!address || size > sizeof whole || !sd_python_program_read(pid, address, whole, size) ||
		word(whole, p->layout->at[SD_PYTHON_OBJECT_TYPE]) != p->code)
		return 0;
	*out = (struct sd_python_code){.pid = pid,
		.address = address,
		.file_at = word(whole, p->layout->at[SD_PYTHON_CODE_FILE]),
		.name_at = word(whole, p->layout->at[SD_PYTHON_CODE_NAME]),
		.lines_at = word(whole, p->layout->at[SD_PYTHON_CODE_LINES]),
		.first_line = (uint32_t)word(whole, p->layout->at[SD_PYTHON_CODE_FIRST_LINE])};
	return 1;
}

int sd_python_objects_name(const struct sd_python_program *p, struct sd_python_code *code)
{
	char *const name = read_text(p, code->pid, code->name_at);
	int rc = -ENOENT;

	code->file = read_text(p, code->pid, code->file_at);
	if (name && *name && code->file) {
		rc = asprintf(&code->name, "py::%s:%s", name, code->file) < 0 ? -ENOMEM : 0;
		if (rc)
			code->name = NULL;
		else
			read_lines(p, code);
	}
	free(name);
	return rc;
}

void sd_python_objects_free(struct sd_python_code *code)
{
	free(code->name);
	free(code->file);
	free(code->lines);
	*code = (struct sd_python_code){0};
}
