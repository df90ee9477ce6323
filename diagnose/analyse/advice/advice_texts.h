/*
 * Advice texts (configs/advice): what to do about a cause, each with the evidence it needs and
 * where it comes from. In the syntax of libconfig:
 *
 *   advice = (
 *       {
 *           cause = "memory-bandwidth";
 *           when = "rfo_share > 0.2";    over the facts below; left out: the cause alone is enough
 *           text = "... in {function} ({line}) ... {in} ... {from}";   what that called, a
 *                                                               library's; who called it
 *           source = "Levinthal, Core 2 non-scaling, section Non-Temporal Stores";
 *           otherwise = true;   it says what the row before says in more detail: for when that
 *       }                       does not hold
 *   );
 *
 * A row holds when each fact it names was measured and its condition is not 0, and the place is
 * known that its text names; {n} is told as it is. A finding gets the first rows that hold, those
 * with a condition or a place before those without.
 */
#ifndef SD_ADVICE_TEXTS_H
#define SD_ADVICE_TEXTS_H

#include "record/cause.h"
#include "advice/advice_facts.h"
#include "metrics/expression.h"
#include "base/sink.h"
#include "base/texts.h"

/* Lines of advice a cause. */
#define SD_ADVICE_TEXTS_MOST 3

struct sd_remedy {
	enum sd_cause cause;
	struct sd_expression when; /* handle NULL: no condition */
	const char *text, *source; /* of strings */
	int otherwise;             /* not where the row before is told, or one that it stands for */
};

struct sd_advice_texts {
	struct sd_remedy *row; /* owned; in the order of the files */
	size_t n;
	struct sd_texts strings; /* owns the texts */
};

/* Adds the rows of one file. 0; -EINVAL after a message with file and line; -ENOMEM. *r must be
 * freed in every case. */
int sd_advice_texts_add(struct sd_advice_texts *r, const char *file, const char *text, size_t size,
	const struct sd_sink *sink);
void sd_advice_texts_free(struct sd_advice_texts *r); /* accepts the zeroed value */

/* Replaces each finding's plain advice by the rows that hold for it, if any. */
struct sd_case;
void sd_advice_texts_fill(struct sd_case *c, const struct sd_advice_texts *r);

#endif
