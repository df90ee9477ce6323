#include "native/code_copies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/one_more.h"

#define PAGE SD_CODE_COPIES_PAGE
#define EACH 10 /* the first looks, and one of so many later */

int sd_code_copies_note(struct sd_code_copies *c, int pid, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < c->n_range; i++)
		if (c->range[i].pid == pid && c->range[i].from == from) {
			c->range[i].to = to;
			return 0;
		}
	if (c->n_range == SD_CODE_COPIES_MOST)
		return 0;
	return SD_APPEND(
		c->range, c->n_range, &(struct sd_code_range){.pid = pid, .from = from, .to = to});
}

/* Is it a byte that stands between pieces of code: zeros, or instructions that trap or stop (int3,
 * hlt). */
static int is_blank(unsigned char byte)
{
	return byte == 0 || byte == 0xcc || byte == 0xf4;
}

static void renew(struct sd_code_page *page, const unsigned char *byte)
{
	for (size_t i = 0; i < PAGE; i++) {
		page->changed |= page->byte[i] != byte[i] && !is_blank(page->byte[i]);
		page->byte[i] = byte[i];
	}
}

static int is_empty(const unsigned char *byte)
{
	return byte[0] == 0 && memcmp(byte, byte + 1, PAGE - 1) == 0;
}

/* Adds a page of a process as it is now; `byte` has SD_CODE_COPIES_PAGE. 0 or -ENOMEM. */
static int add_page(struct sd_code_copies *c, int pid, uint64_t address, const unsigned char *byte)
{
	uint64_t *slot = sd_key_table_find(&c->at, (uint64_t)(unsigned)pid + 1, address / PAGE);
	struct sd_code_page *page, **grown;

	if (slot) {
		renew(c->page[*slot - 1], byte);
		return 0;
	}
	if (c->n == SD_CODE_COPIES_MOST || is_empty(byte))
		return 0;
	page = malloc(sizeof *page);
	grown = page ? sd_one_more(c->page, c->n, sizeof *grown) : NULL;
	c->page = grown ? grown : c->page;
	if (grown)
		slot = sd_key_table_add(&c->at, (uint64_t)(unsigned)pid + 1, address / PAGE);
	if (!slot) {
		free(page);
		return -ENOMEM;
	}
	memcpy(page->byte, byte, PAGE);
	page->changed = 0;
	c->page[c->n++] = page;
	*slot = c->n;
	return 0;
}

static int look_at(struct sd_code_copies *c, const struct sd_code_range *r)
{
	unsigned char byte[PAGE];
	int rc = 0;

	for (uint64_t at = r->from; at < r->to && r->to - at >= PAGE && !rc; at += PAGE) {
		const struct iovec here = {byte, PAGE};
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): of another process */
		const struct iovec there = {(void *)(uintptr_t)at, PAGE};

		if (process_vm_readv(r->pid, &here, 1, &there, 1, 0) != PAGE)
			break;
		rc = add_page(c, r->pid, at, byte);
		if (c->n == SD_CODE_COPIES_MOST)
			break;
	}
	return rc;
}

int sd_code_copies_look(struct sd_code_copies *c)
{
	int rc = 0;

	if (c->looks++ >= EACH && c->looks % EACH)
		return 0;
	for (size_t i = 0; i < c->n_range && !rc; i++)
		rc = look_at(c, &c->range[i]);
	return rc;
}

static size_t copy(const struct sd_code_copies *c, int pid, uint64_t address, unsigned char *out,
	size_t max, int changed)
{
	size_t n = 0;

	while (n < max) {
		const uint64_t at = address + n;
		const size_t in = at % PAGE, left = max - n;
		const size_t part = left < PAGE - in ? left : PAGE - in;
		const uint64_t *const slot =
			sd_key_table_find(&c->at, (uint64_t)(unsigned)pid + 1, at / PAGE);

		if (!slot || (c->page[*slot - 1]->changed && !changed))
			break;
		memcpy(out + n, c->page[*slot - 1]->byte + in, part);
		n += part;
	}
	return n;
}

size_t sd_code_copies_read(
	const struct sd_code_copies *c, int pid, uint64_t address, unsigned char *out, size_t max)
{
	return copy(c, pid, address, out, max, 0);
}

size_t sd_code_copies_last(
	const void *copies, int pid, uint64_t address, unsigned char *out, size_t max)
{
	return copy(copies, pid, address, out, max, 1);
}

void sd_code_copies_free(struct sd_code_copies *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->page[i]);
	free(c->page);
	free(c->range);
	sd_key_table_free(&c->at);
	*c = (struct sd_code_copies){0};
}
