#include "write/encode_samples.h"
#include "write/encode_field.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define EMBEDDED (JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_EMBED)
#define PLAIN (JSON_COMPACT | JSON_ENCODE_ANY)

static int put(FILE *f, json_t *value, size_t flags)
{
	int bad;

	if (!value)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	bad = json_dumpf(value, f, flags);
	json_decref(value);
	return bad ? -EIO : 0;
}

/* The fewest digits that read back to the same number. */
static int put_real(FILE *f, double v)
{
	char text[32];

	if (!isfinite(v))
		return -EINVAL;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	return fputs(text, f) < 0 ? -EIO : 0;
}

/* jansson's whole numbers have 63 bits: what needs 64 is a string. */
static int put_offset(FILE *f, uint64_t v)
{
	return fprintf(f, v > INT64_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, v) < 0 ? -EIO : 0;
}

static int put_frame(FILE *f, const struct sd_frame *frame)
{
	const unsigned flags = (frame->inlined ? 1u : 0u) | (frame->kernel ? 2u : 0u);

	if (fprintf(f, "%u,%u,%u,%u,%u,", frame->function, frame->file, frame->module, frame->line,
		    flags) < 0)
		return -EIO;
	return put_offset(f, frame->offset);
}

int sd_encode_stacks(FILE *f, const struct sd_stacks *s)
{
	int rc = fputs("{\"texts\":[", f) < 0 ? -EIO : 0;

	errno = 0;
	for (size_t i = 0; !rc && i < s->n_text; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put(f, sd_encode_text(s->text[i]), PLAIN);
	}
	if (!rc && fputs("],\n\"frames\":[", f) < 0)
		rc = -EIO;
	for (size_t i = 0; !rc && i < s->n_frame; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_frame(f, &s->frame[i]);
	}
	if (!rc && fputs("],\n\"nodes\":[", f) < 0)
		rc = -EIO;
	for (size_t i = 1; !rc && i < s->n_node; i++)
		if (fprintf(f, "%s%u,%u", i > 1 ? "," : "", s->node[i].parent, s->node[i].frame) <
			0)
			rc = -EIO;
	return !rc && fputs("]}", f) < 0 ? -EIO : rc;
}

/* Its numbers up to the last that is not 0. */
static int put_use(FILE *f, const struct sd_use *u)
{
	const double number[] = {u->seconds, u->count, u->longest, u->solo, u->blame,
		u->blame_serial, u->blame_imbalance, u->blame_lock, u->spun_serial,
		u->spun_imbalance, u->atomic};
	size_t n = sizeof number / sizeof *number;
	int rc = 0;

	if ((unsigned)u->activity >= SD_ACTIVITY_COUNT)
		return -EINVAL;
	if (fprintf(f, "[%u,\"%s\"", u->node, sd_activity_info[u->activity].name) < 0)
		return -EIO;
	while (n > 0 && number[n - 1] == 0)
		n--;
	for (size_t i = 0; !rc && i < n; i++) {
		rc = fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_real(f, number[i]);
	}
	return !rc && fputs("]", f) < 0 ? -EIO : rc;
}

/* Pairs of a node and its seconds, up to the first without. */
#define PUT_STACKS(name, list)                                                                 \
	static int name(FILE *f, const struct sd_lock_use *lock)                               \
	{                                                                                      \
		int rc = 0;                                                                    \
                                                                                               \
		for (int i = 0; !rc && i < SD_LOCK_STACKS && lock->list[i].seconds > 0; i++) { \
			if (fprintf(f, "%s%u,", i ? "," : "", lock->list[i].node) < 0)         \
				return -EIO;                                                   \
			rc = put_real(f, lock->list[i].seconds);                               \
		}                                                                              \
		return rc;                                                                     \
	}
PUT_STACKS(put_holders, holder)
PUT_STACKS(put_waiters, waiter)

static int put_lock(FILE *f, const struct sd_lock_use *lock)
{
	int rc = fputs("{", f) < 0 ? -EIO : 0;

	rc = rc ? rc : put(f, sd_encode_struct(&sd_fields_lock, lock), EMBEDDED);
	if (!rc && fputs(",\"holders\":[", f) < 0)
		rc = -EIO;
	rc = rc ? rc : put_holders(f, lock);
	if (!rc && fputs("],\"waiters\":[", f) < 0)
		rc = -EIO;
	rc = rc ? rc : put_waiters(f, lock);
	return !rc && fputs("]}", f) < 0 ? -EIO : rc;
}

int sd_encode_sampled(FILE *f, const struct sd_sampled *s)
{
	int rc = fputs("{", f) < 0 ? -EIO : 0;

	errno = 0;
	rc = rc ? rc : put(f, sd_encode_struct(&sd_fields_sampled, s), EMBEDDED);
	if (!rc && fputs(",\"uses\":[", f) < 0)
		rc = -EIO;
	for (size_t i = 0; !rc && i < s->n_use; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_use(f, &s->use[i]);
	}
	if (!rc && fputs("],\"locks\":[", f) < 0)
		rc = -EIO;
	for (size_t i = 0; !rc && i < s->n_lock; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_lock(f, &s->lock[i]);
	}
	if (!rc && fputs("],\"bottles\":[", f) < 0)
		rc = -EIO;
	for (size_t i = 0; !rc && i < s->n_bottle; i++) {
		rc = i && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc
			: put(f, sd_encode_struct(&sd_fields_bottle, &s->bottle[i]),
				  JSON_COMPACT | JSON_REAL_PRECISION(17));
	}
	return !rc && fputs("]}", f) < 0 ? -EIO : rc;
}
