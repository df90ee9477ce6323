/*
 * Waste of a simulated run at any number of cores: bytes brought in but never touched, page walks,
 * set conflicts, conversions between float and double. A program may scale and still be slow.
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
	double share;   /* of the modelled cycles of all threads; an upper bound */
	int found;      /* large enough to be named, as a cause (SD_CASE_GATE) */
	char text[200]; /* the counts behind it */
};

/*
 * For one simulated run, with the costs of the record's plan, or else the model's own. The model
 * overlaps nothing, so the shares are upper bounds.
 */
void sd_wasted_work_of(const struct sd_record *r, const struct sd_simulated *s,
	struct sd_waste out[SD_WASTE_COUNT]);

#endif
