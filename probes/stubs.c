#include "stubs.h"

#include <stdio.h>
#include <string.h>

static int read_at(const struct sd_elffile *f, uint64_t at, unsigned char *out, size_t n)
{
	return sd_elffile_bytes(f, at, out, n) == n;
}

static uint32_t word(const unsigned char *b)
{
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* `bits` of v as a signed number. */
static uint64_t extend(uint64_t v, unsigned bits)
{
	const uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((v & ((sign << 1) - 1)) ^ sign) - sign;
}

/* ---- x86-64: call rel32 to "[endbr64] [bnd] jmp *disp32(%rip)", or call *disp32(%rip) ---- */

static int x86_slot(const struct sd_elffile *f, uint64_t after, uint64_t *slot)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned char code[12];
	uint64_t stub;
	size_t at = 0;

	if (after < 6 || !read_at(f, after - 6, code, 6))
		return 0;
	if (code[0] == 0xff && code[1] == 0x15) {
		*slot = after + extend(word(code + 2), 32);
		return 1;
	}
	if (code[1] != 0xe8)
		return 0;
	stub = after + extend(word(code + 2), 32);
	if (!read_at(f, stub, code, sizeof code))
		return 0;
	if (memcmp(code, endbr64, sizeof endbr64) == 0)
		at = sizeof endbr64;
	at += code[at] == 0xf2; /* bnd */
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	*slot = stub + at + 6 + extend(word(code + at + 2), 32);
	return 1;
}

/* ---- aarch64: bl to "[bti c] adrp x16; ldr x17, [x16, #imm]" ---- */

static int arm_slot(const struct sd_elffile *f, uint64_t after, uint64_t *slot)
{
	unsigned char code[12];
	uint64_t stub, page;
	uint32_t i, k = 0;

	if (after < 4 || !read_at(f, after - 4, code, 4))
		return 0;
	i = word(code);
	if ((i & 0xfc000000u) != 0x94000000u)
		return 0;
	stub = after - 4 + (extend(i & 0x03ffffffu, 26) << 2);
	if (!read_at(f, stub, code, sizeof code))
		return 0;
	k = word(code) == 0xd503245fu ? 4 : 0; /* bti c */
	i = word(code + k);
	if ((i & 0x9f00001fu) != 0x90000010u) /* adrp x16 */
		return 0;
	page = ((stub + k) & ~UINT64_C(0xfff)) +
	       (extend((uint64_t)(i >> 5 & 0x7ffff) << 2 | (i >> 29 & 3), 21) << 12);
	i = word(code + k + 4);
	if ((i & 0xffc003ffu) != 0xf9400211u) /* ldr x17, [x16, #imm] */
		return 0;
	*slot = page + ((i >> 10 & 0xfff) << 3);
	return 1;
}

/* ---- the slot's relocation ---- */

static int name_of(
	const struct sd_elffile *f, Elf_Scn *relocations, uint64_t slot, char *name, size_t size)
{
	Elf_Data *const data = elf_getdata(relocations, NULL), *symbols;
	GElf_Shdr header, table;
	Elf_Scn *scn;
	size_t n;

	if (!data || !gelf_getshdr(relocations, &header) || !header.sh_entsize)
		return 0;
	n = data->d_size / header.sh_entsize;
	for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
		const char *text;
		GElf_Rela rela;
		GElf_Sym symbol;

		if (!gelf_getrela(data, (int)i, &rela) || rela.r_offset != slot)
			continue;
		scn = elf_getscn(f->elf, header.sh_link);
		symbols = scn ? elf_getdata(scn, NULL) : NULL;
		if (!symbols || !gelf_getshdr(scn, &table) || GELF_R_SYM(rela.r_info) > INT32_MAX ||
			!gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &symbol) ||
			symbol.st_shndx != SHN_UNDEF)
			return 0;
		text = elf_strptr(f->elf, table.sh_link, symbol.st_name);
		if (!text || !*text)
			return 0;
		snprintf(name, size, "%s", text);
		return 1;
	}
	return 0;
}

int sd_stubs_called(const struct sd_elffile *f, uint64_t after, char *name, size_t size)
{
	Elf_Scn *scn = NULL;
	uint64_t slot;

	if (!f->elf || !(f->machine == EM_X86_64          ? x86_slot(f, after, &slot)
			       : f->machine == EM_AARCH64 ? arm_slot(f, after, &slot)
							  : 0))
		return 0;
	while ((scn = elf_nextscn(f->elf, scn))) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA &&
			header.sh_flags & SHF_ALLOC && name_of(f, scn, slot, name, size))
			return 1;
	}
	return 0;
}
