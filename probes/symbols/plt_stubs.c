#include "symbols/plt_stubs.h"

#include <stdio.h>
#include <string.h>

static int read_at(const struct sd_elf_file *f, uint64_t at, unsigned char *out, size_t n)
{
	return sd_elf_file_bytes(f, at, out, n) == n;
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

/* ---- x86-64: call rel32 to "[endbr64] [mov $index, %r11d] [bnd] jmp *disp32(%rip)", or
 * call *disp32(%rip); the move is mold's ---- */

/* The slot of the address that the jump at `at` takes. */
static int x86_jump(const struct sd_elf_file *f, uint64_t at, uint64_t *slot)
{
	unsigned char code[6];

	if (!read_at(f, at, code, sizeof code) || code[0] != 0xff || code[1] != 0x25)
		return 0;
	*slot = at + sizeof code + extend(word(code + 2), 32);
	return 1;
}

/* Address of the jump of a stub that begins at `stub`. */
static uint64_t x86_begin(const struct sd_elf_file *f, uint64_t stub)
{
	static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	unsigned char code[sizeof endbr64];

	if (read_at(f, stub, code, sizeof code) && memcmp(code, endbr64, sizeof endbr64) == 0)
		stub += sizeof endbr64;
	if (read_at(f, stub, code, 2) && code[0] == 0x41 && code[1] == 0xbb)
		stub += 6;                                            /* mov imm32, %r11d */
	return stub + (read_at(f, stub, code, 1) && code[0] == 0xf2); /* bnd */
}

static int x86_slot(const struct sd_elf_file *f, uint64_t after, uint64_t *slot)
{
	unsigned char code[6];

	if (after < 6 || !read_at(f, after - 6, code, 6))
		return 0;
	if (code[0] == 0xff && code[1] == 0x15) {
		*slot = after + extend(word(code + 2), 32);
		return 1;
	}
	if (code[1] != 0xe8)
		return 0;
	return x86_jump(f, x86_begin(f, after + extend(word(code + 2), 32)), slot);
}

/* ---- aarch64: bl to "[bti c] adrp x16; ldr x17, [x16, #imm]" ---- */

/* The slot of the address that the code at `at` loads, to jump there. */
static int arm_jump(const struct sd_elf_file *f, uint64_t at, uint64_t *slot)
{
	unsigned char code[8];
	uint64_t page;
	uint32_t i;

	if (!read_at(f, at, code, sizeof code))
		return 0;
	i = word(code);
	if ((i & 0x9f00001fu) != 0x90000010u) /* adrp x16 */
		return 0;
	page = (at & ~UINT64_C(0xfff)) +
	       (extend((uint64_t)(i >> 5 & 0x7ffff) << 2 | (i >> 29 & 3), 21) << 12);
	i = word(code + 4);
	if ((i & 0xffc003ffu) != 0xf9400211u) /* ldr x17, [x16, #imm] */
		return 0;
	*slot = page + ((i >> 10 & 0xfff) << 3);
	return 1;
}

static uint64_t arm_begin(const struct sd_elf_file *f, uint64_t stub)
{
	unsigned char code[4];

	return stub + (read_at(f, stub, code, 4) && word(code) == 0xd503245fu ? 4 : 0); /* bti c */
}

static int arm_slot(const struct sd_elf_file *f, uint64_t after, uint64_t *slot)
{
	unsigned char code[4];
	uint32_t i;

	if (after < 4 || !read_at(f, after - 4, code, 4))
		return 0;
	i = word(code);
	if ((i & 0xfc000000u) != 0x94000000u)
		return 0;
	return arm_jump(f, arm_begin(f, after - 4 + (extend(i & 0x03ffffffu, 26) << 2)), slot);
}

/* ---- the slot's relocation ---- */

static int name_of(const struct sd_elf_file *f, Elf_Scn *relocations, uint64_t slot, int own,
	char *name, size_t size)
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
			(symbol.st_shndx != SHN_UNDEF && !own))
			return 0;
		text = elf_strptr(f->elf, table.sh_link, symbol.st_name);
		if (!text || !*text)
			return 0;
		snprintf(name, size, "%s", text);
		return 1;
	}
	return 0;
}

/* `own`: also of a function of the same file, which another file may replace. */
static int named(const struct sd_elf_file *f, uint64_t slot, int own, char *name, size_t size)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(f->elf, scn))) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA &&
			header.sh_flags & SHF_ALLOC && name_of(f, scn, slot, own, name, size))
			return 1;
	}
	return 0;
}

int sd_plt_stubs_called(const struct sd_elf_file *f, uint64_t after, char *name, size_t size)
{
	uint64_t slot;

	return f->elf &&
	       (f->machine == EM_X86_64           ? x86_slot(f, after, &slot)
		       : f->machine == EM_AARCH64 ? arm_slot(f, after, &slot)
						  : 0) &&
	       named(f, slot, 0, name, size);
}

/* Bytes from the jump of a stub to the next stub, at most. */
#define STUB 16

static int is_of_stubs(const struct sd_elf_file *f, uint64_t vaddr)
{
	static const char *const section[] = {".plt", ".plt.sec", ".plt.got", ".plt.bnd"};

	for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
		GElf_Shdr header;

		if (sd_elf_file_section(f, section[i], 0, &header) && vaddr >= header.sh_addr &&
			vaddr - header.sh_addr < header.sh_size)
			return 1;
	}
	return 0;
}

int sd_plt_stubs_at(
	const struct sd_elf_file *f, uint64_t vaddr, uint64_t *start, char *name, size_t size)
{
	const int arm = f->machine == EM_AARCH64;
	uint64_t slot;

	if (!f->elf || !(arm || f->machine == EM_X86_64) || !is_of_stubs(f, vaddr))
		return 0;
	vaddr = arm ? arm_begin(f, vaddr) : x86_begin(f, vaddr);
	for (uint64_t back = 0; back < STUB && back <= vaddr; back += arm ? 4 : 1)
		if (arm ? arm_jump(f, vaddr - back, &slot) : x86_jump(f, vaddr - back, &slot)) {
			*start = vaddr - back;
			return named(f, slot, 1, name, size);
		}
	return 0;
}
