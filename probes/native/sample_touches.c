#include "native/sample_touches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"

/* Every second sample goes, with what it touches. */
static void thin(struct sd_sample_touches *t)
{
	size_t kept = 0, touches = 0, k = 0;

	for (size_t i = 0; i < t->n_sample; i++) {
		const int stays = i % 2 == 0;

		for (; k < t->n && t->touch[k].sample == i; k++)
			if (stays) {
				t->touch[touches] = t->touch[k];
				t->touch[touches++].sample = (uint32_t)kept;
			}
		if (stays) {
			t->sample[kept] = t->sample[i];
			t->sample[kept++].seconds *= 2;
		}
	}
	t->n_sample = kept;
	t->n = touches;
	t->every++;
}

int sd_sample_touches_begin(struct sd_sample_touches *t, const struct sd_touch_sample *s)
{
	struct sd_touch_sample *grown;

	if (t->n >= SD_TOUCHES_MOST || t->n_sample >= SD_TOUCH_SAMPLES_MOST)
		thin(t);
	if (t->seen++ & ((UINT64_C(1) << t->every) - 1))
		return 0;
	grown = sd_one_more(t->sample, t->n_sample, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	t->sample = grown;
	t->sample[t->n_sample] = *s;
	t->sample[t->n_sample++].seconds *= (float)(UINT64_C(1) << t->every);
	return 1;
}

static uint64_t bytes_mask(unsigned from, unsigned n)
{
	return (n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1) << from;
}

int sd_sample_touches_add(struct sd_sample_touches *t, uint64_t space, uint64_t address,
	uint32_t size, int reads, int writes, const struct sd_touch *like)
{
	const uint32_t sample = (uint32_t)t->n_sample - 1;
	uint64_t left = size ? size : 1;
	int split = like->split;

	/* what is longer than two lines is no operand that one instruction has */
	left = left < 2 * SD_TOUCH_LINE ? left : 2 * SD_TOUCH_LINE;
	while (left) {
		const unsigned from = (unsigned)(address % SD_TOUCH_LINE);
		const unsigned n =
			left < SD_TOUCH_LINE - from ? (unsigned)left : SD_TOUCH_LINE - from;
		const uint64_t mask = bytes_mask(from, n);
		struct sd_touch *to = NULL;
		size_t k = t->n;

		while (!to && k > 0 && t->touch[k - 1].sample == sample) {
			k--;
			if (t->touch[k].line == address - from && t->touch[k].space == space &&
				t->touch[k].sure == like->sure)
				to = &t->touch[k];
		}
		if (!to) {
			struct sd_touch *const grown = sd_one_more(t->touch, t->n, sizeof *grown);

			if (!grown)
				return -ENOMEM;
			t->touch = grown;
			to = &t->touch[t->n++];
			*to = *like;
			to->space = space;
			to->line = address - from;
			to->read = to->written = 0;
			to->sample = sample;
			to->split = 0;
		}
		to->split |= split != 0;
		split = 0; /* told of the line that it begins in */
		to->read |= reads ? mask : 0;
		to->written |= writes ? mask : 0;
		to->locked |= like->locked;
		address += n;
		left -= n;
	}
	return 0;
}

int sd_sample_touches_word(struct sd_key_table *words, uint64_t space, uint64_t address)
{
	uint64_t *const slot = sd_key_table_add(words, space, address / 8 + 1);

	if (!slot)
		return -ENOMEM;
	*slot = 1;
	return 0;
}

int sd_sample_touches_taken(const struct sd_sample_touches *t, size_t n, struct sd_key_table *words)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct sd_touch *const e = &t->touch[i];
		const struct sd_touch_sample *const s = &t->sample[e->sample];
		const uint64_t bytes = e->read | e->written;

		if (e->met != SD_TOUCH_MET || !e->same || !s->takes || !(e->locked || s->spins))
			continue;
		for (unsigned k = 0; k < SD_TOUCH_LINE / 8 && !rc; k++)
			if (bytes >> 8 * k & 0xff)
				rc = sd_sample_touches_word(words, e->space, e->line + 8 * k);
	}
	return rc;
}

void sd_sample_touches_mark(struct sd_sample_touches *t, const struct sd_key_table *words)
{
	for (size_t i = 0; words->n && i < t->n; i++) {
		struct sd_touch *const e = &t->touch[i];
		const uint64_t bytes = e->read | e->written;

		for (unsigned k = 0; k < SD_TOUCH_LINE / 8 && !e->lock; k++)
			e->lock = (bytes >> 8 * k & 0xff) &&
				  sd_key_table_find(words, e->space, e->line / 8 + k + 1) != NULL;
	}
}

void sd_sample_touches_free(struct sd_sample_touches *t)
{
	free(t->sample);
	free(t->touch);
	*t = (struct sd_sample_touches){0};
}
