#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbols/demangle.h"
#include "dwarf/dwarf_object.h"
#include "dwarf/dwarf_variables.h"
#include "symbols/symbols_state.h"
#include "unwind/frame_registers.h"

/* Whether `address` is in what the file mapped by `map` loads: 0, and where there. */
static int loaded_by(struct sd_symbols *s, const struct sd_map *map, uint64_t address,
	struct sd_module **m, uint64_t *vaddr)
{
	if (sd_symbols_state_locate(s, map, map->start, m, vaddr) != 0)
		return -ENOENT;
	*vaddr += address - map->start;
	for (size_t i = 0; i < (*m)->file.n_load; i++) {
		const struct sd_elfload *const l = &(*m)->file.load[i];

		if (*vaddr >= l->vaddr && *vaddr - l->vaddr < l->memsz)
			return 0;
	}
	return -ENOENT;
}

/* Whether a mapping is a further part of a file that has one before it: that one says where all of
 * it is. A page of the file that two segments have a part of is mapped twice, and does not. */
static int goes_on(const struct sd_space *space, size_t i)
{
	const struct sd_map *const map = space->map;

	for (size_t k = i; k-- > 0;)
		if (map[k].module == map[i].module)
			return map[k].offset < map[i].offset ||
			       (map[k].offset == map[i].offset && map[k].end == map[i].start);
	return 0;
}

int sd_symbols_file(
	struct sd_symbols *s, int pid, uint64_t address, const char **module, uint64_t *offset)
{
	struct sd_module *m;
	uint64_t vaddr;

	(void)sd_symbols_state_map(s, pid, address);
	for (size_t i = 0; s->space && i < s->space->n; i++)
		if (!goes_on(s->space, i) &&
			loaded_by(s, &s->space->map[i], address, &m, &vaddr) == 0) {
			*module = m->path;
			*offset = vaddr;
			return 0;
		}
	return -ENOENT;
}

/* The module and symbol of the variable at an address, and how far into it that is; NULL: none. */
static const struct sd_function *symbol_at(
	struct sd_symbols *s, int pid, uint64_t address, struct sd_module **m, uint64_t *offset)
{
	uint64_t vaddr;

	(void)sd_symbols_state_map(s, pid, address);
	for (size_t i = 0; s->space && i < s->space->n; i++) {
		const struct sd_function *f;

		if (goes_on(s->space, i) ||
			loaded_by(s, &s->space->map[i], address, m, &vaddr) != 0)
			continue;
		sd_module_objects(&s->modules, *m);
		f = sd_elf_symbols_at(&(*m)->objects, vaddr);
		*offset = f ? vaddr - f->start : 0;
		/* a file may claim any address, also one that it cannot have been loaded at */
		if (f && *offset <= address && *sd_elf_symbols_name(&(*m)->objects, f))
			return f;
	}
	return NULL;
}

int sd_symbols_data(
	struct sd_symbols *s, int pid, uint64_t address, const char **name, uint64_t *start)
{
	struct sd_module *m;
	uint64_t offset;
	const struct sd_function *const f = symbol_at(s, pid, address, &m, &offset);

	if (!f)
		return -ENOENT;
	*name = sd_demangle(&s->pool, sd_elf_symbols_name(&m->objects, f));
	*start = address - offset;
	return *name ? 0 : -ENOENT;
}

int sd_symbols_variable(
	struct sd_symbols *s, int pid, uint64_t address, struct sd_symbols_part *out)
{
	struct sd_module *m;
	uint64_t offset;
	const struct sd_function *const f = symbol_at(s, pid, address, &m, &offset);
	const char *const name =
		f ? sd_demangle(&s->pool, sd_elf_symbols_name(&m->objects, f)) : NULL;
	size_t used;

	if (!name)
		return -ENOENT;
	*out = (struct sd_symbols_part){.variable = address - offset, .module = m, .into = offset};
	snprintf(out->name, sizeof out->name, "%s", name);
	used = strlen(out->name);
	out->entry =
		sd_dwarf_variables_part(&m->units, f->start, offset, out->name, sizeof out->name);
	out->typed = used < strlen(out->name);
	if (!out->typed && offset)
		snprintf(out->name + used, sizeof out->name - used, "+0x%" PRIx64, offset);
	return 0;
}

int sd_symbols_local(struct sd_symbols *s, int pid, const struct sd_symbols_frame *f,
	uint64_t address, struct sd_symbols_part *out)
{
	const uint64_t pc = f->pc - (f->caller ? 1 : 0);
	const struct sd_map *const map = sd_symbols_state_map(s, pid, pc);
	const struct sd_dwarf_local at = {.address = address, .sp = f->sp, .cfa = f->cfa};
	struct sd_dwarf_found found = {0};
	struct sd_module *m;
	uint64_t vaddr;
	int level;

	*out = (struct sd_symbols_part){.typed = 1};
	if (!map || sd_symbols_state_locate(s, map, pc, &m, &vaddr) != 0)
		return -ENOENT;
	sd_module_functions(&s->modules, m);
	level = sd_dwarf_variables_local(
		&m->units, vaddr, &at, out->name, sizeof out->name, &found);
	out->module = m;
	out->variable = out->entry = found.entry;
	out->into = found.into;
	return level;
}

/* DWARF's number of a register; SD_FRAME_REGS: it has none that matters. */
static unsigned dwarf_number(unsigned perf)
{
	const struct sd_frame_arch *const a = sd_frame_arch_host();
	unsigned i = 0;

	while (a && i < SD_FRAME_REGS && a->perf[i] != perf)
		i++;
	return a ? i : SD_FRAME_REGS;
}

int sd_symbols_pointed(struct sd_symbols *s, int pid, uint64_t pc, unsigned reg, int indexed,
	uint64_t offset, struct sd_symbols_part *out)
{
	const struct sd_map *const map = sd_symbols_state_map(s, pid, pc);
	struct sd_dwarf_found found = {0};
	struct sd_module *m;
	uint64_t vaddr;
	int rc;

	*out = (struct sd_symbols_part){.typed = 1, .pointed = 1};
	if (!map || sd_symbols_state_locate(s, map, pc, &m, &vaddr) != 0)
		return -ENOENT;
	sd_module_functions(&s->modules, m);
	rc = sd_dwarf_variables_pointed(&m->units, vaddr, dwarf_number(reg), indexed, offset,
		out->name, sizeof out->name, &found);
	out->module = m;
	out->entry = found.entry;
	out->into = found.into;
	return rc;
}

int sd_symbols_layout(
	struct sd_symbols *s, const struct sd_symbols_part *part, struct sd_object_layout *out)
{
	struct sd_module *const m = part->module;

	(void)s;
	return m && part->entry
		       ? sd_dwarf_object(&m->units, part->entry, part->pointed, part->into, out)
		       : -ENOENT;
}
