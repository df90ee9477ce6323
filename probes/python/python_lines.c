#include "python/python_lines.h"

#define UNIT 2u /* bytes of an instruction */

/* A number of 6 bits a byte, the lowest first, the next byte continuing it where bit 6 is set; its
 * lowest bit is the sign. */
static int64_t read_signed(const unsigned char *table, size_t size, size_t at)
{
	uint64_t value = 0;

	for (unsigned shift = 0; at < size && shift < 36; shift += 6) {
		const unsigned byte = table[at++];

		value |= (uint64_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Lines between that of an entry and of the one before it, by its kind. */
static int64_t step(unsigned kind, const unsigned char *table, size_t size, size_t at)
{
	if (kind == 13 || kind == 14)
		return read_signed(table, size, at);
	return kind >= 10 && kind <= 12 ? (int64_t)kind - 10 : 0;
}

unsigned sd_python_lines_at(
	const unsigned char *table, size_t size, unsigned first, uint64_t offset)
{
	int64_t line = first;
	uint64_t end = 0;

	/* an entry begins with a byte whose bit 7 is set: its kind, and its instructions less 1 */
	for (size_t at = 0; at < size && table[at] & 128;) {
		const unsigned kind = table[at] >> 3 & 15;

		end += UNIT * ((table[at] & 7u) + 1u);
		line += step(kind, table, size, at + 1);
		if (offset < end)
			return kind != 15 && line > 0 && line <= INT32_MAX ? (unsigned)line : 0;
		while (++at < size && !(table[at] & 128))
			;
	}
	return 0;
}
