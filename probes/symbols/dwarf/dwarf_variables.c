#include "dwarf/dwarf_variables.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "dwarf/dwarf_parts.h"

#define ROOM (32ul << 20)
#define DEPTH_MAX 32
#define ENTRIES_MAX 2000000 /* looked at in a file: about half a second */

/* ---- locations ------------------------------------------------------------------------------- */

/* Go writes expressions as blocks, which libdw refuses from DWARF 4 on (attr_ok() in libdw). A
 * block of fewer than 128 bytes reads like an expression: its length is one byte. NULL: there is no
 * such attribute. */
static Dwarf_Attribute *as_expression(Dwarf_Attribute *a)
{
	Dwarf_Block block;

	if (a && a->form == DW_FORM_block1 && dwarf_formblock(a, &block) == 0 && block.length < 128)
		a->form = DW_FORM_exprloc;
	return a;
}

/* ---- global variables ------------------------------------------------------------------------ */

/* A variable at one address for all of its life; 0: it is none. */
static int address_of(Dwarf_Die *die, uint64_t *out)
{
	Dwarf_Attribute a, address;
	Dwarf_Op *op;
	Dwarf_Addr at = 0;
	size_t n;

	if (!as_expression(dwarf_attr(die, DW_AT_location, &a)) ||
		dwarf_getlocation(&a, &op, &n) != 0 || n != 1)
		return 0;
	*out = op->number;
	if (op->atom == DW_OP_addr)
		return 1;
	if (op->atom != DW_OP_addrx || dwarf_getlocation_attr(&a, op, &address) != 0 ||
		dwarf_formaddr(&address, &at) != 0)
		return 0;
	*out = at;
	return 1;
}

/* Has it entries that may be, or have, variables of a fixed address? */
static int has_variables(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block;
}

/* Notes all variables below an entry, and counts `left` down to 0 for entries looked at. */
static void list_below(struct sd_dwarf_units *u, Dwarf_Die *above, int depth, unsigned long *left)
{
	Dwarf_Die die;
	uint64_t at;
	int more = depth < DEPTH_MAX && dwarf_child(above, &die) == 0;

	/* a sibling may point backwards: `left` ends that */
	for (; more && *left; --*left) {
		const int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable && address_of(&die, &at)) {
			uint64_t *const slot = sd_key_table_add(&u->variables, 1, at);

			if (slot && !*slot)
				*slot = dwarf_dieoffset(&die);
		} else if (has_variables(tag)) {
			list_below(u, &die, depth + 1, left);
		}
		more = *left && dwarf_siblingof(&die, &die) == 0;
	}
}

uint64_t sd_dwarf_variables_part(
	struct sd_dwarf_units *u, uint64_t vaddr, uint64_t offset, char *out, size_t size)
{
	unsigned long left = ENTRIES_MAX;
	const uint64_t *entry;
	Dwarf_Die die;

	for (size_t i = 0; !u->listed && i < u->n && left && sd_out_of_memory_room(ROOM); i++)
		list_below(u, &u->unit[i].die, 0, &left);
	u->listed = 1;
	entry = sd_key_table_find(&u->variables, 1, vaddr);
	if (entry && *entry && sd_out_of_memory_room(ROOM) &&
		dwarf_offdie(u->dwarf, *entry, &die) && offset < sd_dwarf_parts_size(&die))
		sd_dwarf_parts_put(&die, offset, out, size);
	return entry ? *entry : 0;
}

/* ---- local variables ------------------------------------------------------------------------- */

/* The only operation of a location that holds at vaddr; NULL: there are others. */
static const Dwarf_Op *operation(Dwarf_Die *die, int attribute, uint64_t vaddr)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;

	return as_expression(dwarf_attr_integrate(die, (unsigned)attribute, &a)) &&
			       dwarf_getlocation_addr(&a, vaddr, &op, &n, 1) == 1 && n == 1
		       ? op
		       : NULL;
}

#if defined(__x86_64__)
#define SP 7
#else
#define SP 31 /* aarch64 */
#endif

/* Finds the address that the function's variables are counted from; 0: not known. */
static int base_of(
	Dwarf_Die *function, uint64_t vaddr, const struct sd_dwarf_local *at, uint64_t *out)
{
	const Dwarf_Op *const op = operation(function, DW_AT_frame_base, vaddr);

	*out = at->cfa;
	if (!op || op->atom == DW_OP_call_frame_cfa)
		return op != NULL;
	if (op->atom == DW_OP_reg0 + SP) {
		*out = at->sp;
		return 1;
	}
#if defined(__x86_64__)
	/* the frame pointer, above which its predecessor and the return address lie */
	*out = at->cfa - 16;
	return op->atom == DW_OP_reg6;
#else
	return 0;
#endif
}

struct search {
	uint64_t vaddr, base, sp, address;
	unsigned reg; /* of a pointer; `address` is an offset from where it points */
	int indexed;
	char *out;
	size_t size;
	unsigned long left; /* entries */
	Dwarf_Die found;
	uint64_t offset; /* in it */
};

typedef int is_fn(struct search *s, Dwarf_Die *die);

