/*
 * What a simulated run wastes at any number of cores: bytes brought in that nobody touches, walks
 * through page tables, lines that only want the same set, conversions between float and double. A
 * program may scale and be slow all the same.
 */
#ifndef SD_WASTE_H
#define SD_WASTE_H

#include "record/record.h"

/* Identifier, name, label. */
#define SD_WASTES(X)                                                  \
	X(BYTES, "unused-bytes", "bytes that travel for nothing")     \
	X(WALKS, "page-walks", "walks through the page tables")       \
	X(CONFLICTS, "set-conflicts", "lines that want the same set") \
	X(CONVERSIONS, "conversions", "conversions of numbers")

enum sd_waste_kind {
#define X(id, name, label) SD_WASTE_##id,
	SD_WASTES(X)
#undef X
		SD_WASTE_COUNT
};
extern const struct sd_waste_info {
	const char *name, *label;
} sd_waste_info[SD_WASTE_COUNT];

struct sd_waste {
	double share;   /* of the modelled cycles of all threads, at most */
	int found;      /* it is as much as a cause must be to be named (SD_CASE_GATE) */
	char text[200]; /* the counts that say so */
};

/*
 * Of one simulated run, at the costs that the record's plan has for the model, else at the model's
 * own. Nothing overlaps in the model: the shares are upper bounds.
 */
void sd_wasted_work_of(const struct sd_record *r, const struct sd_simulated *s,
	struct sd_waste out[SD_WASTE_COUNT]);

#endif
