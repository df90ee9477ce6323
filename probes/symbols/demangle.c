#include "symbols/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* libiberty.h has a basename() of its own otherwise */
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

enum { LENGTH_MAX = 4096, PLAIN_MAX = 65536 };

/* The lifetimes that a Rust type binds are a number to base 62 (FG1_, DG_), and all are written. */
static double lifetimes_at(const char *p)
{
	double n = 1;

	if (*p != 'G' || (p[-1] != 'F' && p[-1] != 'D'))
		return 1;
	while (isalnum((unsigned char)*++p))
		n *= 62;
	return *p == '_' ? n : 1;
}

/* References to a name's earlier parts: S_, S1_, T_ and packs (Dp) of C++, B1_ of Rust's second
 * scheme. */
static double growth_at(const char *p, int is_rust)
{
	const char *end = p + 1;

	if (is_rust) {
		while (*p == 'B' && isalnum((unsigned char)*end))
			end++;
		return *p == 'B' && *end == '_' ? 1.4422 : lifetimes_at(p); /* 3^(1/3) */
	}
	if ((*p == 'S' || *p == 'T') && (*end == '_' || isdigit((unsigned char)*end)))
		return 1.4422;
	return *p == 'D' && *end == 'p' ? 8 : 1;
}

/*
 * A name of n references to its own earlier parts can stand for 3^(n/3) times its length (each
 * part made of three of the one before): what would take minutes is left as it is.
 */
static int could_explode(const char *name, size_t length)
{
	double bytes = (double)length;

	for (const char *p = name + 1; *p; p++)
		bytes *= growth_at(p, name[1] == 'R');
	return bytes > 1e9;
}

struct growing {
	char *text; /* PLAIN_MAX */
	size_t n;
	int full;
};

static void grow(const char *part, size_t n, void *ctx)
{
	struct growing *const g = ctx;

	if (n >= PLAIN_MAX - g->n) {
		g->full = 1;
		return;
	}
	if (n) /* of an empty part the text is NULL */
		memcpy(g->text + g->n, part, n);
	g->n += n;
}

/*
 * A method is "<a::T>::f" in the second scheme and "a::T::f" in the older one: as in that, by which
 * the tables of waits know it. A trait's ("<a::T as b::U>::f") and those of types without a name of
 * their own ("<[u8]>::f") are the same in both.
 */
static void plain_method(char *text)
{
	const char *p = text;
	size_t depth = 0;

	if (p[0] != '<' || !(isalpha((unsigned char)p[1]) || p[1] == '_'))
		return;
	do {
		if (*p == ' ' && depth == 1)
			return;
		depth += *p == '<';
		depth -= *p == '>' && p[-1] != '-'; /* "->" of a function's type */
		p++;
	} while (*p && depth);
	if (depth || strncmp(p, "::", 2) != 0)
		return;
	memmove(text, text + 1, (size_t)(p - text) - 2);
	memmove(text + (p - text) - 2, p, strlen(p) + 1);
}

/* Rust's older scheme is C++'s with a hash at the end, so that it is asked for first. NULL: neither
 * language's, too long, or no memory. */
static char *demangle(const char *name)
{
	struct growing g = {.text = malloc(PLAIN_MAX)};
	int known;

	if (!g.text)
		return NULL;
	known = rust_demangle_callback(name, DMGL_PARAMS, grow, &g);
	if (!known && name[1] == 'Z') {
		g.n = 0;
		known = cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_TYPES, grow, &g);
	}
	if (!known || !g.n || g.full) {
		free(g.text);
		return NULL;
	}
	g.text[g.n] = '\0';
	if (name[1] == 'R')
		plain_method(g.text);
	return g.text;
}

const char *sd_demangle(struct sd_string_pool *pool, const char *name)
{
	const char *const version = *name ? strchr(name + 1, '@') : NULL;
	const size_t length = version ? (size_t)(version - name) : strlen(name);
	const char *const plain = sd_string_pool_text(pool, name, length), *kept = plain;
	char *text = NULL;

	if (plain && plain[0] == '_' && (plain[1] == 'Z' || plain[1] == 'R') &&
		length <= LENGTH_MAX && !could_explode(plain, length))
		text = demangle(plain);
	if (text)
		kept = sd_string_pool_text(pool, text, strlen(text));
	free(text);
	return kept;
}
