#include "lines/lines_layout.h"
#include "lines/lines_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "analysis/line_memory.h"
#include "facts/facts_lines.h"
#include "render/render.h"

/* Rows of a picture; a line of more threads has the others counted. */
#define PICTURE_ROWS 16
#define MOST_SHOWN 16
#define LEAST_PICTURED .01 /* of all moves, where only pictures are wanted */
#define SITE_CALLERS 4

/* ---- the head -------------------------------------------------------------------------------- */

static void put_head(
	struct sd_page *p, const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_sim_machine *m = &l->simulated->machine;
	char *command = sd_page_command(&r->program.argv);
	char l1[40], l2[40] = "no", llc[40];

	if (m->l2.bytes)
		sd_lines_bytes((double)m->l2.bytes, l2);
	sd_page_wrap(p, "scalediag lines  ", 17,
		"%s · simulated: %u core%s of '%s': %s L1, %s L2, %s LLC for %u core%s, lines of %u bytes · %zu thread%s",
		command ? command : "?", l->cores, l->cores == 1 ? "" : "s", m->name,
		sd_lines_bytes((double)m->l1.bytes, l1), l2,
		sd_lines_bytes((double)m->llc.bytes, llc), m->llc.sharers,
		m->llc.sharers == 1 ? "" : "s", m->line, l->simulated->n_thread_seen,
		l->simulated->n_thread_seen == 1 ? "" : "s");
	free(command);
	if (l->simulated->partial)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "partial: ", 2, "%s", l->simulated->why);
	if (l->simulated->sampled[0])
		sd_page_wrap(p, "modelled: ", 2, "%s", l->simulated->sampled);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_sampled_head(
	struct sd_page *p, const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_memory_sampled *const m = l->sampled;
	char *command = sd_page_command(&r->program.argv);
	char loads[40], stores[40], lost[40];

	sd_page_wrap(p, "scalediag lines  ", 17,
		"%s · sampled by %s at %u cores: %s loads, %s stores of %zu thread%s, lines of %u bytes",
		command ? command : "?", m->source, l->cores, sd_lines_count(m->loads, loads),
		sd_lines_count(m->stores, stores), m->n_thread_seen,
		m->n_thread_seen == 1 ? "" : "s", m->line);
	free(command);
	if (m->why[0])
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "", 2, "%s", m->why);
	if (m->lost > 0 || m->unplaced > 0)
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "", 2,
			"%s times samples were lost; %s of the samples have no address or no thread",
			sd_lines_count(m->lost, lost), sd_lines_count(m->unplaced, loads));
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

static void put_native_head(
	struct sd_page *p, const struct sd_record *r, const struct sd_contested_lines *l)
{
	const struct sd_native_lines *const n = l->native;
	char *command = sd_page_command(&r->program.argv);
	char samples[40];

	sd_page_wrap(p, "scalediag lines  ", 17,
		"%s · the program's own samples at %u core%s: %s of user code, %.0f %% of them with "
		"addresses; lines of %u bytes",
		command ? command : "?", l->cores, l->cores == 1 ? "" : "s",
		sd_lines_count(n->samples, samples),
		n->samples > 0 ? 100 * fmin(1, n->resolved / n->samples) : 0, l->bytes);
	free(command);
	if (n->why[0])
		sd_page_wrap_tone(p, SD_TONE_DOUBT, "", 2, "%s", n->why);
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
	struct sd_page *p, const struct sd_sim_contested *c, unsigned line, const char *what)
{
	const unsigned n = line < SD_SIM_LINE ? line : SD_SIM_LINE;
	char row[SD_SIM_LINE + 9], moves[40];

	sd_page_put(p, SD_TONE_DIM, "            byte  ");
	for (unsigned i = 0; i < n; i += 8)
		sd_page_put(p, SD_TONE_DIM, "%-9u", i * (line / n));
	sd_page_put(p, SD_TONE_DIM, "%s\n", what);
	for (size_t i = 0; i < c->n_sharer && i < PICTURE_ROWS; i++) {
		picture(&c->sharer[i], n, row);
		sd_page_put(p, SD_TONE_PLAIN, "     thread %4u  ", c->sharer[i].thread);
		sd_page_put(p, SD_TONE_BOLD, " %s", row);
		sd_page_put(p, SD_TONE_PLAIN, "  %s%s\n", sd_lines_count(c->sharer[i].hitm, moves),
			c->sharer[i].locked > 0 ? ", locked" : "");
	}
	if (c->n_sharer > PICTURE_ROWS)
		sd_page_put(p, SD_TONE_DIM, "            and %zu more threads\n",
			c->n_sharer - PICTURE_ROWS);
}

