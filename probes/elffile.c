#include "elffile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller files are read: one that is truncated meanwhile gives an error then, where a mapping
 * would give SIGBUS. Of larger ones (gigabytes of DWARF) only what is used may take memory. */
#define READ_BELOW (UINT64_C(256) << 20)

int sd_elffile_descriptor(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

static void read_loads(struct sd_elffile *f)
{
	size_t n = 0;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && i < UINT16_MAX && f->n_load < SD_ELF_LOADS; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(f->elf, (int)i, &p))
			return;
		if (p.p_type == PT_LOAD && p.p_vaddr + p.p_memsz >= p.p_vaddr)
			f->load[f->n_load++] = (struct sd_elfload){.offset = p.p_offset,
				.filesz = p.p_filesz,
				.vaddr = p.p_vaddr,
				.memsz = p.p_memsz,
				.executable = (p.p_flags & PF_X) != 0};
	}
}

static int look_over(struct sd_elffile *f)
{
	const void *id;
	GElf_Ehdr e;
	ssize_t n;

	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &e)) {
		sd_elffile_close(f);
		return -ENOEXEC;
	}
	f->machine = e.e_machine;
	f->wide = e.e_ident[EI_CLASS] == ELFCLASS64;
	f->entry = e.e_entry;
	read_loads(f);
	n = dwelf_elf_gnu_build_id(f->elf, &id);
	if (n > 0 && n <= SD_ELF_BUILD_ID) {
		memcpy(f->build_id, id, (size_t)n);
		f->n_build_id = (size_t)n;
	}
	return 0;
}

int sd_elffile_open(struct sd_elffile *f, int fd)
{
	struct stat st;

	*f = (struct sd_elffile){.fd = fd};
	elf_version(EV_CURRENT);
	if (fstat(fd, &st) == 0)
		f->elf = elf_begin(
			fd, (uint64_t)st.st_size < READ_BELOW ? ELF_C_READ : ELF_C_READ_MMAP, NULL);
	return look_over(f);
}

int sd_elffile_memory(struct sd_elffile *f, void *memory, size_t size)
{
	*f = (struct sd_elffile){.fd = -1, .memory = memory};
	elf_version(EV_CURRENT);
	f->elf = elf_memory(memory, size);
	return look_over(f);
}

void sd_elffile_close(struct sd_elffile *f)
{
	elf_end(f->elf);
	/* a zeroed value is standard input's number, with nothing open */
	if (f->fd > 0)
		close(f->fd);
	free(f->memory);
	*f = (struct sd_elffile){.fd = -1};
}

int sd_elffile_address(const struct sd_elffile *f, uint64_t offset, uint64_t *vaddr)
{
	/* a mapping begins at a page, the segment may begin inside it */
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < f->n_load; i++) {
		const struct sd_elfload *const l = &f->load[i];
		const uint64_t before = l->offset % page;

		if (l->executable && offset >= l->offset - before &&
			offset - (l->offset - before) < l->filesz + before) {
			*vaddr = l->vaddr + (offset - l->offset);
			return 0;
		}
	}
	return -ENOENT;
}

size_t sd_elffile_bytes(const struct sd_elffile *f, uint64_t vaddr, unsigned char *out, size_t size)
{
	for (size_t i = 0; i < f->n_load; i++) {
		const struct sd_elfload *const l = &f->load[i];
		const uint64_t at = vaddr - l->vaddr;
		Elf_Data *d;

		if (vaddr < l->vaddr || at >= l->filesz)
			continue;
		if (size > l->filesz - at)
			size = (size_t)(l->filesz - at);
		if (f->fd >= 0) {
			const ssize_t n = pread(f->fd, out, size, (off_t)(l->offset + at));

			return n > 0 ? (size_t)n : 0;
		}
		d = elf_getdata_rawchunk(f->elf, (int64_t)(l->offset + at), size, ELF_T_BYTE);
		if (!d || !d->d_buf)
			return 0;
		memcpy(out, d->d_buf, size);
		return size;
	}
	return 0;
}

Elf_Scn *sd_elffile_section(
	const struct sd_elffile *f, const char *name, unsigned type, GElf_Shdr *header)
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

int sd_elffile_same(const struct sd_elffile *f, const unsigned char *build_id, size_t n)
{
	return n && n <= f->n_build_id && memcmp(f->build_id, build_id, n) == 0;
}
