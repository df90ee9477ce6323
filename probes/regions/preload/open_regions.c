#include "preload/open_regions.h"

#include "markers/scalediag.h"

#define SLOTS 4096u /* open at once, of all threads */
#define PROBED 64u  /* places at which one of a key may be */

enum { FREE, TAKEN, READY };

static struct {
	uint32_t state, process;
	struct sd_open_key key;
	struct sd_marker_row *row;
	uint64_t since;
} slots[SLOTS];

static uint32_t place_of(const struct sd_open_key *k)
{
	const uint64_t v = (k->a ^ k->b * 3 ^ k->c * 5 ^ k->d * 7) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(v >> 40);
}

static int take(uint32_t at, uint32_t from)
{
	return __atomic_compare_exchange_n(
		&slots[at].state, &from, TAKEN, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void sd_open_begin(const struct sd_open_key *key, const char *name)
{
	struct sd_marker_row *row;
	uint32_t process, at = 0, i;

	if (!sd_marker_is_on())
		return;
	process = sd_region_process();
	row = sd_marker_find(name, process);
	for (i = 0; row && i < PROBED; i++) {
		at = (place_of(key) + i) % SLOTS;
		if (take(at, FREE))
			break;
	}
	if (!row || i == PROBED) {
		sd_marker_more(&sd_marker_state.file->no_row, 1);
		return;
	}
	slots[at].process = process;
	slots[at].key = *key;
	slots[at].row = row;
	slots[at].since = sd_region_clock(CLOCK_MONOTONIC);
	sd_marker_more(&row->slot[sd_marker_slot()].count, 1);
	sd_region_count_in(row, slots[at].since);
	__atomic_store_n(&slots[at].state, READY, __ATOMIC_RELEASE);
}

/* Is this slot's region this process's and of this key? A fork's slots of the parent are not. */
static int is_of(uint32_t at, const struct sd_open_key *k, uint32_t process)
{
	const struct sd_open_key *const o = &slots[at].key;

	return slots[at].process == process && o->a == k->a && o->b == k->b && o->c == k->c &&
	       o->d == k->d;
}

/* The place of the one that began last, taken; SLOTS: there is none. */
static uint32_t find(const struct sd_open_key *key, uint32_t process)
{
	uint32_t found = SLOTS;

	for (uint32_t i = 0; i < PROBED; i++) {
		const uint32_t at = (place_of(key) + i) % SLOTS;

		if (__atomic_load_n(&slots[at].state, __ATOMIC_ACQUIRE) == READY &&
			is_of(at, key, process) &&
			(found == SLOTS || slots[at].since > slots[found].since))
			found = at;
	}
	if (found == SLOTS || !take(found, READY))
		return SLOTS;
	if (is_of(found, key, process))
		return found;
	/* another thread has ended it, and a third has begun one there */
	__atomic_store_n(&slots[found].state, READY, __ATOMIC_RELEASE);
	return SLOTS;
}

int sd_open_end(const struct sd_open_key *key)
{
	struct sd_marker_file *file;
	struct sd_marker_row *row;
	uint64_t now, lasted;
	uint32_t at;

	if (!sd_marker_is_on())
		return 0;
	now = sd_region_clock(CLOCK_MONOTONIC);
	at = find(key, sd_region_process());
	if (at == SLOTS)
		return 0;
	file = sd_marker_state.file;
	row = slots[at].row;
	lasted = now - slots[at].since;
	__atomic_store_n(&slots[at].state, FREE, __ATOMIC_RELEASE);
	sd_marker_more(&row->slot[sd_marker_slot()].ns, lasted);
	sd_marker_more(&file->lasted[row - file->row][sd_marker_slot()][sd_region_last(lasted)], 1);
	sd_region_count_out(row, now);
	return 1;
}

void sd_open_end_innermost(void)
{
	struct sd_marker_thread *const t = &sd_marker_thread;

	if (!sd_marker_is_on())
		return;
	(void)sd_region_process(); /* a child is in none of its parent's */
	if (t->beyond)
		t->beyond--;
	else if (t->depth)
		sd_region_pop(t, sd_region_clock(CLOCK_MONOTONIC));
}
