#include "tree/source_digests.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"

#define MD5_BYTES 16
#define FORMATS 16 /* of one entry; the standard has five */

/* libiberty: the header that declares it is in none of its packages */
void *md5_buffer(const char *buffer, size_t size, void *digest);

/* ---- reading --------------------------------------------------------------------------------- */

struct bytes {
	const unsigned char *at, *end;
	int bad;
};

static uint64_t take(struct bytes *b, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(b->end - b->at) < n) {
		b->bad = 1;
		b->at = b->end;
		return 0;
	}
	for (size_t i = 0; i < n && i < 8; i++)
		v |= (uint64_t)b->at[i]
		     << 8 * i; /* little endian, as every CPU that is supported */
	b->at += n;
	return v;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; !b->bad; shift += 7) {
		const uint64_t one = take(b, 1);

		if (shift < 64)
			v |= (one & 0x7f) << shift;
		if (!(one & 0x80))
			break;
	}
	return v;
}

/* A text at a place of a section; NULL: it does not end there. */
static const char *text_at(const unsigned char *section, size_t size, uint64_t at)
{
	return section && at < size && memchr(section + at, 0, size - at)
		       ? (const char *)section + at
		       : NULL;
}

struct format {
	uint64_t content, form;
};

/* DWARF 5, 7.5.6 and 7.22; what is not among the forms that file tables may have ends the table. */
enum {
	FORM_STRING = 0x08,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_BLOCK = 0x09,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f
};
enum { CONTENT_PATH = 1, CONTENT_MD5 = 5 };

/* Reads one value; a text's is *text, 16 bytes' are *sixteen. */
static void take_value(struct bytes *b, const struct sd_source_digests *d, uint64_t form,
	unsigned offset, const char **text, const unsigned char **sixteen)
{
	const unsigned char *const at = b->at;

	*text = NULL;
	*sixteen = NULL;
	switch (form) {
	case FORM_STRING:
		*text = text_at(at, (size_t)(b->end - at), 0);
		take(b, *text ? strlen(*text) + 1 : SIZE_MAX);
		break;
	case FORM_LINE_STRP:
		*text = text_at(d->text, d->text_size, take(b, offset));
		break;
	case FORM_STRP:
		take(b, offset);
		break;
	case FORM_DATA16:
		take(b, MD5_BYTES);
		*sixteen = b->bad ? NULL : at;
		break;
	case FORM_UDATA:
		uleb(b);
		break;
	case FORM_BLOCK: {
		const uint64_t n = uleb(b);

		take(b, n < SIZE_MAX ? (size_t)n : SIZE_MAX);
		break;
	}
	case FORM_DATA1:
	case FORM_DATA2:
	case FORM_DATA4:
	case FORM_DATA8:
		take(b, form == FORM_DATA1   ? 1
			: form == FORM_DATA2 ? 2
			: form == FORM_DATA4 ? 4
					     : 8);
		break;
	default:
		b->bad = 1;
	}
}

