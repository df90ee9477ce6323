/*
 * A contested line by the members that lie in it: which are read and written, by whom and by which
 * functions, and the layout after the change that would end it.
 */
#ifndef SD_FACTS_LAYOUT_H
#define SD_FACTS_LAYOUT_H

#include "analysis/line_layout.h"
#include "facts/fact_table.h"

struct sd_layout_fact {
	char bytes[16];  /* of the line */
	char name[256];  /* of the member */
	const char *did; /* "r", "w", "rw"; "" nothing was seen; static */
	char threads[32];
	struct sd_value share; /* of the accesses that met another thread's */
	char code[640];        /* the functions that write and read it most */
};

struct sd_layout_facts {
	struct sd_layout_fact *row; /* owned */
	size_t n;
	char type[512], after[1024]; /* of the first object; of the change, "" none */
};

/* 0 or -ENOMEM; no rows where the types are not known. *out is to be freed in every case. */
int sd_facts_layout_make(const struct sd_record *r, const struct sd_line_view *v, unsigned bytes,
	struct sd_layout_facts *out);
void sd_facts_layout_free(struct sd_layout_facts *l);

struct sd_fact_rows sd_facts_layout_table(const struct sd_layout_facts *l);

#endif
