/*
 * An ELF file, opened and looked over: what it loads where, its build-id, and the bytes of its
 * code. Any bytes are taken; what is not ELF is refused.
 */
#ifndef SD_ELF_FILE_H
#define SD_ELF_FILE_H

#include <gelf.h>
#include <stddef.h>
#include <stdint.h>

#define SD_ELF_LOADS 16    /* segments; more are ignored */
#define SD_ELF_BUILD_ID 64 /* bytes; a longer one is none */

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

/* A regular file to read, never waiting for anybody (FIFOs, devices): the descriptor or -errno. */
int sd_elf_file_descriptor(const char *path);

/* Both take what they are given over, failed or not. 0, -ENOEXEC (no ELF) or -ENOMEM; *f is then
 * empty. `memory` is from malloc. */
int sd_elf_file_open(struct sd_elf_file *f, int fd);
int sd_elf_file_memory(struct sd_elf_file *f, void *memory, size_t size);

void sd_elf_file_close(struct sd_elf_file *f); /* accepts the zeroed value, leaves it */

/* Where the file's byte `offset` is loaded, in the file's own addresses. 0 or -ENOENT. */
int sd_elf_file_address(const struct sd_elf_file *f, uint64_t offset, uint64_t *vaddr);

/* Up to `size` loaded bytes at vaddr as they are in the file: how many. */
size_t sd_elf_file_bytes(
	const struct sd_elf_file *f, uint64_t vaddr, unsigned char *out, size_t size);

/* A section by name or (name NULL) by type; NULL: there is none. */
Elf_Scn *sd_elf_file_section(
	const struct sd_elf_file *f, const char *name, unsigned type, GElf_Shdr *header);

/* 1: both have a build-id and it is the same; 0: they differ, or at least one has none. */
int sd_elf_file_same(const struct sd_elf_file *f, const unsigned char *build_id, size_t n);

#endif
