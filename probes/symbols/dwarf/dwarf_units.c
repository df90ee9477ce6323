#include "dwarf/dwarf_units.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "base/out_of_memory.h"

/* Bytes that libdw may take for the abbreviations and lines of one unit; elfutils 0.188 asserts
 * that its tables get their memory, or writes through a null pointer. */
#define ROOM (32ul << 20)

/* Bytes of the line program of one unit: each may be a row, of which libdw keeps some 100 bytes
 * (elfutils 0.188). Units of large programs, linked with optimisation, have a few MB. */
#define LINES_MOST (8u << 20)

enum { RANGES_MAX = 1 << 20 };

static int add_ranges(struct sd_dwarf_units *u, unsigned number)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int rc = 0;

	for (int i = 0; rc == 0 && i < RANGES_MAX; i++) {
		at = dwarf_ranges(&u->unit[number].die, at, &base, &start, &end);
		if (at <= 0)
			break;
		rc = sd_dwarf_inlines_range_add(&u->range, &u->n_range,
			&(struct sd_range){.low = start, .high = end, .scope = number});
	}
	return rc;
}

int sd_dwarf_units_read(struct sd_dwarf_units *u, Dwarf *dwarf)
{
	size_t header;
	Dwarf_Off at = 0, next;
	int rc = 0;

	*u = (struct sd_dwarf_units){.dwarf = dwarf};
	if (!sd_out_of_memory_room(ROOM))
		return -ENOMEM;
	while (rc == 0 && dwarf_next_unit(dwarf, at, &next, &header, NULL, NULL, NULL, NULL, NULL,
				  NULL) == 0) {
		struct sd_unit one = {.length = next - at};

		if (next <= at)
			break;
		if (!sd_out_of_memory_room(ROOM)) {
			rc = -ENOMEM;
			break;
		}
		if (dwarf_offdie(dwarf, at + header, &one.die) &&
			(dwarf_tag(&one.die) == DW_TAG_compile_unit ||
				dwarf_tag(&one.die) == DW_TAG_skeleton_unit)) {
			rc = SD_APPEND(u->unit, u->n, &one);
			if (rc == 0)
				rc = add_ranges(u, (unsigned)u->n - 1);
		}
		at = next;
	}
	sd_dwarf_inlines_range_sort(u->range, u->n_range);
	return rc;
}

struct sd_unit *sd_dwarf_units_at(struct sd_dwarf_units *u, uint64_t vaddr)
{
	const unsigned n = sd_dwarf_inlines_range_at(u->range, u->n_range, vaddr);

	return n == SD_SCOPE_NONE ? NULL : &u->unit[n];
}

/* The section that all line programs are in, as libdw has unpacked it; NULL: none. */
static const Elf_Data *line_section(Elf *elf)
{
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr h;
		const char *const name =
			gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (name && (strcmp(name, ".debug_line") == 0 || strcmp(name, ".zdebug_line") == 0))
			return elf_getdata(scn, NULL);
	}
	return NULL;
}

int sd_dwarf_units_lines_fit(Dwarf_Die *unit)
{
	const Elf_Data *const d = line_section(dwarf_getelf(dwarf_cu_getdwarf(unit->cu)));
	Dwarf_Attribute a;
	Dwarf_Word at;
	uint32_t length;

	if (!d || !d->d_buf || dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &a), &at) != 0 ||
		at >= d->d_size || d->d_size - at < sizeof length)
		return sd_out_of_memory_room(ROOM);
	memcpy(&length, (const char *)d->d_buf + at, sizeof length);
	/* 64-bit DWARF has 0xffffffff and the length behind it: the section ends it, too */
	if (length == UINT32_MAX && d->d_size - at <= LINES_MOST)
		length = 0;
	return length <= LINES_MOST && sd_out_of_memory_room(ROOM + 128ul * length);
}

void sd_unit_line(struct sd_unit *unit, uint64_t vaddr, const char **file, unsigned *line)
{
	Dwarf_Line *const l =
		sd_dwarf_units_lines_fit(&unit->die) ? dwarf_getsrc_die(&unit->die, vaddr) : NULL;
	int n = 0;

	*file = NULL;
	*line = 0;
	if (!l)
		return;
	*file = dwarf_linesrc(l, NULL, NULL);
	if (dwarf_lineno(l, &n) == 0 && n > 0)
		*line = (unsigned)n;
}

const char *sd_unit_file(struct sd_unit *unit, uint64_t n)
{
	Dwarf_Files *files;
	size_t count = 0;

	if (!sd_dwarf_units_lines_fit(&unit->die) ||
		dwarf_getsrcfiles(&unit->die, &files, &count) != 0 || n >= count)
		return NULL;
	return dwarf_filesrc(files, (size_t)n, NULL, NULL);
}

const char *sd_unit_folder(struct sd_unit *unit)
{
	Dwarf_Attribute a;

	return dwarf_attr(&unit->die, DW_AT_comp_dir, &a) ? dwarf_formstring(&a) : NULL;
}

const struct sd_dwarf_inlines *sd_unit_inlines(struct sd_unit *unit)
{
	/* without memory what was read so far is true all the same */
	if (!unit->read && sd_out_of_memory_room(ROOM))
		(void)sd_dwarf_inlines_read(&unit->inlines, &unit->die, unit->length);
	unit->read = 1;
	return &unit->inlines;
}

void sd_dwarf_units_free(struct sd_dwarf_units *u)
{
	for (size_t i = 0; i < u->n; i++)
		sd_dwarf_inlines_free(&u->unit[i].inlines);
	free(u->unit);
	free(u->range);
	sd_key_table_free(&u->variables);
	*u = (struct sd_dwarf_units){0};
}
