/*
 * An opened ELF file: its segments, build-id and code bytes. The input is untrusted; anything that
 * is not ELF is refused.
 */
#ifndef SD_ELF_FILE_H
#define SD_ELF_FILE_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#define SD_ELF_LOADS 16    /* segments; more are ignored */
#define SD_ELF_BUILD_ID 64 /* bytes; longer ones are ignored */

struct sd_elf_file {
	void *memory;             /* owned; NULL: mapped by the library */
	const unsigned char *raw; /* the whole file */
	size_t size;
	Elf *elf;
	int machine, wide; /* EM_*; 64 bits */
	uint64_t entry;
	struct sd_elfload {
		uint64_t offset, filesz, vaddr, memsz;
		int executable;
	} load[SD_ELF_LOADS];
	size_t n_load;
	unsigned char build_id[SD_ELF_BUILD_ID];
	size_t n_build_id; /* 0: none */
};

/* May so many bytes of a file be taken into memory? Who made it chose how many they are: holes and
 * packed sections cost him nothing. */
int sd_elf_file_fits(uint64_t bytes);

/* Opens a regular file, as ourselves (regular_file.h): one whose name is the kernel's or ours.
 * Returns the descriptor or -errno. */
int sd_elf_file_descriptor(const char *path);

/* Both take ownership of fd or memory (from malloc), even on failure. 0, -ENOEXEC (not ELF) or
 * -ENOMEM; *f is empty on failure. */
int sd_elf_file_open(struct sd_elf_file *f, int fd);
int sd_elf_file_memory(struct sd_elf_file *f, void *memory, size_t size);

void sd_elf_file_close(struct sd_elf_file *f); /* accepts the zeroed value, leaves it */

/* The file address at which byte `offset` of the file is loaded. 0 or -ENOENT. */
int sd_elf_file_address(const struct sd_elf_file *f, uint64_t offset, uint64_t *vaddr);

/* Copies up to `size` loaded bytes at vaddr, as in the file. Returns how many. */
size_t sd_elf_file_bytes(
	const struct sd_elf_file *f, uint64_t vaddr, unsigned char *out, size_t size);

/* Finds a section by name or, if name is NULL, by type; NULL: none. */
Elf_Scn *sd_elf_file_section(
	const struct sd_elf_file *f, const char *name, unsigned type, GElf_Shdr *header);

/* 1: both have the same build-id; 0: they differ, or one has none. */
int sd_elf_file_same(const struct sd_elf_file *f, const unsigned char *build_id, size_t n);

#endif