static const char *base(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

struct wanted {
	const char *name;
	unsigned char digest[MD5_BYTES];
	enum sd_source_digest found;
};

/* A table of directories or files: those of the name are compared. */
static void look_table(
	struct bytes *b, const struct sd_source_digests *d, unsigned offset, struct wanted *w)
{
	struct format format[FORMATS];
	const uint64_t n_format = take(b, 1);
	uint64_t n;

	for (uint64_t i = 0; i < n_format && !b->bad; i++) {
		struct format one;

		one.content = uleb(b);
		one.form = uleb(b);
		if (i < FORMATS)
			format[i] = one;
	}
	n = uleb(b);
	b->bad |= n_format > FORMATS || (!n_format && n);
	for (uint64_t i = 0; i < n && !b->bad; i++) {
		const char *path = NULL, *text;
		const unsigned char *digest = NULL, *sixteen;

		for (uint64_t k = 0; k < n_format; k++) {
			take_value(b, d, format[k].form, offset, &text, &sixteen);
			path = format[k].content == CONTENT_PATH ? text : path;
			digest = format[k].content == CONTENT_MD5 ? sixteen : digest;
		}
		if (!w || b->bad || !path || !digest || strcmp(base(path), w->name) != 0 ||
			w->found == SD_SOURCE_DIGEST_SAME)
			continue;
		w->found = memcmp(digest, w->digest, MD5_BYTES) == 0 ? SD_SOURCE_DIGEST_SAME
								     : SD_SOURCE_DIGEST_OTHER;
	}
}

/* The head of one unit's line table, of a version that has digests. */
static void look_unit(
	struct bytes *b, const struct sd_source_digests *d, unsigned offset, struct wanted *w)
{
	uint64_t opcodes;

	if (take(b, 2) != 5)
		return;
	take(b, 2); /* sizes of an address and a segment selector */
	take(b, offset +
			5); /* length of the head; sizes of instructions, base and range of lines */
	opcodes = take(b, 1);
	take(b, opcodes ? (size_t)opcodes - 1 : 0);
	look_table(b, d, offset, NULL);
	look_table(b, d, offset, w);
}

enum sd_source_digest sd_source_digests_look(
	const struct sd_source_digests *d, const char *name, const char *source, size_t size)
{
	struct bytes all = {d->line, d->line + d->line_size, 0};
	struct wanted w = {.name = base(name)};

	md5_buffer(source, size, w.digest);
	while (d->line && all.at < all.end && !all.bad) {
		uint64_t length = take(&all, 4);
		const unsigned offset = length == 0xffffffff ? 8 : 4;
		struct bytes unit;

		if (offset == 8)
			length = take(&all, 8);
		if (length > (uint64_t)(all.end - all.at))
			break;
		unit = (struct bytes){all.at, all.at + length, 0};
		all.at += length;
		look_unit(&unit, d, offset, &w);
	}
	return w.found;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int has_build_id(Elf_Scn *scn, const char *build_id)
{
	Elf_Data *const data = elf_getdata(scn, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;
	char hex[129];

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const unsigned char *const id = (const unsigned char *)data->d_buf + desc;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz > 64 ||
			memcmp((const char *)data->d_buf + name, "GNU", 4) != 0)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			snprintf(hex + 2 * i, 3, "%02x", id[i]);
		return note.n_descsz && strcmp(hex, build_id) == 0;
	}
	return 0;
}

static enum sd_source_digest look_elf(
	Elf *elf, const char *build_id, const char *name, const char *source, size_t size)
{
	struct sd_source_digests d = {0};
	size_t names;
	int same = 0;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
		return SD_SOURCE_DIGEST_NONE;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr head;
		const char *const called =
			gelf_getshdr(scn, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;
		const Elf_Data *data;

		if (!called)
			continue;
		if (head.sh_type == SHT_NOTE)
			same |= has_build_id(scn, build_id);
		if (strcmp(called, ".debug_line") != 0 && strcmp(called, ".debug_line_str") != 0)
			continue;
		if ((head.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
			continue;
		data = elf_getdata(scn, NULL);
		if (data && called[11]) {
			d.text = data->d_buf;
			d.text_size = data->d_size;
		} else if (data) {
			d.line = data->d_buf;
			d.line_size = data->d_size;
		}
	}
	return same && d.line ? sd_source_digests_look(&d, name, source, size)
			      : SD_SOURCE_DIGEST_NONE;
}

enum sd_source_digest sd_source_digests_file(
	const char *path, const char *build_id, const char *name, const char *source, size_t size)
{
	const int fd = *build_id ? sd_regular_file_open(path, 0, NULL) : -1;
	enum sd_source_digest found = SD_SOURCE_DIGEST_NONE;
	Elf *elf;

	if (fd < 0)
		return found;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	found = look_elf(elf, build_id, name, source, size);
	elf_end(elf);
	close(fd);
	return found;
}
