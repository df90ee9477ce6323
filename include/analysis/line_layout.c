#include "analysis/line_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A thread with less of a line's accesses only initialises it, or reads it in the end. */
#define CONTENDS .01
#define LINE 64  /* bits of a mask */
#define BLOCK 16 /* an allocator's blocks begin at multiples of it */

/* ---- rows ------------------------------------------------------------------------------------ */

/* The bytes from `at` on, of a line that begins at 0, as a mask. */
static uint64_t mask_of(int64_t at, uint64_t bytes)
{
	const int64_t end = bytes > INT64_MAX / 2 ? INT64_MAX / 2 : at + (int64_t)bytes;
	const int64_t from = at < 0 ? 0 : at, to = end > LINE ? LINE : end;
	uint64_t mask;

	if (from >= LINE || to <= from)
		return 0;
	mask = to - from == LINE ? UINT64_MAX : (UINT64_C(1) << (to - from)) - 1;
	return mask << from;
}

static int contends(const struct sd_line_view *v, const struct sd_sim_sharer *s)
{
	return s->loads + s->stores >= CONTENDS * v->accesses;
}

static void count_threads(const struct sd_line_view *v, struct sd_layout_row *r)
{
	unsigned users = 0;

	r->thread = SD_LAYOUT_THREADS;
	for (size_t i = 0; i < v->line->n_sharer; i++) {
		const struct sd_sim_sharer *const s = &v->line->sharer[i];

		if (!contends(v, s) || !((s->read | s->written) & r->mask))
			continue;
		r->readers += (s->read & r->mask) != 0;
		r->writers += (s->written & r->mask) != 0;
		r->thread = users++ ? SD_LAYOUT_THREADS : s->thread;
	}
}

/* The part of the accesses that met others', and who reads and writes it most. */
static void count_codes(const struct sd_line_view *v, struct sd_layout_row *r)
{
	double all = 0, own = 0, most[2] = {0, 0};

	for (size_t i = 0; i < v->line->n_code; i++) {
		const struct sd_sim_code *const c = &v->line->code[i];
		const double part = c->bytes ? c->hitm * __builtin_popcountll(c->bytes & r->mask) /
						       __builtin_popcountll(c->bytes)
					     : 0;
		unsigned *const node = c->writes ? &r->writer : &r->reader;

		if (!c->bytes)
			return;
		all += c->hitm;
		own += part;
		if ((c->bytes & r->mask) && (!*node || part > most[c->writes != 0])) {
			*node = c->node;
			most[c->writes != 0] = part;
		}
	}
	if (all > 0)
		r->share = SD_OK(fmin(1, own / all));
}

static void add_row(const struct sd_line_view *v, struct sd_line_layout *out,
	const struct sd_line_object *o, const struct sd_line_member *m, uint64_t element,
	int64_t at, uint64_t bytes)
{
	struct sd_layout_row *const r = &out->row[out->n_row];
	const uint64_t mask = mask_of(at, bytes);

	if (!mask)
		return;
	if (out->n_row == SD_LAYOUT_ROWS) {
		out->cut = 1;
		return;
	}
	*r = (struct sd_layout_row){.object = o,
		.member = m,
		.element = element,
		.mask = mask,
		.share = SD_NOT(ABSENT)};
	count_threads(v, r);
	count_codes(v, r);
	out->n_row++;
}

/* Rows of one element: all members of a structure that stands alone, else those that are touched.
 */
static void add_element(const struct sd_line_view *v, struct sd_line_layout *out,
	const struct sd_line_object *o, uint64_t element, int64_t at)
{
	if (!(mask_of(at, o->bytes) & v->touched))
		return;
	for (size_t i = 0; i < o->n_member; i++) {
		const struct sd_line_member *const m = &o->member[i];

		if (m->at < o->bytes && m->bytes <= o->bytes &&
			(o->elements == 1 || mask_of(at + (int64_t)m->at, m->bytes) & v->touched))
			add_row(v, out, o, m, element, at + (int64_t)m->at, m->bytes);
	}
	if (!o->n_member)
		add_row(v, out, o, NULL, element, at, o->bytes);
}

