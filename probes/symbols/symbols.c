#include "symbols/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "instruction/insn_decode.h"
#include "symbols/demangle.h"
#include "symbols/source_places.h"
#include "symbols/symbols_state.h"
#include "symbols/plt_stubs.h"
#include "symbols/task_runtimes.h"
#include "unwind/code_rows.h"
#include "unwind/unwind.h"

#define FRAMES 128 /* of a stack in which one is looked for */

int sd_symbols_open(struct sd_symbols **out, const char *root)
{
	struct sd_symbols *const s = calloc(1, sizeof *s);

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->root = strdup(root ? root : "");
	if (!s->root) {
		free(s);
		return -ENOMEM;
	}
	s->modules.pool = &s->pool;
	s->modules.root = s->root;
	sd_target_view_ours(&s->modules.ours);
	s->held.trees = &s->modules.trees;
	sd_mapped_files_open(&s->held);
	*out = s;
	return 0;
}

void sd_symbols_close(struct sd_symbols *s)
{
	if (!s)
		return;
	sd_jit_maps_free(&s->jit);
	sd_kallsyms_free(&s->kernel);
	sd_modules_free(&s->modules);
	sd_address_spaces_free(&s->told);
	sd_address_spaces_free(&s->seen);
	sd_mapped_files_close(&s->held);
	sd_row_cache_free(&s->rows);
	sd_key_table_free(&s->places);
	sd_string_pool_free(&s->pool);
	free(s->root);
	free(s);
}

void sd_symbols_again(struct sd_symbols *s)
{
	sd_jit_maps_free(&s->jit);
	sd_address_spaces_free(&s->told);
	sd_address_spaces_free(&s->seen);
	sd_mapped_files_close(&s->held);
	sd_mapped_files_open(&s->held);
	sd_modules_check(&s->modules);
	sd_kallsyms_check(&s->kernel, s->root);
	s->no_kernel = 0;
	s->space = NULL;
	s->runs++;
}

void sd_symbols_copies(struct sd_symbols *s,
	size_t (*code)(const void *copies, int pid, uint64_t pc, unsigned char *out, size_t max),
	const void *copies)
{
	s->copied = code;
	s->copies = copies;
}

void sd_symbols_read_kernel(struct sd_symbols *s)
{
	(void)sd_kallsyms_at(&s->kernel, s->root, 0);
}

void sd_symbols_without_kernel(struct sd_symbols *s)
{
	s->no_kernel = 1;
}

static int add_map(struct sd_symbols *s, struct sd_address_spaces *to, const struct sd_event *e)
{
	struct sd_map map = {.start = e->address, .end = e->address + e->size, .offset = e->offset};
	const int rc = sd_modules_add(&s->modules, e, &map.module);

	return rc != 0 ? rc : sd_address_spaces_map(to, e->pid, &map);
}

int sd_symbols_event(struct sd_symbols *s, const struct sd_event *event)
{
	s->space = NULL;
	switch (event->kind) {
	case SD_EVENT_MAP:
		return add_map(s, &s->told, event);
	case SD_EVENT_EXEC:
		sd_jit_maps_forget(&s->jit, event->pid);
		return sd_address_spaces_exec(&s->told, event->pid);
	case SD_EVENT_FORK:
		if (event->pid == event->other)
			return 0;
		sd_jit_maps_forget(&s->jit, event->pid);
		return sd_address_spaces_fork(&s->told, event->pid, event->other);
	default:
		/* what has ended is still asked for: spaces stay until their number is reused */
		return 0;
	}
}

static int see(void *ctx, const struct sd_event *map)
{
	struct sd_symbols *const s = ctx;

	return add_map(s, &s->seen, map);
}

void sd_symbols_visit(struct sd_symbols *s, int pid)
{
	if (!sd_mapped_files_changed(&s->held, pid))
		return;
	s->space = NULL;
	if (sd_address_spaces_exec(&s->seen, pid) == 0)
		(void)sd_mapped_files_read(&s->held, pid, see, s);
}

int sd_symbols_mapped(struct sd_symbols *s, int pid,
	int (*each)(void *ctx, const struct sd_event *map), void *ctx)
{
	return sd_mapped_files_read(&s->held, pid, each, ctx);
}

const struct sd_map *sd_symbols_state_map(struct sd_symbols *s, int pid, uint64_t pc)
{
	if (!s->space || s->pid != pid) {
		s->pid = pid;
		s->space = sd_address_spaces_of(&s->told, pid);
		if (!s->space || !s->space->n)
			s->space = sd_address_spaces_of(&s->seen, pid);
	}
	return sd_space_at(s->space, pc);
}

