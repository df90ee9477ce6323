#include "lines_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codeplace.h"
#include "page.h"

/* Rows of a picture; a line of more threads has the others counted. */
#define PICTURE_ROWS 16
#define MOST_LOOPS 10
#define MOST_SHOWN 16
#define SITE_CALLERS 4

/* ---- words ----------------------------------------------------------------------------------- */

/* 1234567 as "1,234,567"; counts that are not whole are estimates and rounded. */
static const char *count(double v, char out[40])
{
	char digits[32];
	size_t n, at = 0;

	if (!(v < 1e15)) {
		snprintf(out, 40, "%.4g", v);
		return out;
	}
	snprintf(digits, sizeof digits, "%.0f", v < 0 ? 0 : v);
	n = strlen(digits);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

static const char *bytes(double v, char out[40])
{
	static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	size_t u = 0;

	while (v >= 1024 && u + 1 < sizeof unit / sizeof *unit) {
		v /= 1024;
		u++;
	}
	snprintf(out, 40, "%.4g %s", v, unit[u]);
	return out;
}

static const char *name_of(const struct sd_stacks *s, unsigned text)
{
	return text && text < s->n_text ? s->text[text] : NULL;
}

/* ---- the head -------------------------------------------------------------------------------- */

static void put_head(struct sd_page *p, const struct sd_record *r, const struct sd_lines *l)
{
	const struct sd_sim_machine *m = &l->simulated->machine;
	char *command = sd_page_command(&r->program.argv);
	char l1[40], l2[40] = "no", llc[40];

	if (m->l2.bytes)
		bytes((double)m->l2.bytes, l2);
	sd_page_wrap(p, "scalediag lines  ", 17,
		"%s · simulated: %u core%s of '%s': %s L1, %s L2, %s LLC for %u core%s, lines of "
		"%u "
		"bytes · %zu thread%s",
		command ? command : "?", l->cores, l->cores == 1 ? "" : "s", m->name,
		bytes((double)m->l1.bytes, l1), l2, bytes((double)m->llc.bytes, llc),
		m->llc.sharers, m->llc.sharers == 1 ? "" : "s", m->line,
		l->simulated->n_thread_seen, l->simulated->n_thread_seen == 1 ? "" : "s");
	free(command);
	if (l->simulated->partial)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "partial: ", 2, "%s", l->simulated->why);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* ---- a contested line ------------------------------------------------------------------------ */

/* Byte by byte what a thread did: '.' nothing, 'r' read, 'w' wrote, 'x' both. */
static void picture(const struct sd_sim_sharer *s, unsigned n, char out[SD_SIM_LINE + 9])
{
	size_t at = 0;

	for (unsigned i = 0; i < n; i++) {
		const unsigned did = (unsigned)(s->read >> i & 1) | (unsigned)(s->written >> i & 1)
									    << 1;

		if (i && i % 8 == 0)
			out[at++] = ' ';
		out[at++] = ".rwx"[did];
	}
	out[at] = '\0';
}

static void put_picture(
	struct sd_page *p, const struct sd_sim_contested *c, const struct sd_sim_machine *m)
{
	const unsigned n = m->line < SD_SIM_LINE ? m->line : SD_SIM_LINE;
	char row[SD_SIM_LINE + 9], moves[40];

	sd_page_put(p, SD_TONE_DIM, "            byte  ");
	for (unsigned i = 0; i < n; i += 8)
		sd_page_put(p, SD_TONE_DIM, "%-9u", i);
	sd_page_put(p, SD_TONE_DIM, "%s\n", "HITM");
	for (size_t i = 0; i < c->n_sharer && i < PICTURE_ROWS; i++) {
		picture(&c->sharer[i], n, row);
		sd_page_put(p, SD_TONE_PLAIN, "     thread %4u  ", c->sharer[i].thread);
		sd_page_put(p, SD_TONE_BOLD, " %s", row);
		sd_page_put(p, SD_TONE_PLAIN, "  %s%s\n", count(c->sharer[i].hitm, moves),
			c->sharer[i].locked > 0 ? ", locked" : "");
	}
	if (c->n_sharer > PICTURE_ROWS)
		sd_page_put(p, SD_TONE_DIM, "            and %zu more threads\n",
			c->n_sharer - PICTURE_ROWS);
}

static void put_codes(struct sd_page *p, const struct sd_stacks *s, const struct sd_line_view *v)
{
	char place[512];

	for (size_t i = 0; i < v->line->n_code; i++) {
		const struct sd_sim_code *c = &v->line->code[i];

		if (i && c->hitm < .01 * v->hitm)
			break; /* the rest has less */
		sd_codeplace_text(s, c->node, place, sizeof place);
		sd_page_wrap(p, i ? "            " : "   code     ", 12,
			"%3.0f %% of its moves: %s, %s%s",
			v->hitm > 0 ? fmin(100, 100 * c->hitm / v->hitm) : 0, place,
			c->locked ? "locked " : "", c->writes ? "writes" : "reads");
	}
}

/* The callers of an allocation, innermost first. */
static void put_site(struct sd_page *p, const struct sd_stacks *s, unsigned node, const char *also)
{
	char callers[2048];

	if (!node)
		return;
	sd_codeplace_callers(s, node, SITE_CALLERS, callers, sizeof callers);
	sd_page_wrap(
		p, *also ? "            " : "   from     ", 12, "%sallocated in %s", also, callers);
}

static void put_line(struct sd_page *p, const struct sd_record *r, const struct sd_lines *l,
	const struct sd_line_view *v, size_t number)
{
	const struct sd_sim_contested *c = v->line;
	const char *name = name_of(&r->stacks, c->name);
	char moves[40], accesses[40], head[16];

	snprintf(head, sizeof head, "%-3zu", number);
	sd_page_put(p, SD_TONE_BOLD, "%s%s", head, name ? name : "unnamed memory");
	sd_page_put(p, SD_TONE_PLAIN, " · ");
	sd_page_put(p, SD_TONE_BAD, "%s sharing", sd_sim_sharing_name[c->sharing]);
	sd_page_put(p, SD_TONE_PLAIN, " · %.1f %% of all moves (%s)\n", 100 * c->share,
		count(v->hitm, moves));
	sd_page_wrap(p, "   ", 3,
		"line 0x%" PRIx64 ": read by %u and written by %u threads, %s accesses, %s",
		c->address, v->readers, v->writers, count(v->accesses, accesses),
		v->locked <= 0    ? "all plain"
		: v->locked > .99 ? "all locked"
				  : "some of them locked");
	put_picture(p, c, &l->simulated->machine);
	put_codes(p, &r->stacks, v);
	put_site(p, &r->stacks, c->site, "");
	put_site(p, &r->stacks, c->other, "another block of it ");
	for (size_t i = 0; i < v->advice.n; i++)
		sd_page_wrap(p, i ? "            " : "   do       ", 12, "%s", v->advice.text[i]);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static double instructions_of(const struct sd_simulated *s)
{
	double all = 0;

	for (size_t i = 0; i < s->n_thread; i++)
		all += s->thread[i].instructions;
	return all;
}

static void put_lines(struct sd_page *p, const struct sd_record *r, const struct sd_lines *l)
{
	char moves[40];
	size_t shown;

	if (instructions_of(l->simulated) <= 0) {
		sd_page_wrap(p, "", 2, "Nothing was simulated: no line is known.");
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return;
	}
	if (l->n_line == 0) {
		sd_page_wrap(p, "", 2, "No line moved between cores in modified state.");
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return;
	}
	if (l->n_matter == 0) {
		sd_page_wrap(p, "", 2,
			"No contested line: %zu moved between cores in modified state, %s times in "
			"all, as programs do when threads begin and end (--format json has them).",
			l->simulated->n_contested_seen, count(l->hitm, moves));
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return;
	}
	sd_page_wrap(p, "", 2,
		"%zu line%s moved between cores in modified state, %s times in all (HITM)%s. In "
		"the "
		"pictures r is read, w written, x both.",
		l->simulated->n_contested_seen, l->simulated->n_contested_seen == 1 ? "" : "s",
		count(l->hitm, moves),
		l->simulated->n_contested_seen > l->n_line ? "; those with most are kept" : "");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	for (shown = 0; shown < l->n_matter && shown < MOST_SHOWN; shown++)
		put_line(p, r, l, &l->line[shown], shown + 1);
	if (l->simulated->blind[0]) {
		sd_page_wrap(p, "", 2, "Allocation sites: none, %s.", l->simulated->blind);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
	if (l->n_line > shown) {
		sd_page_wrap(p, "", 2, "%zu more with %s moves or less each: --format json",
			l->n_line - shown, count(l->line[shown].hitm, moves));
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

/* ---- what else the run shows ----------------------------------------------------------------- */

static void put_sets(struct sd_page *p, const struct sd_lines *l)
{
	size_t large = 0;
	char a[40], b[40];

	if (l->n_llc == 0 || l->n_set == 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Working sets\n");
	sd_page_wrap(
		p, "  ", 4, "a thread's share of the LLC when all run: %s", bytes(l->share, a));
	for (size_t i = 0; i < l->n_set; i++)
		large += !l->set[i].fits;
	for (size_t i = 0; i < l->n_set && i < 8; i++) {
		const struct sd_working_set *w = &l->set[i];
		char text[256] = "nothing is used again from beyond the L1";

		for (size_t k = 0; k < w->n_shoulder; k++) {
			const size_t used = k ? strlen(text) : 0;

			snprintf(text + used, sizeof text - used, "%s%s (%.0f %% of its accesses)",
				k ? ", " : "", bytes(w->shoulder[k].bytes, a),
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
			bytes(l->llc[i].bytes, a), count(l->llc[i].misses, b), l->llc[i].per_1000,
			l->llc[i].is_share ? "  <- its share" : "");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_pages(struct sd_page *p, const struct sd_lines *l)
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
		"the thread with most touches %s pages of %u KiB, or %s of 2 MiB; the DTLB holds "
		"%u, "
		"its second level %u; %.0f %% follow one that it touched too (%s), %.0f %% another "
		"thread touches as well",
		count(pages, a), m->page >> 10, count(large, b), m->dtlb_entries, m->stlb_entries,
		100 * contiguous, contiguous > .5 ? "contiguous" : "interleaved", 100 * shared);
	if (m->stlb_entries && pages > m->stlb_entries && large <= m->stlb_entries)
		sd_page_wrap(p, "  ", 4,
			"huge pages would fit its second-level DTLB; small ones do not");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_loops(struct sd_page *p, const struct sd_record *r, const struct sd_simulated *s)
{
	const double all = instructions_of(s);
	char a[40], b[40], c[40], place[512];

	if (s->n_loop == 0)
		return;
	sd_page_put(p, SD_TONE_BOLD, "Loops\n");
	for (size_t i = 0; i < s->n_loop && i < MOST_LOOPS; i++) {
		const struct sd_sim_loop *l = &s->loop[i];

		sd_codeplace_text(&r->stacks, l->node, place, sizeof place);
		sd_page_wrap(p, "  ", 4,
			"%s: %.0f %% of the instructions, entered %s times, %.4g trips each; it "
			"uses "
			"%s and moves %s into the L1",
			place, all > 0 ? fmin(100, 100 * l->instructions / all) : 0,
			count(l->entries, a), l->entries > 0 ? l->iterations / l->entries : 0,
			bytes(l->bytes_consumed, b), bytes(l->bytes_moved, c));
	}
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
		sd_codeplace_text(&r->stacks, s->conflict[i].node, place, sizeof place);
		sd_page_wrap(p, "  ", 4,
			"%s: %s misses of the L1 that a fully associative one would not have, with "
			"a "
			"stride of %" PRId64 " bytes: pad the rows to another length",
			place, count(s->conflict[i].misses, a), s->conflict[i].stride);
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
	for (size_t i = 0; i < s->n_race && i < MOST_SHOWN; i++) {
		const struct sd_sim_race *x = &s->race[i];
		const char *name = name_of(&r->stacks, x->name);

		sd_codeplace_text(&r->stacks, x->writer, writer, sizeof writer);
		sd_codeplace_text(&r->stacks, x->other, other, sizeof other);
		sd_page_wrap(p, "  ", 4,
			"%s (0x%" PRIx64 ", %u bytes): written by %s, touched by %s",
			name ? name : "unnamed memory", x->address, x->bytes, writer, other);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

int sd_lines_text(FILE *f, const struct sd_record *r, const struct sd_lines *l,
	const struct sd_report_style *s)
{
	struct sd_page page, *const p = &page;

	sd_page_begin(p, f, s);
	put_head(p, r, l);
	put_lines(p, r, l);
	put_sets(p, l);
	put_pages(p, l);
	put_conflicts(p, r, l->simulated);
	put_loops(p, r, l->simulated);
	put_races(p, r, l->simulated);
	sd_page_wrap_tone(p, SD_TONE_DIM, "", 2,
		"Counts of a modelled machine, not of this one: where lines move and by whom is "
		"the "
		"program's, how often depends on the model.");
	return sd_page_end(p);
}