static void add_object(
	const struct sd_line_view *v, struct sd_line_layout *out, const struct sd_line_object *o)
{
	const int64_t bytes = (int64_t)o->bytes;
	int64_t begins = o->begins;
	uint64_t first = 0, last;

	/* a record may claim anything */
	if (bytes <= 0 || o->bytes > SD_OBJECT_BYTES)
		return;
	out->cut |= o->cut;
	/* a pointer leads to any element of an array: others may lie before it */
	if (!o->elements && begins > 0)
		begins %= bytes;
	if (begins < 0)
		first = (uint64_t)(-begins) / o->bytes;
	last = begins >= LINE ? 0 : (uint64_t)(LINE - 1 - begins) / o->bytes;
	if (o->elements && last >= o->elements)
		last = o->elements - 1;
	for (uint64_t i = first; i <= last && i - first < LINE; i++)
		add_element(v, out, o, i, begins + (int64_t)i * bytes);
}

/* ---- changes --------------------------------------------------------------------------------- */

static int same_place(
	const struct sd_layout_row *a, const struct sd_layout_row *b, enum sd_layout_change change)
{
	return a->object == b->object &&
	       (change == SD_LAYOUT_VARIABLES ||
		       (a->element == b->element &&
			       (change == SD_LAYOUT_ELEMENTS || a->member == b->member)));
}

static int is_used(const struct sd_layout_row *r)
{
	return r->readers + r->writers > 0;
}

/* Would parts of this kind, on lines of their own, have one thread each, of several? Rows that are
 * only read need no line of their own but are not to lie with what is written. */
static int tells_apart(const struct sd_line_layout *l, enum sd_layout_change change)
{
	unsigned parts = 0, written = 0;
	int apart = 1, several = 0;

	for (size_t i = 0; i < l->n_row; i++) {
		const struct sd_layout_row *const r = &l->row[i];
		int again = 0;

		if (!is_used(r))
			continue;
		apart &= r->thread != SD_LAYOUT_THREADS || !r->writers;
		for (size_t k = 0; k < l->n_row; k++) {
			const struct sd_layout_row *const o = &l->row[k];

			several |= is_used(o) && o->thread != r->thread;
			if (k == i || !is_used(o) || !same_place(r, o, change))
				continue;
			again |= k < i;
			apart &= r->thread == o->thread || r->writers + o->writers == 0;
		}
		parts += !again;
		written += r->writers > 0;
	}
	return apart && several && parts > 1 && written > 0;
}

/* Have all rows that are used one object? */
static const struct sd_line_object *object_of(const struct sd_line_layout *l)
{
	const struct sd_line_object *of = NULL;

	for (size_t i = 0; i < l->n_row; i++) {
		if (!is_used(&l->row[i]))
			continue;
		if (of && of != l->row[i].object)
			return NULL;
		of = l->row[i].object;
	}
	return of;
}

static void find_change(struct sd_line_layout *l)
{
	static const enum sd_layout_change order[] = {
		SD_LAYOUT_VARIABLES, SD_LAYOUT_ELEMENTS, SD_LAYOUT_MEMBERS};
	const struct sd_line_object *const one = object_of(l);

	for (size_t i = 0; i < sizeof order / sizeof *order && !l->change; i++) {
		const struct sd_line_object *const o = one ? one : l->n_row ? l->row->object : NULL;

		if (!o || (order[i] == SD_LAYOUT_VARIABLES) == (one != NULL) ||
			(order[i] == SD_LAYOUT_ELEMENTS && o->elements == 1) ||
			(order[i] == SD_LAYOUT_MEMBERS && !o->composed) ||
			!tells_apart(l, order[i]))
			continue;
		l->change = order[i];
		l->of = o;
	}
}

void sd_line_layout_make(const struct sd_line_view *v, unsigned bytes, struct sd_line_layout *out)
{
	*out = (struct sd_line_layout){.apart = v->native && v->native->pair ? 2 * bytes : bytes};
	/* the masks of longer lines are not by bytes */
	if (bytes > LINE)
		return;
	for (size_t i = 0; i < v->line->n_object; i++)
		add_object(v, out, &v->line->object[i]);
	if (v->line->sharing == SD_SIM_FALSE || v->line->sharing == SD_SIM_MIXED)
		find_change(out);
}

int sd_line_layout_parts(const struct sd_line_layout *l, size_t row)
{
	const struct sd_layout_row *const r = &l->row[row];

	if (l->change != SD_LAYOUT_MEMBERS || r->object != l->of || row == 0 ||
		l->row[row - 1].object != l->of)
		return 0;
	return r->thread != l->row[row - 1].thread || is_used(r) != is_used(&l->row[row - 1]);
}

