#include "symbols/string_pool.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 * 1024 };

struct sd_poolchunk {
	struct sd_poolchunk *next;
	_Alignas(max_align_t) unsigned char data[];
};

void *sd_string_pool_get(struct sd_string_pool *p, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	unsigned char *at;

	size = (size + align - 1) / align * align;
	if (!p->chunk || p->size - p->used < size) {
		const size_t room = size > CHUNK ? size : CHUNK;
		struct sd_poolchunk *c = calloc(1, sizeof *c + room);

		if (!c)
			return NULL;
		c->next = p->chunk;
		p->chunk = c;
		p->used = 0;
		p->size = room;
	}
	at = p->chunk->data + p->used;
	p->used += size;
	return at;
}

const char *sd_string_pool_text(struct sd_string_pool *p, const char *text, size_t length)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */
	uint64_t *slot;
	char *copy;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	/* two texts of one hash: the next number that is free or theirs */
	for (;; h++) {
		slot = sd_key_table_add(&p->texts, length + 1, h);
		if (!slot)
			return NULL;
		if (!*slot)
			break;
		copy = sd_key_table_pointer(*slot);
		if (memcmp(copy, text, length) == 0)
			return copy;
	}
	copy = sd_string_pool_get(p, length + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	*slot = (uintptr_t)copy;
	return copy;
}

void sd_string_pool_free(struct sd_string_pool *p)
{
	while (p->chunk) {
		struct sd_poolchunk *c = p->chunk;

		p->chunk = c->next;
		free(c);
	}
	sd_key_table_free(&p->texts);
	*p = (struct sd_string_pool){0};
}