static void put_codes(
	struct sd_page *p, const struct sd_stacks *s, const struct sd_line_view *v, unsigned line)
{
	char place[512], bytes[96];

	for (size_t i = 0; i < v->line->n_code; i++) {
		const struct sd_sim_code *c = &v->line->code[i];

		if (i && c->hitm < .01 * v->hitm)
			break; /* the rest has less */
		sd_code_place_text(s, c->node, place, sizeof place);
		sd_page_wrap(p, i ? "            " : "   code     ", 12,
			v->native ? "%3.0f %% of its samples: %s, %s%s%s%s"
				  : "%3.0f %% of its moves: %s, %s%s%s%s",
			v->hitm > 0 ? fmin(100, 100 * c->hitm / v->hitm) : 0, place,
			c->locked ? "locked " : "", c->writes ? "writes" : "reads",
			c->bytes ? " bytes " : "",
			sd_line_memory_bytes(c->bytes, line, bytes, sizeof bytes));
	}
}

/* The callers of an allocation, innermost first. */
static void put_site(struct sd_page *p, const struct sd_stacks *s, unsigned node, const char *also)
{
	char callers[2048];

	if (!node)
		return;
	sd_code_place_callers(s, node, SITE_CALLERS, callers, sizeof callers);
	sd_page_wrap(
		p, *also ? "            " : "   from     ", 12, "%sallocated in %s", also, callers);
}

/* Puts who answered the loads, as far as the CPU tells. */
static void put_answers(struct sd_page *p, const struct sd_mem_line *m)
{
	char local[40], remote[40], peer[40], cycles[48] = "";

	if (!m)
		return;
	if (sd_has(m->cycles))
		snprintf(cycles, sizeof cycles, "; %.0f cycles each on average", m->cycles.value);
	sd_page_wrap(p, "   ", 3,
		"loads answered by another core: %s modified in this node, %s in another one, %s "
		"whose state is not told%s",
		sd_lines_count(m->local, local), sd_lines_count(m->remote, remote),
		sd_lines_count(m->peer, peer), cycles);
}