/* ---- words ----------------------------------------------------------------------------------- */

void sd_line_layout_name(
	const struct sd_stacks *s, const struct sd_layout_row *row, char *out, size_t size)
{
	const struct sd_line_object *const o = row->object;
	const char *const variable = sd_stacks_text_at(s, o->variable);
	char element[32] = "";

	if (o->elements != 1 && (*variable || row->element))
		snprintf(element, sizeof element, "[%" PRIu64 "]", row->element);
	snprintf(out, size, "%s%s%s%s", *variable ? variable : sd_stacks_text_at(s, o->type),
		element, row->member ? "." : "",
		row->member ? sd_stacks_text_at(s, row->member->name) : "");
}

void sd_line_layout_threads(const struct sd_layout_row *row, char *out, size_t size)
{
	const unsigned most = row->readers > row->writers ? row->readers : row->writers;

	out[0] = '\0';
	if (row->thread != SD_LAYOUT_THREADS)
		snprintf(out, size, "thread %u", row->thread);
	else if (most)
		snprintf(out, size, "%u threads", most);
}

void sd_line_layout_type(
	const struct sd_stacks *s, const struct sd_line_object *o, char *out, size_t size)
{
	const char *const type = sd_stacks_text_at(s, o->type);
	const unsigned file = o->line ? o->file : o->at_file, line = o->line ? o->line : o->at_line;
	char where[300] = "", count[64] = "";

	if (line)
		snprintf(
			where, sizeof where, ", %s:%u", basename(sd_stacks_text_at(s, file)), line);
	if (o->elements > 1)
		snprintf(count, sizeof count, ", %" PRIu64 " of them", o->elements);
	snprintf(out, size, "%s of %" PRIu64 " bytes%s%s",
		*type && strcmp(type, "struct") != 0 ? type : "a structure without a name",
		o->bytes, count, where);
}

uint64_t sd_line_layout_element(const struct sd_line_layout *l)
{
	const uint64_t most = l->of->storage == SD_OBJECT_HEAP ? l->apart - BLOCK : 0;

	return l->apart * ((l->of->bytes + most + l->apart - 1) / l->apart);
}

static void elements_after(const struct sd_line_layout *l, char *out, size_t size)
{
	const struct sd_line_object *const o = l->of;
	const double each = (double)sd_line_layout_element(l);
	const int used = snprintf(out, size, "%s: %.0f bytes instead of %" PRIu64,
		o->storage == SD_OBJECT_HEAP ? "no line has two elements, wherever the block begins"
					     : "each element begins a line of its own",
		each, o->bytes);

	if (o->elements > 1 && used > 0 && (size_t)used < size)
		snprintf(out + used, size - (size_t)used, ", all of them %.4g KiB instead of %.4g",
			each * (double)o->elements / 1024,
			(double)o->bytes * (double)o->elements / 1024);
}

void sd_line_layout_after(
	const struct sd_stacks *s, const struct sd_line_layout *l, char *out, size_t size)
{
	/* where its lines begin is known of what is aligned */
	const int aligned = l->change != SD_LAYOUT_MEMBERS || l->of->storage != SD_OBJECT_HEAP;
	size_t used = 0;
	char name[300];

	out[0] = '\0';
	if (l->change == SD_LAYOUT_ELEMENTS) {
		elements_after(l, out, size);
		return;
	}
	for (size_t i = 0, line = 0; l->change && i < l->n_row && used < size; i++) {
		const struct sd_layout_row *const r = &l->row[i];
		const int first = i == 0;
		const int edge = l->change == SD_LAYOUT_VARIABLES
					 ? !first && r->object != l->row[i - 1].object
					 : sd_line_layout_parts(l, i);

		line += (size_t)edge;
		sd_line_layout_name(s, r, name, sizeof name);
		used += (size_t)snprintf(out + used, size - used, "%s",
			first  ? ""
			: edge ? "; "
			       : ", ");
		if (first && !aligned && used < size)
			used += (size_t)snprintf(
				out + used, size - used, "in lines of their own: ");
		if ((first || edge) && aligned && used < size)
			used += (size_t)snprintf(out + used, size - used, "line %zu: ", line);
		if (used < size)
			used += (size_t)snprintf(out + used, size - used, "%s", name);
	}
}
