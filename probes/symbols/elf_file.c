#include "symbols/elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "proc/proc_parse.h"
#include "proc/textfile.h"

/* Files are copied: one that is truncated meanwhile would give SIGBUS where it is mapped. Of larger
 * ones (gigabytes of DWARF) only the used parts take memory, where nobody but root can do that. */
#define COPY_BELOW ((size_t)64 << 20)

/* A file gets this part of the memory that is free, and the next one of what is left then. */
#define PART_OF_MEMORY 4

int sd_elf_file_fits(uint64_t bytes)
{
	char text[4096], kib[32];

	return bytes < COPY_BELOW ||
	       (sd_textfile_read(NULL, "/proc/meminfo", text, sizeof text) == 0 &&
		       sd_proc_parse_key(text, "MemAvailable:", kib, sizeof kib) == 0 &&
		       bytes >> 10 <= strtoull(kib, NULL, 10) / PART_OF_MEMORY);
}

int sd_elf_file_descriptor(const char *path)
{
	return sd_regular_file_open(path, 0, NULL);
}

/* The file's bytes from `offset` on; *size is cut to what there is. NULL: none. */
static const unsigned char *raw_at(const struct sd_elf_file *f, uint64_t offset, size_t *size)
{
	if (offset >= f->size)
		*size = 0;
	else if (*size > f->size - offset)
		*size = (size_t)(f->size - offset);
	return *size ? f->raw + offset : NULL;
}

/* The library's own reader of build-ids leaks when a segment is cut (elfutils 0.188). */
static void read_notes(struct sd_elf_file *f, uint64_t offset, uint64_t filesz)
{
	size_t n = filesz < SIZE_MAX ? (size_t)filesz : 0;
	const unsigned char *const note = raw_at(f, offset, &n);

	for (size_t at = 0; note && n - at >= sizeof(Elf64_Nhdr) && !f->n_build_id;) {
		Elf64_Nhdr h; /* Elf32_Nhdr is the same */
		size_t name, desc;

		memcpy(&h, note + at, sizeof h);
		name = at + sizeof h;
		if (h.n_namesz > n - name || h.n_descsz > n - name)
			return;
		desc = name + (h.n_namesz + 3u) / 4 * 4;
		if (desc > n || h.n_descsz > n - desc)
			return;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
			memcmp(note + name, "GNU", 4) == 0 && h.n_descsz <= SD_ELF_BUILD_ID) {
			memcpy(f->build_id, note + desc, h.n_descsz);
			f->n_build_id = h.n_descsz;
		}
		at = desc + (h.n_descsz + 3u) / 4 * 4;
		if (at > n)
			return;
	}
}

static void read_segments(struct sd_elf_file *f)
{
	size_t n = 0;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < UINT16_MAX; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(f->elf, (int)i, &p))
			return;
		if (p.p_type == PT_NOTE)
			read_notes(f, p.p_offset, p.p_filesz);
		if (p.p_type == PT_LOAD && p.p_vaddr + p.p_memsz >= p.p_vaddr &&
			f->n_load < SD_ELF_LOADS)
			f->load[f->n_load++] = (struct sd_elfload){.offset = p.p_offset,
				.filesz = p.p_filesz,
				.vaddr = p.p_vaddr,
				.memsz = p.p_memsz,
				.executable = (p.p_flags & PF_X) != 0};
	}
}

static int look_over(struct sd_elf_file *f)
{
	GElf_Ehdr e;

	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &e)) {
		sd_elf_file_close(f);
		return -ENOEXEC;
	}
	f->machine = e.e_machine;
	f->wide = e.e_ident[EI_CLASS] == ELFCLASS64;
	f->entry = e.e_entry;
	read_segments(f);
	return 0;
}

/* All of it, or NULL. */
static void *copy_of(int fd, size_t size)
{
	unsigned char *const copy = sd_elf_file_fits(size) ? malloc(size) : NULL;

	if (copy && sd_regular_file_bytes(fd, copy, size, 0) == size)
		return copy;
	free(copy);
	return NULL;
}

