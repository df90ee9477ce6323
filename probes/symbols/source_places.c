#include "symbols/source_places.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/plt_stubs.h"

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

/* The start of the code containing vaddr; 0: no index, an encoding that linkers do not use, or
 * vaddr before its first entry or in another segment than the entry found.
 */
static uint64_t index_start(const struct sd_elf_file *f, uint64_t vaddr)
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

static const char *keep(const struct sd_modules *all, const char *text)
{
	return text && *text ? sd_string_pool_text(all->pool, text, strlen(text)) : NULL;
}

/* The library leaves folders as the compiler was told them: relative to where it ran. */
static const char *keep_file(const struct sd_modules *all, struct sd_unit *unit, const char *file)
{
	const char *const folder = file && *file && *file != '/' ? sd_unit_folder(unit) : NULL;
	char path[PATH_MAX];
	int n;

	if (!folder || *folder != '/')
		return keep(all, file);
	n = snprintf(path, sizeof path, "%s%s%s", folder,
		folder[strlen(folder) - 1] == '/' ? "" : "/", file);
	return keep(all, n < (int)sizeof path ? path : file);
}

/* ---- what a function is called --------------------------------------------------------------- */

/* Deeper scopes are left out; so are searches of a unit, each of which may walk all of its entries,
 * beyond so many. */
enum { DEPTH = 16, SEARCHES = 256 };

static const char *linker_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
		dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		return dwarf_formstring(&a);
	return NULL;
}

static int is_cplusplus(struct sd_unit *unit)
{
	switch (dwarf_srclang(&unit->die)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return 1;
	default:
		return 0;
	}
}

/* The entry of which this one is an instance: where the source declares it. */
static Dwarf_Die declared(const Dwarf_Die *die)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < DEPTH; i++) {
		Dwarf_Attribute a;
		Dwarf_Die next;

		if (!(dwarf_attr(&at, DW_AT_abstract_origin, &a) ||
			    dwarf_attr(&at, DW_AT_specification, &a)) ||
			!dwarf_formref_die(&a, &next))
			break;
		at = next;
	}
	return at;
}

/* How many of the scopes, inner first, the name has: up to the first that goes by its whole name.
 */
static int named_scopes(Dwarf_Die *scope, int n, const char *name[DEPTH])
{
	int k = 0;

	for (int i = 1; i < n && k < DEPTH; i++) {
		const char *const own = dwarf_diename(&scope[i]), *whole;

		switch (dwarf_tag(&scope[i])) {
		case DW_TAG_namespace:
			name[k++] = own ? own : "(anonymous namespace)";
			break;
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			/* a class that nobody could name but its compiler */
			name[k++] = own ? own : "<lambda>";
			break;
		case DW_TAG_subprogram:
			whole = linker_name(&scope[i]);
			if (whole || own)
				name[k++] = whole ? whole : own;
			if (whole) /* which has the rest */
				return k;
			break;
		default:
			break;
		}
	}
	return k;
}

static const char *qualified(struct sd_string_pool *pool, Dwarf_Die *die, const char *own)
{
	const char *outer[DEPTH], *kept = NULL;
	Dwarf_Die at = declared(die), *scope = NULL;
	const int n = dwarf_getscopes_die(&at, &scope);
	char *text = NULL;
	size_t size = 0;
	FILE *const f = n > 1 ? open_memstream(&text, &size) : NULL;

	for (int k = f ? named_scopes(scope, n, outer) : 0; k-- > 0;) {
		const char *const name = sd_demangle(pool, outer[k]);

		fprintf(f, "%s::", name ? name : outer[k]);
	}
	free(scope);
	if (f) {
		fputs(own, f);
		if (fclose(f) == 0)
			kept = sd_string_pool_text(pool, text, size);
		free(text);
	}
	return kept ? kept : sd_demangle(pool, own);
}

/*
 * As the linker would know it; of C++ functions that it does not know, lambdas and what is made for
 * them alone, the name with its namespaces, classes and the function around it:
 * "main(int, char**)::<lambda()>::operator()". Elsewhere the bare name. In the pool; NULL: it has
 * none.
 */
static const char *name_of(struct sd_string_pool *pool, struct sd_unit *unit, Dwarf_Die *die)
{
	const char *const linker = linker_name(die), *own;

	if (linker && *linker)
		return sd_demangle(pool, linker);
	own = dwarf_diename(die);
	if (!own || !*own)
		return NULL;
	if (!is_cplusplus(unit) || unit->searches >= SEARCHES)
		return sd_demangle(pool, own);
	unit->searches++;
	return qualified(pool, die, own);
}

/*
 * Adds to a parallel region's name the place where its code begins. Compilers only number it:
 * "solve._omp_fn.0", ".omp_outlined..2"; then it is "relax_._omp_fn.0 [heat.f90:12]".
 */
