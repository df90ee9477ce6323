#include "lines/lines_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/code_place.h"

#define MOST_BLOCKS 8
#define MOST_LOOPS 10
#define LEAST .005 /* of the instructions, which is shown as 1 % */
#define MOST_RACES 16

static void put_sets(struct sd_page *p, const struct sd_contested_lines *l)
{
	size_t large = 0;
	char a[40], b[40];

	if (l->n_llc == 0 || l->n_set == 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Working sets\n");
	sd_page_wrap(p, "  ", 4, "a thread's share of the LLC when all run: %s",
		sd_lines_bytes(l->share, a));
	for (size_t i = 0; i < l->n_set; i++)
		large += !l->set[i].fits;
	for (size_t i = 0; i < l->n_set && i < 8; i++) {
		const struct sd_working_set *w = &l->set[i];
		char text[256] = "nothing is used again from beyond the L1";

		for (size_t k = 0; k < w->n_shoulder; k++) {
			const size_t used = k ? strlen(text) : 0;

			snprintf(text + used, sizeof text - used, "%s%s (%.0f %% of its accesses)",
				k ? ", " : "", sd_lines_bytes(w->shoulder[k].bytes, a),
				100 * w->shoulder[k].accesses);
		}
		sd_page_wrap(p, "  ", 4, "thread %zu: %s", w->thread, text);
	}
	if (l->n_set > 8)
		sd_page_wrap(p, "  ", 4, "%zu more threads in --format json", l->n_set - 8);
	if (large)
		sd_page_wrap(p, "  ", 4,
			"%zu of %zu threads use more than their share again and again", large,
			l->n_set);
	sd_page_wrap(p, "  ", 4,
		"misses that an LLC of this size for each thread would have (fully associative):");
	for (size_t i = 0; i < l->n_llc; i++)
		sd_page_wrap(p, "    ", 6, "%9s  %s, %.3g per 1000 instructions%s",
			sd_lines_bytes(l->llc[i].bytes, a), sd_lines_count(l->llc[i].misses, b),
			l->llc[i].per_1000, l->llc[i].is_share ? "  <- its share" : "");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_pages(struct sd_page *p, const struct sd_contested_lines *l)
{
	const struct sd_sim_machine *m = &l->simulated->machine;
	double pages = 0, large = 0, contiguous = 0, shared = 0;
	char a[40], b[40];

	for (size_t i = 0; i < l->simulated->n_thread; i++) {
		const struct sd_sim_thread *t = &l->simulated->thread[i];

		if (t->pages <= pages)
			continue;
		pages = t->pages;
		large = t->pages_2m;
		contiguous = t->contiguous;
		shared = t->shared_pages;
	}
	if (pages <= 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Pages\n");
	sd_page_wrap(p, "  ", 4,
		"the thread with most touches %s page%s of %u KiB, or %s of 2 MiB; "
		"the DTLB holds %u, its second level %u; %.0f %% follow one that it touched too (%s), "
		"%.0f %% another thread touches as well",
		sd_lines_count(pages, a), pages == 1 ? "" : "s", m->page >> 10,
		sd_lines_count(large, b), m->dtlb_entries, m->stlb_entries, 100 * contiguous,
		contiguous > .5 ? "contiguous" : "interleaved", 100 * shared);
	if (m->stlb_entries && pages > m->stlb_entries && large <= m->stlb_entries)
		sd_page_wrap(p, "  ", 4,
			"huge pages would fit its second-level DTLB; small ones do not");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* "entered 4 times, 50,000 trips each" */
static const char *trips_of(const struct sd_sim_loop *l, char out[128])
{
	const double each = l->entries > 0 ? l->iterations / l->entries : 0;
	char a[40], b[40];

	if (!(l->entries > 0))
		snprintf(out, 128, "entered before this part began, %s trips in it",
			sd_lines_count(l->iterations, b));
	else if (each < 100 && each != floor(each))
		snprintf(out, 128, "entered %s time%s, %.2f trips each",
			sd_lines_count(l->entries, a), l->entries == 1 ? "" : "s", each);
	else
		snprintf(out, 128, "entered %s time%s, %s%s trip%s each",
			sd_lines_count(l->entries, a), l->entries == 1 ? "" : "s",
			each != floor(each) ? "about " : "", sd_lines_count(each, b),
			each == 1 ? "" : "s");
	return out;
}

static void put_loops(struct sd_page *p, const struct sd_record *r, const struct sd_simulated *s)
{
	const double all = sd_lines_instructions(s);
	char trips[128], b[40], c[40], place[512];

	if (s->n_loop == 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Loops\n");
	for (size_t i = 0; i < s->n_loop && i < MOST_LOOPS; i++) {
		const struct sd_sim_loop *l = &s->loop[i];

		if (l->instructions < LEAST * all)
			break; /* the rest has less */
		sd_code_place_text(&r->stacks, l->node, place, sizeof place);
		sd_page_wrap(p, "  ", 4,
			"%s: %.0f %% of the instructions, %s; it uses %s and moves %s into the L1",
			place, all > 0 ? fmin(100, 100 * l->instructions / all) : 0,
			trips_of(l, trips), sd_lines_bytes(l->bytes_consumed, b),
			sd_lines_bytes(l->bytes_moved, c));
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_blocks(struct sd_page *p, const struct sd_record *r, const struct sd_simulated *s)
{
	const double all = sd_lines_instructions(s);
	char runs[40], place[512];
	int any = 0;

	for (size_t i = 0; i < s->n_block && i < MOST_BLOCKS; i++) {
		const struct sd_sim_block *const b = &s->block[i];

		if (b->runs * b->instructions < LEAST * all)
			break; /* the rest has less */
		if (!any++)
			sd_page_put(p, SD_TONE_BOLD, "Hot basic blocks\n");
		sd_code_place_text(&r->stacks, b->node, place, sizeof place);
		sd_page_wrap(p, "  ", 4,
			"%s: run %s times, %.0f instruction%s each, %.0f %% of all", place,
			sd_lines_count(b->runs, runs), b->instructions,
			b->instructions == 1 ? "" : "s",
			all > 0 ? fmin(100, 100 * b->runs * b->instructions / all) : 0);
	}
	if (any)
		sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_conflicts(
	struct sd_page *p, const struct sd_record *r, const struct sd_simulated *s)
{
	char a[40], place[512];

	if (s->n_conflict == 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Set conflicts\n");
	for (size_t i = 0; i < s->n_conflict; i++) {
		sd_code_place_text(&r->stacks, s->conflict[i].node, place, sizeof place);
		sd_page_wrap(p, "  ", 4,
			"%s: %s misses of the L1 that a fully associative one would not have, with a stride of %" PRId64
			" bytes: pad the rows to another length",
			place, sd_lines_count(s->conflict[i].misses, a), s->conflict[i].stride);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_races(struct sd_page *p, const struct sd_record *r, const struct sd_simulated *s)
{
	char writer[512], other[512];

	if (s->n_race == 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Suspected races\n");
	sd_page_wrap(p, "  ", 2,
		"Bytes written by one thread and touched by another with no locked access or futex "
		"seen between: suspects, not proof; %zu seen.",
		s->n_race_seen);
	for (size_t i = 0; i < s->n_race && i < MOST_RACES; i++) {
		const struct sd_sim_race *x = &s->race[i];
		const char *name = sd_lines_name(&r->stacks, x->name);

		sd_code_place_text(&r->stacks, x->writer, writer, sizeof writer);
		sd_code_place_text(&r->stacks, x->other, other, sizeof other);
		sd_page_wrap(p, "  ", 4,
			"%s (0x%" PRIx64 ", %u bytes): written by %s, touched by %s",
			name ? name : "unnamed memory", x->address, x->bytes, writer, other);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lines_rest(struct sd_page *p, const struct sd_record *r, const struct sd_contested_lines *l)
{
	if (sd_lines_instructions(l->simulated) <= 0)
		return; /* nothing was counted */
	sd_lines_counts(p, l);
	put_sets(p, l);
	put_pages(p, l);
	put_conflicts(p, r, l->simulated);
	put_loops(p, r, l->simulated);
	put_blocks(p, r, l->simulated);
	put_races(p, r, l->simulated);
}
