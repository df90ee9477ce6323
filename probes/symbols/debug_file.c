#include "symbols/debug_file.h"
#include "base/out_of_memory.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBUG "/usr/lib/debug"

enum { PACKED_MAX = 256 << 20 };

static int try_path(struct sd_elf_file *out, const struct sd_debug_tree *in, const char *path)
{
	char full[PATH_MAX];
	int fd;

	if (snprintf(full, sizeof full, "%s%s", in->prefix, path) >= (int)sizeof full)
		return -ENOENT;
	fd = sd_target_view_open(in->view, full, 0, in->author, NULL);
	return fd < 0 ? fd : sd_elf_file_open(out, fd);
}

/* DEBUG/.build-id/xx/yyyy.debug; it must carry that build-id itself. */
static int by_build_id(
	struct sd_elf_file *out, const unsigned char *id, size_t n, const struct sd_debug_tree *in)
{
	char path[PATH_MAX], hex[2 * SD_ELF_BUILD_ID + 1] = "";

	if (n < 2 || n > SD_ELF_BUILD_ID)
		return -ENOENT;
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	if (snprintf(path, sizeof path, DEBUG "/.build-id/%.2s/%s.debug", hex, hex + 2) >=
		(int)sizeof path)
		return -ENOENT;
	if (try_path(out, in, path) != 0)
		return -ENOENT;
	if (sd_elf_file_same(out, id, n) && out->n_build_id == n)
		return 0;
	sd_elf_file_close(out);
	return -ENOENT;
}

/* The checksum of .gnu_debuglink: CRC-32 as in zlib, over the whole file. */
static int has_crc(const struct sd_elf_file *f, uint32_t wanted)
{
	uint32_t table[256], crc = 0xffffffffu;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
	}
	for (size_t i = 0; i < f->size; i++)
		crc = crc >> 8 ^ table[(crc ^ f->raw[i]) & 255];
	return (crc ^ 0xffffffffu) == wanted;
}

static int belongs(const struct sd_elf_file *debug, const struct sd_elf_file *f, uint32_t crc)
{
	if (f->n_build_id)
		return debug->n_build_id == f->n_build_id &&
		       sd_elf_file_same(debug, f->build_id, f->n_build_id);
	return has_crc(debug, crc);
}

static int by_link(struct sd_elf_file *out, const struct sd_elf_file *f,
	const struct sd_debug_tree *in, const char *path)
{
	static const char *const where[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG "%.*s/%s"};
	const char *const slash = path ? strrchr(path, '/') : NULL;
	const char *name;
	char full[PATH_MAX];
	GElf_Word crc = 0;

	name = dwelf_elf_gnu_debuglink(f->elf, &crc);
	if (!slash || !name || !*name || strchr(name, '/'))
		return -ENOENT;
	for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		const int n =
			snprintf(full, sizeof full, where[i], (int)(slash - path), path, name);
#pragma GCC diagnostic pop
		if (n >= (int)sizeof full || try_path(out, in, full) != 0)
			continue;
		if (belongs(out, f, crc))
			return 0;
		sd_elf_file_close(out);
	}
	return -ENOENT;
}

int sd_debug_file_open(struct sd_elf_file *out, const struct sd_elf_file *f,
	const struct sd_debug_tree *in, const char *path)
{
	if (by_build_id(out, f->build_id, f->n_build_id, in) == 0)
		return 0;
	return by_link(out, f, in, path);
}

int sd_debug_file_packed(struct sd_elf_file *out, const struct sd_elf_file *f)
{
	uint64_t limit = 64 << 20;
	size_t in = 0, size = 0;
	unsigned char *plain;
	GElf_Shdr h;
	Elf_Scn *const scn = sd_elf_file_section(f, ".gnu_debugdata", 0, &h);
	Elf_Data *const d = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!d || !d->d_buf || d->d_size > PACKED_MAX)
		return -ENOENT;
	/* it does not say its size before it is unpacked: a little, then more */
	for (size_t room = d->d_size * 8 + 4096; room <= PACKED_MAX; room *= 4) {
		lzma_ret rc;

		plain = malloc(room);
		if (!plain)
			return -ENOENT;
		in = size = 0;
		rc = lzma_stream_buffer_decode(
			&limit, 0, NULL, d->d_buf, &in, d->d_size, plain, &size, room);
		if (rc == LZMA_OK)
			return sd_elf_file_memory(out, plain, size) == 0 ? 0 : -ENOENT;
		free(plain);
		if (rc != LZMA_BUF_ERROR || in >= d->d_size)
			return -ENOENT;
	}
	return -ENOENT;
}

/* The file that dwz moved common parts to: by build-id, or by its name beside `path`. */
static int open_alt(struct sd_elf_file *out, const char *name, const unsigned char *id, size_t n,
	const struct sd_debug_tree *in, const char *path)
{
	const char *const slash = path ? strrchr(path, '/') : NULL;
	char full[PATH_MAX];
	int m;

	if (by_build_id(out, id, n, in) == 0)
		return 0;
	m = *name == '/' ? snprintf(full, sizeof full, "%s", name)
			 : snprintf(full, sizeof full, "%.*s/%s", slash ? (int)(slash - path) : 0,
				   slash ? path : "", name);
	if (m >= (int)sizeof full || try_path(out, in, full) != 0)
		return -ENOENT;
	if (sd_elf_file_same(out, id, n) && out->n_build_id == n)
		return 0;
	sd_elf_file_close(out);
	return -ENOENT;
}

/* Bytes of all sections that are packed, as they say: the library unpacks them at once. */
static uint64_t unpacked(Elf *elf)
{
	uint64_t sum = 0;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const Elf_Data *const d = elf_rawdata(scn, NULL);
		uint64_t size = 0;
		GElf_Chdr c;

		if (gelf_getchdr(scn, &c))
			size = c.ch_size;
		else if (d && d->d_buf && d->d_size >= 12 && memcmp(d->d_buf, "ZLIB", 4) == 0)
			for (int i = 4; i < 12; i++)
				size = size << 8 | ((const unsigned char *)d->d_buf)[i];
		if (size > UINT64_MAX - sum)
			return UINT64_MAX;
		sum += size;
	}
	return sum;
}

Dwarf *sd_debug_file_dwarf(const struct sd_elf_file *f, const struct sd_debug_tree *in,
	const char *path, struct sd_elf_file *alt_file, Dwarf **alt)
{
	const char *name = NULL;
	const void *id = NULL;
	Dwarf *d;
	ssize_t n;
	GElf_Shdr h;

	*alt = NULL;
	if (!sd_elf_file_section(f, ".debug_info", 0, &h) &&
		!sd_elf_file_section(f, ".zdebug_info", 0, &h))
		return NULL;
	if (!sd_elf_file_fits(unpacked(f->elf)))
		return NULL;
	d = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	/* its own handler calls exit(1) */
	if (d)
		dwarf_new_oom_handler(d, sd_out_of_memory);
	n = d ? dwelf_dwarf_gnu_debugaltlink(d, &name, &id) : 0;
	if (n == 0)
		return d;
	/* never left to the library: it would open any path, and wait at a FIFO */
	if (n > 0 && open_alt(alt_file, name, id, (size_t)n, in, path) == 0) {
		*alt = dwarf_begin_elf(alt_file->elf, DWARF_C_READ, NULL);
		if (*alt) {
			dwarf_new_oom_handler(*alt, sd_out_of_memory);
			dwarf_setalt(d, *alt);
			return d;
		}
		sd_elf_file_close(alt_file);
	}
	dwarf_end(d);
	return NULL;
}