int sd_symbols_state_locate(struct sd_symbols *s, const struct sd_map *map, uint64_t pc,
	struct sd_module **module, uint64_t *vaddr)
{
	struct sd_module *const m = s->modules.item[map->module];

	*module = m;
	if (sd_module_load(&s->modules, m, &s->held) != 0)
		return -ENOENT;
	return sd_elf_file_address(&m->file, pc - map->start + map->offset, vaddr);
}

/* ---- unwinding ---- */

struct sample {
	struct sd_symbols *s;
	int pid;
};

/* HotSpot's: its frames keep pointers, and what they are returned to follows no call. */
static int is_interpreter(const struct sd_label *l)
{
	return l && strcmp(l->name, "Interpreter") == 0;
}

static size_t copied_at(void *ctx, uint64_t pc, unsigned char *out, size_t max)
{
	const struct sample *const t = ctx;

	return t->s->copied ? t->s->copied(t->s->copies, t->pid, pc, out, max) : 0;
}

/* Code that is in no file. */
static const struct sd_row *row_of_jit(struct sample *t, uint64_t pc, int returns)
{
	struct sd_symbols *const s = t->s;
	struct sd_code_rows_from from = {.code = copied_at, .ctx = t};
	const uint64_t at = pc - (uint64_t)returns;
	const struct sd_label *l;

	if (!s->copied)
		return NULL;
	l = sd_jit_maps_at(&s->jit, &s->held, s->root, t->pid, at);
	if (is_interpreter(l))
		return NULL;
	from.end = l ? l->end : 0;
	from.start = l ? l->start : 0;
	return sd_row_cache_jit(
		&s->rows, (uint64_t)s->runs << 32 | (unsigned)t->pid, &from, at, returns);
}

static int row_at(void *ctx, uint64_t pc, int returns, const struct sd_unwind_rows **cfi,
	const struct sd_row **row)
{
	static struct sd_unwind_rows none; /* no tables */
	struct sample *const t = ctx;
	struct sd_symbols *const s = t->s;
	const uint64_t at = pc - (uint64_t)returns;
	const struct sd_map *const map = sd_symbols_state_map(s, t->pid, at);
	struct sd_module *m;
	uint64_t vaddr;

	if (!map)
		return -ENOENT;
	if (sd_symbols_state_locate(s, map, at, &m, &vaddr) != 0) {
		none.arch = sd_frame_arch_host();
		*cfi = &none;
		*row = row_of_jit(t, pc, returns);
		return *row != NULL;
	}
	*cfi = &m->cfi;
	*row = sd_row_cache_at(&s->rows, &s->modules, map->module, vaddr, returns);
	return *row != NULL;
}

static int follows_call(void *ctx, uint64_t pc)
{
	struct sample *const t = ctx;
	unsigned char code[SD_INSN_DECODE_CALL_BYTES];
	const uint64_t from = pc - sizeof code;

	if (pc < sizeof code)
		return -ENOENT;
	if (sd_symbols_code(t->s, t->pid, from, code, sizeof code) == sizeof code)
		return sd_insn_decode_ends_call(sd_insn_decode_here(), code, sizeof code);
	/* of code that is in no file: it may be returned to by other means than a call */
	if (copied_at(t, from, code, sizeof code) == sizeof code &&
		(sd_insn_decode_ends_call(sd_insn_decode_here(), code, sizeof code) > 0 ||
			is_interpreter(
				sd_jit_maps_at(&t->s->jit, &t->s->held, t->s->root, t->pid, pc))))
		return 1;
	return -ENOENT;
}

/* As sd_symbols_unwind(); `sp` as in unwind.h. */
static size_t unwind(struct sd_symbols *s, const struct sd_event *e, uint64_t *pc, uint64_t *sp,
	size_t max, struct sd_unwound *how)
{
	struct sample t = {.s = s, .pid = e->pid};
	const struct sd_codemap map = {.arch = sd_frame_arch_host(),
		.row = row_at,
		.follows_call = follows_call,
		.ctx = &t};
	const struct sd_unwind_from from = {.regs = &e->regs,
		.stack = {.byte = e->stack,
			.at = e->stack_at,
			.size = e->stack ? e->stack_size : 0},
		.pointed = e->pointed,
		.n_pointed = e->n_pointed,
		.sp = sp};

	return sd_unwind(&map, &from, pc, max, how);
}

size_t sd_symbols_unwind(struct sd_symbols *s, const struct sd_event *e, uint64_t *pc, size_t max,
	struct sd_unwound *how)
{
	return unwind(s, e, pc, NULL, max, how);
}

