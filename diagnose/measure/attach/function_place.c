#include "attach/function_place.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* From an address of the file to its offset, by the segment that holds it. */
static int to_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X) ||
			address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		*offset = address - p.p_vaddr + p.p_offset;
		return 0;
	}
	return -ENOENT;
}

static int find_in(
	Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *symbol, uint64_t *offset)
{
	Elf_Data *const data = elf_getdata(section, NULL);
	const size_t n = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; i < n; i++) {
		GElf_Sym s;
		const char *name;

		if (!gelf_getsym(data, (int)i, &s) || GELF_ST_TYPE(s.st_info) != STT_FUNC ||
			s.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, s.st_name);
		if (name && strcmp(name, symbol) == 0)
			return to_offset(elf, s.st_value, offset);
	}
	return -ENOENT;
}

int sd_function_place_find(int fd, const char *symbol, uint64_t *offset)
{
	Elf *elf = NULL;
	Elf_Scn *section = NULL;
	int rc;

	/* not mapped: whose file it is may cut it */
	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	rc = elf && elf_kind(elf) == ELF_K_ELF ? -ENOENT : -ENOEXEC;
	while (rc == -ENOENT && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
			(header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			rc = find_in(elf, section, &header, symbol, offset);
	}
	if (elf)
		elf_end(elf);
	return rc;
}
