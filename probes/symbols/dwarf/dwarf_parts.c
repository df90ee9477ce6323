#include "dwarf/dwarf_parts.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 32
#define TYPES_MAX 64 /* from a variable's type to what is no other name of one */
#define MEMBERS_MAX 65536
#define DIMENSIONS SD_DWARF_PARTS_DIMENSIONS

int sd_dwarf_parts_type(Dwarf_Die *of, Dwarf_Die *out, const char **name)
{
	Dwarf_Attribute a;

	*name = NULL;
	if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &a), out))
		return 0;
	for (int i = 0; i < TYPES_MAX; i++)
		switch (dwarf_tag(out)) {
		case DW_TAG_typedef:
			*name = *name ? *name : dwarf_diename(out);
			/* fall through */
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_formref_die(dwarf_attr_integrate(out, DW_AT_type, &a), out))
				return 0;
			break;
		default:
			return 1;
		}
	return 0;
}

/* The type of an entry, without names and qualifiers; 0: it has none. */
static int type_of(Dwarf_Die *of, Dwarf_Die *out)
{
	const char *name;

	return sd_dwarf_parts_type(of, out, &name);
}

/* Elements of one dimension; 0 unknown. */
static uint64_t count_of(Dwarf_Die *dimension)
{
	Dwarf_Attribute a;
	Dwarf_Word n = 0;

	if (dwarf_formudata(dwarf_attr(dimension, DW_AT_count, &a), &n) == 0)
		return n;
	if (dwarf_formudata(dwarf_attr(dimension, DW_AT_upper_bound, &a), &n) == 0)
		return n + 1;
	return 0;
}

unsigned sd_dwarf_parts_dimensions(Dwarf_Die *array, uint64_t count[DIMENSIONS])
{
	Dwarf_Die child;
	unsigned n = 0;
	int more = dwarf_child(array, &child) == 0;

	while (more) {
		if (n == DIMENSIONS || dwarf_tag(&child) != DW_TAG_subrange_type)
			return 0;
		count[n] = count_of(&child);
		if (!count[n++])
			return 0;
		more = dwarf_siblingof(&child, &child) == 0;
	}
	return n;
}

static uint64_t size_of(Dwarf_Die *type)
{
	Dwarf_Die element = *type, next;
	uint64_t bytes = 1, count[DIMENSIONS];

	for (int i = 0; i < TYPES_MAX; i++) {
		const int own = dwarf_bytesize(&element);
		unsigned n;

		if (own >= 0)
			return __builtin_mul_overflow(bytes, (uint64_t)own, &bytes) ? 0 : bytes;
		if (dwarf_tag(&element) == DW_TAG_pointer_type)
			return __builtin_mul_overflow(bytes, sizeof(void *), &bytes) ? 0 : bytes;
		if (dwarf_tag(&element) != DW_TAG_array_type || !type_of(&element, &next))
			return 0;
		n = sd_dwarf_parts_dimensions(&element, count);
		for (unsigned k = 0; k < n; k++)
			if (__builtin_mul_overflow(bytes, count[k], &bytes))
				return 0;
		if (!n)
			return 0;
		element = next;
	}
	return 0;
}

/* Bits of a bit field, and the bit of the structure that it begins at; 0: it is none. */
static uint64_t bits_of(Dwarf_Die *member, uint64_t *first)
{
	Dwarf_Attribute a;
	Dwarf_Word bits = 0, at = 0, bytes = 0;

	if (dwarf_formudata(dwarf_attr(member, DW_AT_bit_size, &a), &bits) != 0)
		return 0;
	if (dwarf_formudata(dwarf_attr(member, DW_AT_data_bit_offset, &a), &at) == 0) {
		*first = at;
		return bits;
	}
	/* DWARF 3 counts them from the other end of the bytes that hold them */
	if (dwarf_formudata(dwarf_attr(member, DW_AT_data_member_location, &a), &bytes) != 0 ||
		dwarf_formudata(dwarf_attr(member, DW_AT_bit_offset, &a), &at) != 0)
		return 0;
	*first = 8 * bytes + 8 * sd_dwarf_parts_size(member) - at - bits;
	return bits;
}

uint64_t sd_dwarf_parts_start(Dwarf_Die *member, uint64_t *bytes)
{
	Dwarf_Attribute a;
	Dwarf_Word at = 0;
	uint64_t first = 0;
	const uint64_t bits = bits_of(member, &first);

	if (bits) {
		*bytes = (first % 8 + bits + 7) / 8;
		return first / 8;
	}
	*bytes = sd_dwarf_parts_size(member);
	return dwarf_formudata(dwarf_attr(member, DW_AT_data_member_location, &a), &at) == 0 ? at
											     : 0;
}

uint64_t sd_dwarf_parts_size(Dwarf_Die *of)
{
	Dwarf_Die type;

	return type_of(of, &type) ? size_of(&type) : 0;
}

