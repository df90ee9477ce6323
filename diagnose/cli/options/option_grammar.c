#include "options/option_grammar.h"

#include <string.h>

int sd_option_grammar_each(const struct argp *argp,
	int (*call)(void *ctx, const struct argp_option *option), void *ctx)
{
	const struct argp_child *child = argp->children;
	int rc = 0;

	for (const struct argp_option *o = argp->options; !rc && o && (o->name || o->key); o++)
		rc = call(ctx, o);
	for (; !rc && child && child->argp; child++)
		rc = sd_option_grammar_each(child->argp, call, ctx);
	return rc;
}

struct search {
	const char *name; /* long, of `length` bytes; NULL: by `letter` */
	size_t length;
	int letter;
	const struct argp_option *exact, *begins; /* with the whole name; with more */
};

static int compare(void *ctx, const struct argp_option *o)
{
	struct search *const s = ctx;

	if (!s->name) {
		if (o->key == s->letter)
			s->exact = o;
	} else if (o->name && strncmp(o->name, s->name, s->length) == 0) {
		if (o->name[s->length] == '\0')
			s->exact = o;
		else
			s->begins = o;
	}
	return s->exact != NULL;
}

const struct argp_option *sd_option_grammar_find(
	const struct argp *argp, const char *name, size_t length)
{
	struct search s = {.name = name, .length = length};

	sd_option_grammar_each(argp, compare, &s);
	return s.exact;
}

static int takes_next(const struct argp_option *o)
{
	return o && o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

static enum sd_word long_option(struct sd_option_grammar *g, const char *name)
{
	const size_t length = strcspn(name, "=");
	struct search s = {.name = name, .length = length};

	sd_option_grammar_each(g->argp, compare, &s);
	g->option = s.exact ? s.exact : s.begins;
	g->wants_value = takes_next(g->option) && name[length] == '\0';
	return g->option ? SD_WORD_OPTION : SD_WORD_UNKNOWN;
}

/* -lf text: letters up to the first that takes a value, which is the rest or the next word. */
static enum sd_word short_options(struct sd_option_grammar *g, const char *letters)
{
	for (const char *c = letters; *c; c++) {
		struct search s = {.letter = *c};

		sd_option_grammar_each(g->argp, compare, &s);
		g->option = s.exact;
		if (!s.exact)
			return SD_WORD_UNKNOWN;
		if (s.exact->arg) {
			g->wants_value = takes_next(s.exact) && c[1] == '\0';
			return SD_WORD_OPTION;
		}
	}
	return SD_WORD_OPTION;
}

enum sd_word sd_option_grammar_next(struct sd_option_grammar *g, const char *word)
{
	if (g->wants_value) {
		g->wants_value = 0;
		return SD_WORD_VALUE;
	}
	g->option = NULL;
	if (g->ended)
		return SD_WORD_ARGUMENT;
	if (strcmp(word, "--") == 0) {
		g->ended = 1;
		return SD_WORD_ARGUMENT;
	}
	if (word[0] != '-' || word[1] == '\0') {
		g->ended = g->in_order;
		return SD_WORD_ARGUMENT;
	}
	return word[1] == '-' ? long_option(g, word + 2) : short_options(g, word + 1);
}
