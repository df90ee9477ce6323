/*
 * The answer of the runs of the machine's other state, where those of one state are compared
 * (METHODS 5).
 */
#ifndef SD_OTHER_STATE_H
#define SD_OTHER_STATE_H

#include <stddef.h>

#include "base/status.h"
#include "record/cause.h"

/* From strongest to weakest, the order of findings: identifier, name in files, readers' words. */
#define SD_VERDICTS(X)                                        \
	X(CONFIRMED, "confirmed", "confirmed")                \
	X(LIKELY, "likely", "likely")                         \
	X(POSSIBLE, "possible", "possible")                   \
	X(NOT_MEASURABLE, "not-measurable", "not measurable") \
	X(RULED_OUT, "ruled-out", "ruled out")

enum sd_verdict {
#define X(id, name, label) SD_VERDICT_##id,
	SD_VERDICTS(X)
#undef X
		SD_VERDICT_COUNT
};
extern const char *const sd_verdict_name[SD_VERDICT_COUNT],
	*const sd_verdict_label[SD_VERDICT_COUNT];

/* The first cause in either state: not known in both; the same; another one. */
enum sd_states_say { SD_STATES_SAY_NOTHING, SD_STATES_SAY_THE_SAME, SD_STATES_SAY_OTHERWISE };

struct sd_other_state {
	unsigned state; /* 1 near, 2 far; 0: there is none, or it has fewer than two runs of the
			   reference or of the largest point, and the rest is empty */
	size_t runs;    /* of either of these, at least */
	struct sd_interval speedup; /* at the largest point */
	enum sd_states_say says;
	enum sd_cause cause;      /* the first that is likely or confirmed; COUNT: none is */
	enum sd_verdict verdict;  /* its */
	struct sd_interval cores; /* its */
};

#endif
