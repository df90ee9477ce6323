#include "guest/allocation_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/directory.h"

#define PAGE 4096u
#define CHAIN_PLACES ((size_t)SIM_SITES_CHAINS * 2)
#define FEW 4 /* callers kept once half of the table is used */

int sim_sites_open(struct sim_sites *s)
{
	*s = (struct sim_sites){.pages = 1024};
	s->chain = calloc(CHAIN_PLACES, sizeof *s->chain);
	s->page = calloc(s->pages, sizeof *s->page);
	if (!s->chain || !s->page) {
		free(s->chain);
		free(s->page);
		return -ENOMEM;
	}
	pthread_mutex_init(&s->lock, NULL);
	return 0;
}

void sim_sites_close(struct sim_sites *s)
{
	for (size_t i = 0; i < s->pages && s->page; i++)
		free(s->page[i].block);
	free(s->page);
	free(s->chain);
	free(s->large);
	pthread_mutex_destroy(&s->lock);
}

/* ---- call stacks ----------------------------------------------------------------------------- */

uint32_t sim_sites_chain(struct sim_sites *s, const uint64_t *pc, size_t n,
	size_t (*confirm)(void *arg, const uint64_t *pc, size_t n), void *arg)
{
	uint64_t h = 0;
	size_t at;

	pthread_mutex_lock(&s->lock);
	if (n > SIM_SITES_DEPTH)
		n = SIM_SITES_DEPTH;
	if (n > FEW && s->n_chain > SIM_SITES_CHAINS / 2)
		n = FEW;
	if (n > 1 && s->n_chain > SIM_SITES_CHAINS / 4 * 3)
		n = 1;
	for (size_t i = 0; i < n; i++)
		h = sim_hash(h ^ pc[i]);
	at = h & (CHAIN_PLACES - 1);
	while (at == 0 ||
		(s->chain[at].given && (s->chain[at].given != n ||
					       memcmp(s->chain[at].pc, pc, n * sizeof *pc) != 0)))
		at = (at + 1) & (CHAIN_PLACES - 1);
	if (n == 0 || (!s->chain[at].given && s->n_chain == SIM_SITES_CHAINS)) {
		at = 0;
	} else if (!s->chain[at].given) {
		memcpy(s->chain[at].pc, pc, n * sizeof *pc);
		s->chain[at].given = (uint32_t)n;
		s->chain[at].n = (uint32_t)(confirm ? confirm(arg, pc, n) : n);
		s->n_chain++;
	}
	pthread_mutex_unlock(&s->lock);
	return (uint32_t)at;
}

/* ---- small blocks ---------------------------------------------------------------------------- */

static struct sim_site_page *place(struct sim_site_page *table, size_t size, uint64_t page)
{
	size_t i = sim_hash(page) & (size - 1);

	while (table[i].page1 && table[i].page1 != page + 1)
		i = (i + 1) & (size - 1);
	return &table[i];
}

static int grow(struct sim_sites *s)
{
	struct sim_site_page *const more = calloc(s->pages * 2, sizeof *more);

	if (!more)
		return -ENOMEM;
	for (size_t i = 0; i < s->pages; i++)
		if (s->page[i].page1)
			*place(more, s->pages * 2, s->page[i].page1 - 1) = s->page[i];
	free(s->page);
	s->page = more;
	s->pages *= 2;
	return 0;
}

/* The page's entry, made if need be; NULL: no memory. */
static struct sim_site_page *page_of(struct sim_sites *s, uint64_t page)
{
	struct sim_site_page *p = place(s->page, s->pages, page);

	if (p->page1)
		return p;
	if (s->n_page * 2 >= s->pages && grow(s))
		return NULL;
	p = place(s->page, s->pages, page);
	p->page1 = page + 1;
	s->n_page++;
	return p;
}

/* Blocks that begin in a page and meet [start, end), offsets of that page, go. The place where one
 * that begins at `start` belongs. */
static unsigned clear(struct sim_site_page *p, uint64_t start, uint64_t end)
{
	unsigned from = 0, to;

	while (from < p->n && p->block[from].offset + (uint64_t)p->block[from].bytes <= start)
		from++;
	for (to = from; to < p->n && p->block[to].offset < end;)
		to++;
	if (to > from) {
		memmove(p->block + from, p->block + to, (p->n - to) * sizeof *p->block);
		p->n = (uint16_t)(p->n - (to - from));
	}
	return from;
}

