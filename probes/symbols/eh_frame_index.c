#include "symbols/eh_frame_index.h"

#include <dwarf.h>
#include <string.h>

/* The header: version 1; how three things are encoded: a pointer to .eh_frame (4 bytes in all that
 * is met), the number of entries, and the entries, which are pairs relative to the section. */
#define VERSION 1
#define COUNT_AT 8
#define TABLE_AT 12
#define ENTRY 8

static int32_t word(const unsigned char *at)
{
	int32_t v;

	memcpy(&v, at, sizeof v);
	return v;
}

static int is_usual(const unsigned char *b, size_t size)
{
	return size >= TABLE_AT && b[0] == VERSION &&
	       (b[1] & ~DW_EH_PE_signed & 0x0f) == DW_EH_PE_udata4 && b[2] == DW_EH_PE_udata4 &&
	       b[3] == (DW_EH_PE_datarel | DW_EH_PE_sdata4);
}

static int same_code(const struct sd_elf_file *f, uint64_t a, uint64_t b)
{
	for (size_t i = 0; i < f->n_load; i++) {
		const struct sd_elfload *const l = &f->load[i];

		if (l->executable && a >= l->vaddr && b >= l->vaddr && a - l->vaddr < l->memsz &&
			b - l->vaddr < l->memsz)
			return 1;
	}
	return 0;
}

uint64_t sd_eh_frame_index_start(const struct sd_elf_file *f, uint64_t vaddr)
{
	GElf_Shdr header;
	Elf_Scn *const scn = f->elf ? sd_elf_file_section(f, ".eh_frame_hdr", 0, &header) : NULL;
	Elf_Data *const d = scn ? elf_rawdata(scn, NULL) : NULL;
	const unsigned char *const b = d ? d->d_buf : NULL;
	size_t low = 0, high;
	uint64_t start;

	if (!b || !is_usual(b, d->d_size))
		return 0;
	high = (uint32_t)word(b + COUNT_AT);
	if (high > (d->d_size - TABLE_AT) / ENTRY)
		high = (d->d_size - TABLE_AT) / ENTRY;
	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (header.sh_addr + (uint64_t)word(b + TABLE_AT + mid * ENTRY) <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return 0;
	start = header.sh_addr + (uint64_t)word(b + TABLE_AT + (low - 1) * ENTRY);
	return same_code(f, start, vaddr) ? start : 0;
}
