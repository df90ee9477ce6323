#include "simulated/line_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "analysis/contested_lines.h"
#include "analysis/line_memory.h"
#include "analysis/cause_growth.h"
#include "hotspots/others_code.h"

#define MOST_PLACES 5
#define SITE_CALLERS 3

static const char *text_of(const struct sd_stacks *s, unsigned text)
{
	return text && text < s->n_text ? s->text[text] : NULL;
}

/* Does this line count for the cause? */
int sd_line_words_is_of(const struct sd_sim_contested *l, enum sd_cause cause)
{
	if (l->sharing == SD_SIM_UNTOLD)
		return 0;
	return l->sharing != (sd_cause_growth[cause].bytes == SD_CAUSE_BYTES_DIFFERENT
					     ? SD_SIM_TRUE
					     : SD_SIM_FALSE);
}

/* "2 threads write different bytes of it", "one thread writes bytes of it and others read different
 * ones". */
static void put_users(const struct sd_sim_contested *l, unsigned writers, char *out, size_t size)
{
	const char *const bytes = l->sharing == SD_SIM_FALSE  ? "different"
				  : l->sharing == SD_SIM_TRUE ? "the same"
							      : "some the same and some different";
	const unsigned readers = (unsigned)l->n_sharer - writers;

	if (writers != 1)
		snprintf(out, size, "%u threads write %s bytes of it", writers, bytes);
	else if (readers == 0)
		snprintf(out, size, "one thread writes it, from several cores");
	else
		snprintf(out, size, "one thread writes bytes of it and %s %s %s",
			readers == 1 ? "another" : "others", readers == 1 ? "reads" : "read",
			l->sharing == SD_SIM_FALSE  ? "different ones"
			: l->sharing == SD_SIM_TRUE ? "the same ones"
						    : "some the same and some different ones");
}

int sd_line_words_line(
	const struct sd_record *r, const struct sd_sim_contested *l, struct sd_texts *out)
{
	const char *name = text_of(&r->stacks, l->name);
	const double moves = l->hitm_load + l->hitm_store;
	unsigned writers = 0, locked = 0;
	char callers[1024], who[120];
	int rc;

	for (size_t i = 0; i < l->n_sharer; i++) {
		writers += l->sharer[i].written != 0;
		locked |= l->sharer[i].locked > 0;
	}
	put_users(l, writers, who, sizeof who);
	rc = sd_texts_add(out,
		"the line 0x%llx%s%s%s has %.0f %% of these moves: "
		"%s%s (scalediag lines shows which)",
		(unsigned long long)l->address, name ? " (" : "", name ? name : "", name ? ")" : "",
		100 * l->share, who, locked ? ", with locked instructions" : "");
	if (!rc && l->site) {
		sd_code_place_callers(&r->stacks, l->site, SITE_CALLERS, callers, sizeof callers);
		rc = sd_texts_add(out, "that memory is allocated in %s", callers);
	}
	if (!rc && l->sharing != SD_SIM_TRUE && sd_has(l->separated))
		rc = sd_texts_add(out,
			"with padding, each thread's bytes on a line of their own, the transfers %s "
			"(simulated: %.4g -> %.4g)",
			l->separated.value < .01 * moves  ? "disappear"
			: l->separated.value < .5 * moves ? "shrink"
							  : "mostly remain",
			moves, l->separated.value);
	return rc;
}

static int copy_text(const struct sd_stacks *s, unsigned text, char **out)
{
	const char *from = text_of(s, text);

	*out = from ? strdup(from) : NULL;
	return from && !*out ? -ENOMEM : 0;
}

static int same_text(const struct sd_stacks *s, unsigned text, const char *other)
{
	const char *const one = text_of(s, text);

	return one && other ? strcmp(one, other) == 0 : one == other;
}

/* Loads and stores of a source line are one place; without a line every instruction is. */
static int is_at(const struct sd_stacks *s, const struct sd_where *w, const struct sd_frame *f)
{
	return f->line && w->line == f->line && same_text(s, f->function, w->function) &&
	       same_text(s, f->file, w->file);
}

/* The innermost frame that the user can change, and in *in the one further in, of a library that
 * was inlined into it: 0 none. Where all is a library's, the place is its own. */
static const struct sd_frame *own_frame(const struct sd_stacks *s, unsigned node, unsigned *in)
{
	const struct sd_frame *const leaf = &s->frame[s->node[node].frame];
	unsigned inner = 0;

	for (unsigned i = node; i > 0 && s->node[i].frame < s->n_frame;
		i = s->node[i].parent < i ? s->node[i].parent : 0) {
		const struct sd_frame *const f = &s->frame[s->node[i].frame];
		if (sd_others_code_holds(s, f)) {
			inner = f->function;
			continue;
		}
		*in = inner;
		return f;
	}
	*in = 0;
	return leaf;
}

static int add_where(const struct sd_stacks *s, struct sd_finding *f,
	const struct sd_sim_code *code, double share)
{
	int rc;
	const struct sd_frame *frame;
	struct sd_where *w = &f->where[f->n_where];
	unsigned in;

	if (!code->node || code->node >= s->n_node || s->node[code->node].frame >= s->n_frame)
		return 0;
	frame = own_frame(s, code->node, &in);
	for (size_t i = 0; i < f->n_where; i++)
		if (is_at(s, &f->where[i], frame)) {
			f->where[i].share += share;
			return 0;
		}
	*w = (struct sd_where){.line = frame->line, .share = share};
	rc = copy_text(s, frame->function, &w->function);
	rc = rc ? rc : copy_text(s, frame->file, &w->file);
	rc = rc ? rc : copy_text(s, frame->module, &w->module);
	rc = rc ? rc : copy_text(s, in, &w->in);
	f->n_where++;
	return rc;
}