static int is_there(struct search *s, Dwarf_Die *die)
{
	const Dwarf_Op *const op = operation(die, DW_AT_location, s->vaddr);

	if (!op || !dwarf_diename(die) || (op->atom != DW_OP_fbreg && op->atom != DW_OP_breg0 + SP))
		return 0;
	/* a frame that aligns its variables counts them from its stack pointer */
	s->offset = s->address - (op->atom == DW_OP_fbreg ? s->base : s->sp) - op->number;
	return s->offset < sd_dwarf_parts_size(die);
}

/* Finds it among the entries of a function; blocks that do not hold the code have other variables
 * at its place. 1: found. */
static int find_below(struct search *s, is_fn *is, Dwarf_Die *above, int depth)
{
	Dwarf_Die die;
	int more = depth < DEPTH_MAX && dwarf_child(above, &die) == 0;

	for (; more && s->left; s->left--) {
		const int tag = dwarf_tag(&die);

		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) && is(s, &die)) {
			s->found = die;
			return 1;
		}
		if (tag == DW_TAG_lexical_block && dwarf_haspc(&die, s->vaddr) > 0 &&
			find_below(s, is, &die, depth + 1))
			return 1;
		more = dwarf_siblingof(&die, &die) == 0;
	}
	return 0;
}

int sd_dwarf_variables_local(struct sd_dwarf_units *u, uint64_t vaddr,
	const struct sd_dwarf_local *at, char *out, size_t size, struct sd_dwarf_found *found)
{
	struct sd_unit *const unit = sd_dwarf_units_at(u, vaddr);
	const struct sd_dwarf_inlines *const in = unit ? sd_unit_inlines(unit) : NULL;
	const unsigned first =
		in ? sd_dwarf_inlines_range_at(in->range, in->n_range, vaddr) : SD_SCOPE_NONE;
	struct search s = {
		.vaddr = vaddr, .sp = at->sp, .address = at->address, .left = ENTRIES_MAX};
	unsigned outer = first;
	Dwarf_Die die;
	int level = 0;

	*out = '\0';
	while (outer != SD_SCOPE_NONE && in->scope[outer].parent != SD_SCOPE_NONE)
		outer = in->scope[outer].parent;
	if (outer == SD_SCOPE_NONE || !sd_out_of_memory_room(ROOM) ||
		!dwarf_offdie(u->dwarf, in->scope[outer].die, &die) ||
		!base_of(&die, vaddr, at, &s.base))
		return -ENOENT;
	for (unsigned i = first; i != SD_SCOPE_NONE; i = in->scope[i].parent, level++)
		if (dwarf_offdie(u->dwarf, in->scope[i].die, &die) &&
			find_below(&s, is_there, &die, 0)) {
			snprintf(out, size, "%s", dwarf_diename(&s.found));
			sd_dwarf_parts_put(&s.found, s.offset, out, size);
			*found = (struct sd_dwarf_found){dwarf_dieoffset(&s.found), s.offset};
			return level;
		}
	return -ENOENT;
}

/* ---- what registers point to ----------------------------------------------------------------- */

/* Is the first part of a slice, its pointer, in the register? */
static int is_slice_there(const struct search *s, const Dwarf_Op *op, size_t n)
{
	return n > 2 && op->atom == DW_OP_reg0 + s->reg && op[1].atom == DW_OP_piece &&
	       op[1].number == sizeof(void *);
}

/* Is it a pointer with a name for what is there, in the register, or that less or more a number?
 * Compilers point to a member. */
static int points_there(struct search *s, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;
	int slice;

	if (!as_expression(dwarf_attr_integrate(die, DW_AT_location, &a)) ||
		dwarf_getlocation_addr(&a, s->vaddr, &op, &n, 1) != 1)
		return 0;
	slice = is_slice_there(s, op, n);
	if (!slice && (s->indexed || (n == 1 ? op->atom != DW_OP_reg0 + s->reg
					     : n != 2 || op->atom != DW_OP_breg0 + s->reg ||
							     op[1].atom != DW_OP_stack_value)))
		return 0;
	s->offset = s->address - (n == 2 ? op->number : 0);
	return sd_dwarf_parts_pointed(die, s->offset, s->out, s->size);
}

int sd_dwarf_variables_pointed(struct sd_dwarf_units *u, uint64_t vaddr, unsigned reg, int indexed,
	uint64_t offset, char *out, size_t size, struct sd_dwarf_found *found)
{
	struct sd_unit *const unit = sd_dwarf_units_at(u, vaddr);
	const struct sd_dwarf_inlines *const in = unit ? sd_unit_inlines(unit) : NULL;
	unsigned scope =
		in ? sd_dwarf_inlines_range_at(in->range, in->n_range, vaddr) : SD_SCOPE_NONE;
	struct search s = {.vaddr = vaddr,
		.address = offset,
		.reg = reg,
		.indexed = indexed,
		.out = out,
		.size = size,
		.left = ENTRIES_MAX};
	Dwarf_Die die;

	for (; reg < 32 && scope != SD_SCOPE_NONE && sd_out_of_memory_room(ROOM);
		scope = in->scope[scope].parent)
		if (dwarf_offdie(u->dwarf, in->scope[scope].die, &die) &&
			find_below(&s, points_there, &die, 0)) {
			*found = (struct sd_dwarf_found){dwarf_dieoffset(&s.found), s.offset};
			return 0;
		}
	return -ENOENT;
}