/* May anybody but root make it shorter? What is mapped and cut ends its reader (SIGBUS). */
static int others_may_cut(const struct stat *st)
{
	return st->st_uid != 0 || (st->st_mode & (S_IWGRP | S_IWOTH));
}

int sd_elf_file_open(struct sd_elf_file *f, int fd)
{
	void *copy = NULL;
	struct stat st;
	int rc;

	*f = (struct sd_elf_file){0};
	elf_version(EV_CURRENT);
	if (fstat(fd, &st) != 0)
		st.st_size = 0;
	if (st.st_size > 0 && ((uint64_t)st.st_size < COPY_BELOW || others_may_cut(&st))) {
		copy = copy_of(fd, (size_t)st.st_size);
		close(fd);
		return copy ? sd_elf_file_memory(f, copy, (size_t)st.st_size) : -ENOEXEC;
	}
	f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	f->raw = f->elf ? (const unsigned char *)elf_rawfile(f->elf, &f->size) : NULL;
	rc = f->raw ? look_over(f) : -ENOEXEC;
	if (rc == 0)
		elf_cntl(f->elf, ELF_C_FDDONE);
	else
		sd_elf_file_close(f);
	close(fd);
	return rc;
}

int sd_elf_file_memory(struct sd_elf_file *f, void *memory, size_t size)
{
	*f = (struct sd_elf_file){.memory = memory, .raw = memory, .size = size};
	elf_version(EV_CURRENT);
	f->elf = elf_memory(memory, size);
	return look_over(f);
}

void sd_elf_file_close(struct sd_elf_file *f)
{
	elf_end(f->elf);
	free(f->memory);
	*f = (struct sd_elf_file){0};
}

int sd_elf_file_address(const struct sd_elf_file *f, uint64_t offset, uint64_t *vaddr)
{
	/* a mapping begins at a page, the segment may begin inside it */
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	/* code first; an emulated program has its code and data in mappings of data */
	for (int data = 0; data < 2; data++)
		for (size_t k = 0; k < f->n_load; k++) {
			const struct sd_elfload *const l = &f->load[k];
			const uint64_t before = l->offset % page;

			if ((data || l->executable) && offset >= l->offset - before &&
				offset - (l->offset - before) < l->filesz + before) {
				*vaddr = l->vaddr + (offset - l->offset);
				return 0;
			}
		}
	return -ENOENT;
}

size_t sd_elf_file_bytes(
	const struct sd_elf_file *f, uint64_t vaddr, unsigned char *out, size_t size)
{
	for (size_t i = 0; i < f->n_load; i++) {
		const struct sd_elfload *const l = &f->load[i];
		const uint64_t at = vaddr - l->vaddr;
		const unsigned char *from;

		if (vaddr < l->vaddr || at >= l->filesz)
			continue;
		if (size > l->filesz - at)
			size = (size_t)(l->filesz - at);
		from = raw_at(f, l->offset + at, &size);
		if (from)
			memcpy(out, from, size);
		return size;
	}
	return 0;
}

Elf_Scn *sd_elf_file_section(
	const struct sd_elf_file *f, const char *name, unsigned type, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (!f->elf || elf_getshdrstrndx(f->elf, &names) != 0)
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *found;

		if (!gelf_getshdr(scn, header) || header->sh_type == SHT_NOBITS)
			continue;
		found = name ? elf_strptr(f->elf, names, header->sh_name) : NULL;
		if (name ? found && strcmp(found, name) == 0 : header->sh_type == type)
			return scn;
	}
	return NULL;
}

int sd_elf_file_same(const struct sd_elf_file *f, const unsigned char *build_id, size_t n)
{
	return n && n <= f->n_build_id && memcmp(f->build_id, build_id, n) == 0;
}
