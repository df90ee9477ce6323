/*
 * The tables that all threads of a Firefox profile share: strings, sources, libraries, functions,
 * frames and stacks.
 */
#ifndef SD_FIREFOX_TABLES_H
#define SD_FIREFOX_TABLES_H

#include "base/key_table.h"
#include "export/json_stream.h"
#include "export/viewer_functions.h"

/* Entries of meta.categories, in this order; the first is the one that is grey. */
#define SD_FIREFOX_CATEGORIES(X)          \
	X(OTHER, "Other", "grey")         \
	X(WORK, "Work", "green")          \
	X(SPINNING, "Spinning", "orange") \
	X(KERNEL, "Kernel", "brown")      \
	X(WAITING, "Waiting", "red")

enum sd_firefox_category {
#define X(id, name, colour) SD_FIREFOX_CATEGORY_##id,
	SD_FIREFOX_CATEGORIES(X)
#undef X
};

/* Ends of a stack that spun or waited, or that no sample names. */
#define SD_FIREFOX_TABLES_ON_CPU SD_ACTIVITY_COUNT
#define SD_FIREFOX_TABLES_ENDS (SD_ACTIVITY_COUNT + 1)

/* Distinct texts, sorted. */
struct sd_firefox_tables_names {
	const char **text; /* owned array of borrowed texts */
	size_t n;
};

struct sd_firefox_tables {
	const struct sd_viewer_functions *v; /* borrowed */
	struct sd_firefox_tables_names file, module;
	unsigned *stack; /* owned; of each used node its number in the stack table */
	unsigned *frame; /* owned; of each frame of a used node its number in the frame table */
	unsigned *shown; /* owned; the frames in the frame table, by number */
	size_t n_stack, n_frame;
	/* stacks that end in an activity: behind the others in the stack table */
	struct sd_firefox_tables_end {
		unsigned node;
		enum sd_activity activity;
	} * end; /* owned */
	size_t n_end;
	struct sd_key_table by_end; /* (node + 1, activity) to the number of such an end */
	int failed;                 /* -ENOMEM */
};

/* The functions are complete. 0 or -ENOMEM; *t is to be freed in every case. */
int sd_firefox_tables_make(struct sd_firefox_tables *t, const struct sd_viewer_functions *v,
	const struct sd_stack_profile *p, const struct sd_thread_lanes *lanes);

/* The number of the stack of a node in an activity, or SD_FIREFOX_TABLES_ON_CPU; < 0: an empty one.
 */
long sd_firefox_tables_stack(
	const struct sd_firefox_tables *t, unsigned node, enum sd_activity activity);

/* The number of an activity's label among the strings. */
size_t sd_firefox_tables_label(const struct sd_firefox_tables *t, enum sd_activity activity);

/* "libs" and "shared", members of the profile. */
void sd_firefox_tables_put(const struct sd_firefox_tables *t, struct sd_json_stream *out);

void sd_firefox_tables_free(struct sd_firefox_tables *t);

#endif
