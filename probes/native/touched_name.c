#include "native/touched_name.h"

#include <stdio.h>
#include <string.h>

#include "symbols/code_nodes.h"
#include "symbols/part_names.h"

#define NAME 512
#define PARTS 8    /* members of a line that are told */
#define LOOK 256   /* touches looked at */
#define OBJECTS 16 /* lines of a run, the most contested, whose variables are laid out */
/* Bytes below and above its samples' stack pointers that are a thread's stack for sure. */
#define BELOW 4096
#define ABOVE 16384

static int holds(const struct sd_native_stack *s, uint64_t address)
{
	for (unsigned i = 0; i < s->n; i++)
		if (address + BELOW >= s->part[i].low && address <= s->part[i].high + ABOVE)
			return 1;
	return 0;
}

/* The stack that holds an address, by the stack pointers of its thread's samples. */
static int name_stack(const struct sd_native_watch *w, const struct sd_timeline *t,
	uint64_t address, int pid, char name[NAME])
{
	for (size_t i = 0; i < w->n_stack; i++) {
		if (t->thread[i].pid != pid || !holds(&w->stack[i], address))
			continue;
		snprintf(name, NAME, "stack of thread %d", t->thread[i].tid);
		return 1;
	}
	return 0;
}

/* ---- blocks of the heap ---------------------------------------------------------------------- */

/* Members, by their places in the line. */
struct type_parts {
	struct {
		unsigned byte;
		struct sd_symbols_part part;
	} of[PARTS];
	unsigned n;
};

static void add_part(struct type_parts *p, unsigned byte, const struct sd_symbols_part *part)
{
	unsigned i = p->n;

	for (unsigned k = 0; k < p->n; k++)
		if (strcmp(p->of[k].part.name, part->name) == 0)
			return;
	if (p->n == PARTS)
		return;
	for (; i > 0 && p->of[i - 1].byte > byte; i--)
		p->of[i] = p->of[i - 1];
	p->of[i].byte = byte;
	p->of[i].part = *part;
	p->n++;
}

/* Are these bytes among those that the touch has for such an access? */
static int are_touched(const struct sd_touch *e, const struct sd_operand *o, int64_t byte)
{
	const uint64_t mask = (o->size >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << o->size) - 1) << byte;

	return (!o->reads || !(mask & ~e->read)) && (!o->writes || !(mask & ~e->written));
}

/*
 * The byte in the line that a touch's nearest operand begins at. The touch has the bytes of all
 * operands there: it is the one byte from which those of the same registers lead to touched bytes,
 * too. -1: there are several.
 */
static int first_byte(
	const struct sd_touch *e, const struct sd_operand_plan *p, const struct sd_operand_step *s)
{
	const struct sd_operand *const own = &p->operand[e->operand];
	int found = -1;

	for (int64_t byte = 0; own->size && byte + own->size <= SD_TOUCH_LINE; byte++) {
		int fits = are_touched(e, own, byte);

		for (unsigned i = 0; i < p->n && fits; i++) {
			const struct sd_operand *const o = &p->operand[i];
			const struct sd_operand_step *const other =
				o->sure == e->sure ? sd_operand_plan_address(p, i) : NULL;
			const int64_t at = other ? byte + other->imm - s->imm : -1;

			if (other && other->base == s->base && other->index == s->index &&
				o->size && at >= 0 && at + o->size <= SD_TOUCH_LINE)
				fits = are_touched(e, o, at);
		}
		if (fits && found >= 0)
			return -1;
		found = fits ? (int)byte : found;
	}
	return found;
}

/* Appends the members that the code touches there, by the types of its pointers: " (struct
 * part.hits)". */
static int put_types(const struct sd_native_watch *w, const struct sd_touched_line *l,
	const struct sd_code_nodes *nodes, char name[NAME], struct sd_sim_contested *to)
{
	struct sd_part_names names = {.n = 0};
	struct type_parts parts = {.n = 0};
	const size_t used = strlen(name);
	uint64_t last = 0;
	int rc = 0;

	for (size_t i = 0; i < l->n_touch && i < LOOK && !rc; i++) {
		const struct sd_touch *const e = &l->touch[i];
		const struct sd_operand_plan *const plan =
			w->plans.code[w->touches.sample[e->sample].plan].plan;
		const struct sd_operand_step *const s =
			plan && e->met != SD_TOUCH_ALONE && (e->read | e->written)
				? sd_operand_plan_address(plan, e->operand)
				: NULL;
		struct sd_symbols_part part;
		int byte;

		if (!s || plan->operand[e->operand].ip == last)
			continue;
		last = plan->operand[e->operand].ip;
		byte = first_byte(e, plan, s);
		if (sd_symbols_pointed(w->plans.symbols, nodes->pid, last, s->base,
			    sd_operand_plan_indexed(s), (uint64_t)s->imm, &part) != 0)
			continue;
		add_part(&parts, (unsigned)__builtin_ctzll(e->read | e->written), &part);
		if (byte >= 0)
			rc = sd_code_nodes_object(nodes, &part, (unsigned)byte, SD_OBJECT_HEAP, to);
	}
	for (unsigned i = 0; i < parts.n; i++)
		sd_part_names_add(&names, &parts.of[i].part);
	if (parts.n)
		snprintf(name + used, NAME - used, " (%s)", sd_part_names_text(&names));
	return rc;
}

/* Leaves the line of a stack to whoever finds its frame. */
static void ask_for_frame(const struct sd_native_watch *w, const struct sd_touched_line *l, int pid,
	uint64_t touched, size_t row)
{
	const struct sd_touch *const some = &l->touch[l->n_touch / 2];
	const struct sd_stack_line line = {.pid = pid,
		.line = l->touch->line,
		.touched = touched,
		.time = w->touches.sample[some->sample].time,
		.row = row};

	if (w->frames)
		sd_stack_frames_add(w->frames, &line);
}

int sd_touched_name_add(const struct sd_native_watch *w, const struct sd_timeline *t,
	const struct sd_touched_line *l, uint64_t touched, size_t row, struct sd_sim_contested *to)
{
	const struct sd_touch *const touch = l->touch;
	const int pid = t->thread[w->touches.sample[touch->sample].thread].pid;
	const struct sd_code_nodes names = {
		.symbols = w->plans.symbols, .stacks = w->plans.stacks, .pid = pid};
	const struct sd_data_map *map = sd_shared_lines_map(&w->shared, touch->space, touch->line);
	const int shared = map != NULL;
	uint64_t address = touch->line;
	char name[NAME] = "";
	int rc = 0;

	to->name = 0;
	if (map) {
		address = map->start + (touch->line - map->offset);
	} else {
		rc = sd_code_nodes_variables(&names, address, touched, 1, &to->name);
		if (!rc && to->name && row < OBJECTS)
			rc = sd_code_nodes_objects(&names, address, touched, 1, to);
		if (rc || to->name)
			return rc;
		if (!name_stack(w, t, address, pid, name))
			map = sd_data_maps_at(&w->data, pid, address);
	}
	if (map)
		sd_data_maps_name(map, address, name, sizeof name);
	if (!shared && (!map || strncmp(name, "[stack", 6) == 0) && *name)
		ask_for_frame(w, l, pid, touched, row);
	else if (!shared && map && !map->inode)
		rc = put_types(w, l, &names, name, to);
	return rc ? rc : sd_code_nodes_text(names.stacks, name, &to->name);
}
