#include "guest/page_histogram.h"

#include <errno.h>
#include <stdlib.h>

#include "model/directory.h"

static struct sim_page *place(const struct sim_pages *p, uint64_t page)
{
	size_t i = sim_hash(page) & (p->size - 1);

	while (p->page[i].page1 && p->page[i].page1 != page + 1)
		i = (i + 1) & (p->size - 1);
	return &p->page[i];
}

static int grow(struct sim_pages *p)
{
	struct sim_pages bigger = {.size = p->size ? p->size * 2 : 256, .used = p->used};

	bigger.page = calloc(bigger.size, sizeof *bigger.page);
	if (!bigger.page)
		return -ENOMEM;
	for (size_t i = 0; i < p->size; i++)
		if (p->page[i].page1)
			*place(&bigger, p->page[i].page1 - 1) = p->page[i];
	free(p->page);
	*p = bigger;
	return 0;
}

void sim_pages_add(struct sim_pages *p, uint64_t page)
{
	struct sim_page *at;

	if (p->used * 2 >= p->size && grow(p)) {
		p->lost = 1;
		return;
	}
	at = place(p, page);
	if (!at->page1) {
		at->page1 = page + 1;
		p->used++;
	}
	at->misses++;
}

int sim_pages_has(const struct sim_pages *p, uint64_t page)
{
	return p->size && place(p, page)->page1 != 0;
}

void sim_pages_close(struct sim_pages *p)
{
	free(p->page);
	*p = (struct sim_pages){0};
}