/* Names the memory of the first of n lines that is the cause's: what the first place is about. */
static int add_object(const struct sd_stacks *s, const struct sd_sim_contested *const *line,
	size_t n, struct sd_finding *f)
{
	char object[512];
	size_t i = 0;

	while (i < n && !sd_line_words_is_of(line[i], f->cause))
		i++;
	if (i == n || !f->n_where || f->where[0].object || !(line[i]->name || line[i]->site))
		return 0;
	sd_line_memory_text(s, line[i], line[i]->site, object, sizeof object);
	f->where[0].object = strdup(object);
	return f->where[0].object ? 0 : -ENOMEM;
}

/* The code of n lines, by the moves it waited for. */
static int add_wheres(const struct sd_record *r, const struct sd_sim_contested *const *line,
	size_t n, struct sd_finding *f)
{
	double all = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; sd_line_words_is_of(line[i], f->cause) && k < line[i]->n_code;
			k++)
			all += line[i]->code[k].hitm;
	if (!(all > 0)) /* samples may say where */
		return 0;
	f->where = calloc(MOST_PLACES, sizeof *f->where);
	if (!f->where)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct sd_sim_contested *l = line[i];

		for (size_t k = 0; !rc && sd_line_words_is_of(l, f->cause) && k < l->n_code; k++)
			if (f->n_where < MOST_PLACES && l->code[k].hitm >= .05 * all)
				rc = add_where(&r->stacks, f, &l->code[k], l->code[k].hitm / all);
	}
	return rc ? rc : add_object(&r->stacks, line, n, f);
}

int sd_line_words_wheres(
	const struct sd_record *r, const struct sd_simulated *s, struct sd_finding *f)
{
	const struct sd_sim_contested *line[SD_SIM_LINES];
	const size_t n = s->n_contested < SD_SIM_LINES ? s->n_contested : SD_SIM_LINES;

	for (size_t i = 0; i < n; i++)
		line[i] = &s->contested[i];
	return add_wheres(r, line, n, f);
}

int sd_line_words_sampled(
	const struct sd_record *r, const struct sd_memory_sampled *m, struct sd_finding *f)
{
	const struct sd_sim_contested *line[SD_SIM_LINES], *first = NULL;
	const size_t n = m->n_contested < SD_SIM_LINES ? m->n_contested : SD_SIM_LINES;
	int rc;

	for (size_t i = 0; i < n; i++) {
		line[i] = &m->contested[i].line;
		if (!first && sd_line_words_is_of(line[i], f->cause))
			first = line[i];
	}
	if (!first)
		return 0;
	rc = sd_line_words_line(r, first, &f->evidence);
	return rc ? rc : add_wheres(r, line, n, f);
}

static int say_source(const struct sd_contested_lines *l, double moves, struct sd_texts *out)
{
	if (l->sampled)
		return sd_texts_add(out,
			"sampled by %s at %u cores, so what it costs is not known: %.4g of %.4g "
			"samples of loads that another core answered",
			l->sampled->source, l->cores, moves, l->hitm);
	return sd_texts_add(out,
		"simulated at %u cores, so what it costs here is not known: %.4g of %.4g moves of "
		"modified lines",
		l->cores, moves, l->hitm);
}

static int name(const struct sd_record *r, const struct sd_contested_lines *l, struct sd_finding *f)
{
	const struct sd_sim_contested *line[SD_SIM_LINES];
	const size_t n = l->n_line < SD_SIM_LINES ? l->n_line : SD_SIM_LINES;
	const size_t before = f->evidence.n;
	double moves = 0;
	int rc = 0;

	for (size_t i = 0; i < l->n_matter; i++)
		if (sd_line_words_is_of(l->line[i].line, f->cause))
			moves += l->line[i].hitm;
	if (moves <= 0 || f->n_where)
		return 0;
	rc = say_source(l, moves, &f->evidence);
	for (size_t i = 0; i < l->n_matter && !rc; i++)
		if (sd_line_words_is_of(l->line[i].line, f->cause)) {
			rc = sd_line_words_line(r, l->line[i].line, &f->evidence);
			break;
		}
	for (size_t i = 0; i < n; i++)
		line[i] = l->line[i].line;
	if (!rc)
		rc = add_wheres(r, line, n, f);
	f->named = before;
	return rc;
}

int sd_line_words_fill(const struct sd_record *r, struct sd_analysis *a)
{
	struct sd_contested_lines lines;
	int rc = sd_contested_line_list_make(r, 0, 0, &lines);

	for (int i = 0; i < SD_CAUSE_COUNT && !rc; i++) {
		struct sd_finding *f = &a->finding[i];

		if (sd_cause_growth[f->cause].bytes && f->verdict == SD_VERDICT_NOT_MEASURABLE &&
			f->evidence.n)
			rc = name(r, &lines, f);
	}
	sd_contested_lines_free(&lines);
	return rc == -ENOENT ? 0 : rc;
}