static int insert(struct sim_site_page *p, unsigned at, struct sim_small b)
{
	if (p->n == p->room) {
		const unsigned room = p->room ? p->room * 2u : 4;
		struct sim_small *const more = realloc(p->block, room * sizeof *more);

		if (!more)
			return -ENOMEM;
		p->block = more;
		p->room = (uint16_t)room;
	}
	memmove(p->block + at + 1, p->block + at, (p->n - at) * sizeof *p->block);
	p->block[at] = b;
	p->n++;
	return 0;
}

/* ---- all of a range -------------------------------------------------------------------------- */

/* The first large one that ends behind the address. */
static size_t large_at(const struct sim_sites *s, uint64_t address)
{
	size_t low = 0, high = s->n_large;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (s->large[mid].start + s->large[mid].bytes <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void clear_page(struct sim_sites *s, uint64_t page, uint64_t start, uint64_t end)
{
	struct sim_site_page *const p = place(s->page, s->pages, page);
	const uint64_t first = page * PAGE;

	if (p->page1)
		clear(p, start > first ? start - first : 0, end > first ? end - first : 0);
}

/* Whatever is in [start, end) is over. */
static void forget(struct sim_sites *s, uint64_t start, uint64_t end)
{
	const uint64_t first = start / PAGE, last = (end - 1) / PAGE;
	const size_t from = large_at(s, start);
	size_t to = from;

	while (to < s->n_large && s->large[to].start < end)
		to++;
	if (to > from) {
		memmove(s->large + from, s->large + to, (s->n_large - to) * sizeof *s->large);
		s->n_large -= to - from;
	}
	if (first) /* one that began in the page before may reach into this one */
		clear_page(s, first - 1, start, end);
	if (last - first < s->pages) {
		for (uint64_t page = first; page <= last; page++)
			clear_page(s, page, start, end);
		return;
	}
	for (size_t i = 0; i < s->pages; i++)
		if (s->page[i].page1 && s->page[i].page1 - 1 >= first &&
			s->page[i].page1 - 1 <= last)
			clear_page(s, s->page[i].page1 - 1, start, end);
}

static int give_large(struct sim_sites *s, const struct sim_site *b)
{
	const size_t at = large_at(s, b->start);

	if (s->n_large == s->room) {
		const size_t room = s->room ? s->room * 2 : 64;
		struct sim_site *const more = realloc(s->large, room * sizeof *more);

		if (!more)
			return -ENOMEM;
		s->large = more;
		s->room = room;
	}
	memmove(s->large + at + 1, s->large + at, (s->n_large - at) * sizeof *s->large);
	s->large[at] = *b;
	s->n_large++;
	return 0;
}

void sim_sites_give(struct sim_sites *s, uint64_t start, uint64_t bytes, uint32_t chain)
{
	const struct sim_site b = {start, bytes ? bytes : 1, chain};
	struct sim_site_page *p;
	int rc;

	if (start > UINT64_MAX - b.bytes - PAGE)
		return;
	pthread_mutex_lock(&s->lock);
	forget(s, b.start, b.start + b.bytes);
	if (b.bytes >= PAGE) {
		rc = give_large(s, &b);
	} else {
		const uint64_t offset = start % PAGE;

		p = page_of(s, start / PAGE);
		rc = p ? insert(p, clear(p, offset, offset + b.bytes),
				 (struct sim_small){(uint16_t)offset, (uint16_t)b.bytes, chain})
		       : -ENOMEM;
	}
	s->lost |= rc != 0;
	pthread_mutex_unlock(&s->lock);
}

void sim_sites_unmap(struct sim_sites *s, uint64_t start, uint64_t bytes)
{
	if (bytes == 0 || start > UINT64_MAX - bytes)
		return;
	pthread_mutex_lock(&s->lock);
	forget(s, start, start + bytes);
	pthread_mutex_unlock(&s->lock);
}

int sim_sites_find(struct sim_sites *s, uint64_t address, struct sim_site *out)
{
	int found = 0;
	size_t at;

	pthread_mutex_lock(&s->lock);
	at = large_at(s, address);
	if (at < s->n_large && s->large[at].start <= address) {
		*out = s->large[at];
		found = 1;
	}
	for (uint64_t page = address / PAGE, i = 0; !found && i < 2 && page >= i; i++) {
		const struct sim_site_page *const p = place(s->page, s->pages, page - i);
		const uint64_t first = (page - i) * PAGE;

		for (unsigned k = 0; p->page1 && k < p->n && !found; k++) {
			const struct sim_small *const b = &p->block[k];

			if (address - first - b->offset < b->bytes) {
				*out = (struct sim_site){first + b->offset, b->bytes, b->chain};
				found = 1;
			}
		}
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}