/* The member that holds an offset, and where it begins; 0: none. */
static int member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *out, uint64_t *start)
{
	Dwarf_Die member;
	uint64_t bytes;
	int more = dwarf_child(type, &member) == 0;

	for (int i = 0; more && i < MEMBERS_MAX; i++) {
		const int tag = dwarf_tag(&member);

		*start = sd_dwarf_parts_start(&member, &bytes);
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && offset >= *start &&
			offset - *start < bytes) {
			*out = member;
			return 1;
		}
		more = dwarf_siblingof(&member, &member) == 0;
	}
	return 0;
}

static int is_reserved(const char *name)
{
	return name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1]));
}

__attribute__((format(printf, 3, 4))) static void put(
	char *out, size_t size, const char *format, ...)
{
	const size_t used = strlen(out);
	va_list args;

	va_start(args, format);
	vsnprintf(out + used, size - used, format, args);
	va_end(args);
}

/* Writes the indices of an element, and sets *offset to that in it; 0: not known. */
static int put_indices(Dwarf_Die *array, uint64_t *offset, char *out, size_t size)
{
	uint64_t count[DIMENSIONS], bytes;
	const unsigned n = sd_dwarf_parts_dimensions(array, count);

	bytes = size_of(array);
	if (!n || !bytes || *offset >= bytes)
		return 0;
	for (unsigned k = 0; k < n; k++) {
		bytes /= count[k];
		put(out, size, "[%llu]", (unsigned long long)(*offset / bytes));
		*offset %= bytes;
	}
	return 1;
}

static int begins_at_0(Dwarf_Die *of)
{
	Dwarf_Die unit;
	Dwarf_Sword lower = 0;
	int language;

	if (!dwarf_diecu(of, &unit, NULL, NULL))
		return 1;
	language = dwarf_srclang(&unit);
	return language < 0 || dwarf_default_lower_bound(language, &lower) != 0 || lower == 0;
}

void sd_dwarf_parts_put(Dwarf_Die *of, uint64_t offset, char *out, size_t size)
{
	Dwarf_Die type, at = *of;

	for (int i = 0; begins_at_0(of) && i < DEPTH_MAX && type_of(&at, &type); i++) {
		const int tag = dwarf_tag(&type);
		uint64_t start = 0;
		const char *name;

		if (tag == DW_TAG_array_type) {
			if (!put_indices(&type, &offset, out, size))
				return;
			at = type;
			continue;
		}
		if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
			    tag != DW_TAG_union_type) ||
			!member_at(&type, offset, &at, &start))
			return;
		name = dwarf_tag(&at) == DW_TAG_member ? dwarf_diename(&at) : NULL;
		if (name && is_reserved(name))
			return;
		if (name)
			put(out, size, ".%s", name);
		offset -= start;
	}
}

const char *sd_dwarf_parts_keyword(int tag)
{
	return tag == DW_TAG_structure_type ? "struct"
	       : tag == DW_TAG_class_type   ? "class"
	       : tag == DW_TAG_union_type   ? "union"
					    : NULL;
}

/* Is it the structure "[]TYPE" of Go? Its first member points to the elements. */
static int is_slice(Dwarf_Die *type)
{
	const char *const name = dwarf_diename(type);
	Dwarf_Die unit;

	return dwarf_tag(type) == DW_TAG_structure_type && name && strncmp(name, "[]", 2) == 0 &&
	       dwarf_diecu(type, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_Go;
}

int sd_dwarf_parts_pointee(Dwarf_Die *of, Dwarf_Die *pointer)
{
	Dwarf_Die type;
	uint64_t at;

	if (!type_of(of, pointer))
		return 0;
	if (is_slice(pointer)) {
		type = *pointer;
		if (!member_at(&type, 0, &type, &at) || !type_of(&type, pointer))
			return 0;
	}
	return dwarf_tag(pointer) == DW_TAG_pointer_type ||
	       dwarf_tag(pointer) == DW_TAG_reference_type;
}

int sd_dwarf_parts_pointed(Dwarf_Die *of, uint64_t offset, char *out, size_t size)
{
	Dwarf_Die pointer, type;
	const char *called, *name, *keyword;
	size_t used;

	if (!sd_dwarf_parts_pointee(of, &pointer) ||
		!sd_dwarf_parts_type(&pointer, &type, &called) || offset >= size_of(&type))
		return 0;
	name = dwarf_diename(&type);
	keyword = sd_dwarf_parts_keyword(dwarf_tag(&type));
	if (!keyword || (!name && !called))
		return 0;
	/* a structure without a name is known by that of its type */
	snprintf(out, size, "%s%s%s", name ? keyword : "", name ? " " : "", name ? name : called);
	used = strlen(out);
	sd_dwarf_parts_put(&pointer, offset, out, size);
	if (used == strlen(out))
		put(out, size, "+%llu", (unsigned long long)offset);
	return 1;
}