static void put_line(struct sd_page *p, const struct sd_record *r,
	const struct sd_contested_lines *l, const struct sd_line_view *v, size_t number)
{
	const struct sd_sim_contested *c = v->line;
	const char *name = sd_lines_name(&r->stacks, c->name);
	char moves[40], accesses[40], head[24];

	snprintf(head, sizeof head, "%-3zu", number);
	sd_page_put(p, SD_TONE_BOLD, "%s%s", head, name ? name : "unnamed memory");
	sd_page_put(p, SD_TONE_PLAIN, " · ");
	sd_page_put(p, SD_TONE_BAD, "%s sharing", sd_sim_sharing_name[c->sharing]);
	if (v->native && v->native->split > 0)
		sd_page_put(p, SD_TONE_PLAIN,
			" · atomic accesses go on in the next line for %.3g s: each locks the bus\n",
			v->native->split);
	else if (v->native)
		sd_page_put(p, SD_TONE_PLAIN,
			" · contested for %.3g s, %.1f %% of all such time%s\n",
			v->native->contested, 100 * c->share,
			v->native->spun > 0 ? ", beside spinning" : "");
	else
		sd_page_put(p, SD_TONE_PLAIN, " · %.1f %% of all moves (%s%s)\n", 100 * c->share,
			sd_lines_count(v->hitm, moves), v->sampled ? " samples" : "");
	if (c->n_sharer == 0) /* imported: which threads it was is not told */
		sd_page_wrap(p, "   ", 3, "line 0x%" PRIx64, c->address);
	else
		sd_page_wrap(p, "   ", 3,
			"line 0x%" PRIx64 ": read by %u and written by %u threads, %s %s, %s",
			c->address, v->readers, v->writers, sd_lines_count(v->accesses, accesses),
			v->sampled || v->native ? "samples" : "accesses",
			v->locked <= 0    ? "all plain"
			: v->locked > .99 ? "all locked"
					  : "some of them locked");
	put_answers(p, v->sampled);
	if (c->n_sharer)
		put_picture(p, c, l->bytes, v->native ? "met" : "HITM");
	sd_lines_layout(p, r, v, l->bytes);
	put_codes(p, &r->stacks, v, l->bytes);
	put_site(p, &r->stacks, c->site, "");
	put_site(p, &r->stacks, c->other, "another block of it ");
	for (size_t i = 0; i < v->advice.n; i++)
		sd_page_wrap(p, i ? "            " : "   fix      ", 12, "%s", v->advice.text[i]);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* How many there are; 0: none to show. */
static int put_number(struct sd_page *p, const struct sd_contested_lines *l)
{
	const char *const unit = l->sampled ? "samples" : "times";
	char moves[40];

	if (l->native) {
		sd_page_wrap(p, "", 2,
			l->n_matter == 0
				? "No line that several threads used in turns, one of them writing, within "
				  "10 ms."
				: "%zu line%s that several threads used in turns, one of them writing, "
				  "within 10 ms. In the pictures r is read, w written, x both.",
			l->n_matter, l->n_matter == 1 ? "" : "s");
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return l->n_matter > 0;
	}
	if (l->n_line == 0) {
		sd_page_wrap(p, "", 2, "No line%s moved between cores in modified state.",
			l->sampled ? " that was sampled" : "");
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return 0;
	}
	if (l->n_matter == 0) {
		sd_page_wrap(p, "", 2,
			"No contested line: %zu moved between cores in modified state, %s %s in "
			"all, as programs do when threads begin and end (--format json has them).",
			l->n_seen, sd_lines_count(l->hitm, moves), unit);
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return 0;
	}
	sd_page_wrap(p, "", 2,
		"%zu line%s moved between cores in modified state, %s %s in all (HITM)%s. In the "
		"pictures r is read, w written, x both.",
		l->n_seen, l->n_seen == 1 ? "" : "s", sd_lines_count(l->hitm, moves), unit,
		l->n_seen > l->n_line ? "; those with most are kept" : "");
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	return 1;
}

static size_t number_shown(const struct sd_contested_lines *l, int all)
{
	size_t n = 0;

	while (n < l->n_matter && n < MOST_SHOWN &&
		(all || n == 0 || l->line[n].hitm >= LEAST_PICTURED * l->hitm))
		n++;
	return n;
}

static void put_lines(
	struct sd_page *p, const struct sd_record *r, const struct sd_contested_lines *l, int all)
{
	const size_t shown = number_shown(l, all);
	char moves[40];

	if (l->simulated && sd_lines_instructions(l->simulated) <= 0) {
		sd_page_wrap(p, "", 2, "Nothing was simulated: no line is known.");
		sd_page_put(p, SD_TONE_PLAIN, "\n");
		return;
	}
	if (!put_number(p, l))
		return;
	for (size_t i = 0; i < shown; i++)
		put_line(p, r, l, &l->line[i], i + 1);
	if (sd_lines_blind(r, l)) {
		sd_page_wrap(p, "", 2, "Allocation sites: none, %s.", sd_lines_blind(r, l));
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
	if (l->n_line > shown) {
		sd_page_wrap(p, "", 2, "%zu more with %s moves or less each%s", l->n_line - shown,
			sd_lines_count(l->line[shown].hitm, moves), all ? ": --format json" : "");
		sd_page_put(p, SD_TONE_PLAIN, "\n");
	}
}

static int put_text(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_report_style *s, int all)
{
	struct sd_page page, *const p = &page;

	sd_page_begin(p, f, s);
	if (l->native) {
		put_native_head(p, r, l);
		put_lines(p, r, l, all);
		if (all)
			sd_lines_loops(p, r, l->native);
		sd_page_wrap_tone(p, SD_TONE_DIM, "", 2,
			"Samples of the CPU clock and the registers they carry: shares are telling, small "
			"numbers are not. Lines that the kernel writes are not seen.");
		return sd_page_end(p);
	}
	if (l->sampled) {
		put_sampled_head(p, r, l);
		put_lines(p, r, l, all);
		sd_page_wrap_tone(p, SD_TONE_DIM, "", 2,
			"Samples of this machine, not counts: shares are telling, small numbers "
			"are not. Of an access the first byte is known, of a store no source.");
		return sd_page_end(p);
	}
	put_head(p, r, l);
	put_lines(p, r, l, all);
	if (all)
		sd_lines_rest(p, r, l);
	sd_page_wrap_tone(p, SD_TONE_DIM, "", 2,
		"Counts of a modelled machine, not of this one: where lines move and by whom is the program's, "
		"how often depends on the model.");
	return sd_page_end(p);
}

int sd_lines_together(FILE *f, const struct sd_record *r, const struct sd_contested_lines *own,
	const struct sd_contested_lines *other, const struct sd_report_style *s)
{
	struct sd_page page;
	struct sd_document b = sd_render_text(&page, 1);
	struct sd_line_rows rows;
	int rc = sd_facts_lines_make(r, own, other, &rows);

	if (!rc && rows.n) {
		sd_page_begin(&page, f, s);
		sd_facts_lines(&b, &rows);
		page.failed |= b.failed;
		rc = sd_page_end(&page);
	}
	sd_facts_lines_free(&rows);
	return rc;
}

int sd_lines_text(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_report_style *s)
{
	return put_text(f, r, l, s, 1);
}

int sd_lines_picture(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l,
	const struct sd_report_style *s)
{
	return put_text(f, r, l, s, 0);
}