int sd_symbols_frame_at(struct sd_symbols *s, const struct sd_event *e, uint64_t address,
	struct sd_symbols_frame *out)
{
	uint64_t pc[FRAMES], sp[FRAMES];
	struct sd_unwound how;
	const size_t n = unwind(s, e, pc, sp, FRAMES, &how);

	for (size_t i = 0; n && i + 1 < how.inside; i++)
		if (address >= sp[i] && address < sp[i + 1]) {
			*out = (struct sd_symbols_frame){
				.pc = pc[i], .caller = i > 0, .sp = sp[i], .cfa = sp[i + 1]};
			return 0;
		}
	return -ENOENT;
}

/* ---- places ---- */

static size_t at_jit(struct sd_symbols *s, int pid, uint64_t pc, struct sd_placement_of *out)
{
	const struct sd_label *const l = sd_jit_maps_at(&s->jit, &s->held, s->root, pid, pc);

	*out = (struct sd_placement_of){.module = "[jit]", .offset = pc};
	if (l) {
		out->function = sd_string_pool_text(&s->pool, l->name, strlen(l->name));
		out->start = l->start;
		out->end = l->end;
	}
	return 1;
}

static const struct sd_placelist *list_at(
	struct sd_symbols *s, unsigned number, struct sd_module *m, uint64_t vaddr)
{
	uint64_t *const slot = sd_key_table_add(&s->places, (uint64_t)number + 1, vaddr);
	const struct sd_placelist *list;

	if (!slot)
		return NULL;
	if (!*slot) {
		sd_module_functions(&s->modules, m);
		list = sd_source_places_of(&s->modules, m, vaddr);
		*slot = (uintptr_t)list;
	}
	return sd_key_table_pointer(*slot);
}

size_t sd_symbols_at(struct sd_symbols *s, int pid, uint64_t pc, int caller,
	struct sd_placement_of *out, size_t max)
{
	const uint64_t at = pc - (caller ? 1 : 0);
	const struct sd_map *const map = sd_symbols_state_map(s, pid, at);
	const struct sd_placelist *list = NULL;
	struct sd_module *m;
	uint64_t vaddr;
	size_t n;

	if (!max)
		return 0;
	*out = (struct sd_placement_of){.offset = at};
	if (!map)
		return 1;
	m = s->modules.item[map->module];
	if (m->kind == SD_MODULE_ANONYMOUS && m->path[0] != '[')
		return at_jit(s, pid, at, out);
	out->module = m->path;
	out->offset = at - map->start + map->offset;
	if (sd_symbols_state_locate(s, map, at, &m, &vaddr) == 0)
		list = list_at(s, map->module, m, vaddr);
	if (!list)
		return 1;
	n = list->n < max ? list->n : max;
	memcpy(out, list->place, n * sizeof *out);
	/* cut: the function itself is more than what is between */
	out[n - 1] = list->place[n < list->n ? list->n - 1 : n - 1];
	return n;
}

void sd_symbols_kernel(struct sd_symbols *s, uint64_t pc, struct sd_placement_of *out)
{
	const struct sd_label *const l =
		s->no_kernel ? NULL : sd_kallsyms_at(&s->kernel, s->root, pc);

	*out = (struct sd_placement_of){.module = "[kernel]",
		.offset = pc,
		.function = l ? l->name : NULL,
		.start = l ? l->start : 0};
}

int sd_symbols_schedules(struct sd_symbols *s, int pid, uint64_t pc)
{
	const struct sd_map *const map = sd_symbols_state_map(s, pid, pc);
	struct sd_module *m;
	uint64_t vaddr;

	return map && sd_symbols_state_locate(s, map, pc, &m, &vaddr) == 0 &&
	       sd_task_runtimes_in(&m->file);
}

const char *sd_symbols_called(struct sd_symbols *s, int pid, uint64_t pc)
{
	const struct sd_map *const map = pc ? sd_symbols_state_map(s, pid, pc - 1) : NULL;
	struct sd_module *m;
	char name[1024];
	uint64_t vaddr;

	if (!map || sd_symbols_state_locate(s, map, pc - 1, &m, &vaddr) != 0 ||
		!sd_plt_stubs_called(&m->file, vaddr + 1, name, sizeof name))
		return NULL;
	return sd_demangle(&s->pool, name);
}

size_t sd_symbols_code(struct sd_symbols *s, int pid, uint64_t pc, unsigned char *out, size_t max)
{
	const struct sd_map *const map = sd_symbols_state_map(s, pid, pc);
	struct sd_module *m;
	uint64_t vaddr;

	if (!map || sd_symbols_state_locate(s, map, pc, &m, &vaddr) != 0)
		return 0;
	return sd_elf_file_bytes(&m->file, vaddr, out, max);
}