static const char *with_region(
	const struct sd_modules *all, struct sd_unit *unit, uint64_t start, const char *name)
{
	const char *file = NULL, *base, *kept;
	char text[1024];
	unsigned line = 0;
	int n;

	if (!name || !unit || !(strstr(name, "._omp_fn.") || strstr(name, ".omp_outlined")))
		return name;
	sd_unit_line(unit, start, &file, &line);
	if (!file || !line)
		return name;
	base = strrchr(file, '/');
	n = snprintf(text, sizeof text, "%s [%s:%u]", name, base ? base + 1 : file, line);
	kept = n < (int)sizeof text ? sd_string_pool_text(all->pool, text, (size_t)n) : NULL;
	return kept ? kept : name;
}

/* ---- where it is ----------------------------------------------------------------------------- */

static uint64_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word n = 0;

	return dwarf_attr(die, attribute, &a) && dwarf_formudata(&a, &n) == 0 ? n : 0;
}

/* The place that `scope`, inlined, was called from: its function is not known yet. */
static void caller_of(const struct sd_modules *all, struct sd_unit *unit, Dwarf_Die *scope,
	struct sd_placement_of *out)
{
	const uint64_t file = number_of(scope, DW_AT_call_file);
	const uint64_t line = number_of(scope, DW_AT_call_line);

	out->file = keep_file(all, unit, sd_unit_file(unit, file));
	out->line = out->file && line <= INT32_MAX ? (unsigned)line : 0;
}

/* How many places; the last one is the function itself, its name from DWARF or NULL. */
static size_t read_scopes(const struct sd_modules *all, const struct sd_module *m,
	struct sd_unit *unit, uint64_t vaddr, struct sd_placement_of *out)
{
	const struct sd_dwarf_inlines *const in = sd_unit_inlines(unit);
	unsigned scope = sd_dwarf_inlines_range_at(in->range, in->n_range, vaddr);
	size_t n = 0;

	while (scope != SD_SCOPE_NONE) {
		Dwarf_Die die;

		if (!dwarf_offdie(m->dwarf, in->scope[scope].die, &die))
			break;
		if (!in->scope[scope].name)
			in->scope[scope].name = name_of(all->pool, unit, &die);
		out[n].function = in->scope[scope].name;
		scope = in->scope[scope].parent;
		if (scope == SD_SCOPE_NONE)
			return n + 1;
		out[n].inlined = 1;
		/* too deep: what is between is left out */
		if (n + 2 < SD_SOURCE_PLACES_MAX)
			n++;
		caller_of(all, unit, &die, &out[n]);
	}
	return n + 1;
}

#define AT_PLT "@plt"

/* "malloc@plt": what a stub jumps to. 1; 0: it is none. */
static int name_stub(const struct sd_modules *all, const struct sd_module *m, uint64_t vaddr,
	struct sd_placement_of *p)
{
	char name[1024], text[sizeof name + sizeof AT_PLT];
	const char *called;

	if (!sd_plt_stubs_at(&m->file, vaddr, &p->start, name, sizeof name))
		return 0;
	called = sd_demangle(all->pool, name);
	snprintf(text, sizeof text, "%s" AT_PLT, called ? called : name);
	p->function = sd_string_pool_text(all->pool, text, strlen(text));
	return p->function != NULL;
}

const struct sd_placelist *sd_source_places_of(
	const struct sd_modules *all, struct sd_module *m, uint64_t vaddr)
{
	const struct sd_function *const f = sd_elf_symbols_at(&m->functions, vaddr);
	struct sd_unit *const unit = sd_dwarf_units_at(&m->units, vaddr);
	struct sd_placement_of place[SD_SOURCE_PLACES_MAX] = {{0}};
	struct sd_placelist *list;
	const char *file;
	size_t n = 1;

	if (unit) {
		sd_unit_line(unit, vaddr, &file, &place[0].line);
		place[0].file = keep_file(all, unit, file);
		n = read_scopes(all, m, unit, vaddr, place);
	}
	if (f) {
		place[n - 1].function = with_region(all, unit, f->start,
			sd_demangle(all->pool, sd_elf_symbols_name(&m->functions, f)));
		place[n - 1].start = f->start;
		place[n - 1].end = f->sized ? f->end : 0;
	} else if (!place[n - 1].function && !name_stub(all, m, vaddr, &place[n - 1])) {
		place[n - 1].start = index_start(&m->file, vaddr);
	}
	list = sd_string_pool_get(all->pool, sizeof *list + n * sizeof *place);
	if (!list)
		return NULL;
	list->n = n;
	for (size_t i = 0; i < n; i++) {
		list->place[i] = place[i];
		list->place[i].module = m->path;
		list->place[i].offset = vaddr;
	}
	return list;
}
