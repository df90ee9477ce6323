#include "symbols/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* libiberty.h has a basename() of its own otherwise */
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

enum { LENGTH_MAX = 4096, PLAIN_MAX = 65536 };

/*
 * A name of n references to its own earlier parts can stand for 3^(n/3) times its length (each
 * part made of three of the one before): what could fill the memory is left as it is.
 */
static int could_explode(const char *name, size_t length)
{
	double bytes = (double)length;

	for (const char *p = name; *p; p++) {
		if ((*p == 'S' || *p == 'T') && (p[1] == '_' || isdigit((unsigned char)p[1])))
			bytes *= 1.4422; /* 3^(1/3) */
		else if (*p == 'D' && p[1] == 'p')
			bytes *= 8;
	}
	return bytes > 1e9;
}

/* The same of Rust's second scheme, where a reference is B, digits and an underscore. */
static int could_explode_v0(const char *name, size_t length)
{
	double bytes = (double)length;

	for (const char *p = name; *p; p++) {
		const char *end = p + 1;

		while (*p == 'B' && isalnum((unsigned char)*end))
			end++;
		if (*p == 'B' && *end == '_')
			bytes *= 1.4422;
	}
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

/* Rust's second scheme: by the GNU tools' demangler. NULL: is no such name, or no memory. */
static char *rust_v0(const char *name)
{
	struct growing g = {.text = malloc(PLAIN_MAX)};

	if (g.text && rust_demangle_callback(name, DMGL_PARAMS, grow, &g) && g.n && !g.full) {
		g.text[g.n] = '\0';
		plain_method(g.text);
		return g.text;
	}
	free(g.text);
	return NULL;
}

/* The C++ library's own demangler, which it alone keeps in step with its compiler. It is loaded
 * when a name needs it; without it names stay mangled. */
static char *cxx(const char *name)
{
	char *(*demangle)(const char *, char *, size_t *, int *);
	void *const library = dlopen("libstdc++.so.6", RTLD_LAZY);
	char *text = NULL;

	if (!library)
		return NULL;
	*(void **)&demangle = dlsym(library, "__cxa_demangle");
	if (demangle)
		text = demangle(name, NULL, NULL, NULL);
	/* not closed: loading it again for each name would cost milliseconds */
	return text;
}

struct escape {
	const char *code;
	char plain;
};

/* Of Rust's older scheme, which is C++'s with the hash of the crate as the last part. */
static const struct escape escapes[] = {{"$SP$", '@'}, {"$BP$", '*'}, {"$RF$", '&'}, {"$LT$", '<'},
	{"$GT$", '>'}, {"$LP$", '('}, {"$RP$", ')'}, {"$C$", ','}, {"$u20$", ' '}, {"$u22$", '"'},
	{"$u27$", '\''}, {"$u2b$", '+'}, {"$u3b$", ';'}, {"$u3d$", '='}, {"$u5b$", '['},
	{"$u5d$", ']'}, {"$u7b$", '{'}, {"$u7d$", '}'}, {"$u7e$", '~'}};

static const struct escape *escape_at(const char *p)
{
	for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
		if (strncmp(p, escapes[i].code, strlen(escapes[i].code)) == 0)
			return &escapes[i];
	return NULL;
}

/* Whether the text ends in ::h and 16 hexadecimal digits. */
static int has_hash(const char *text, size_t n)
{
	if (n < 20 || strncmp(text + n - 19, "::h", 3) != 0)
		return 0;
	return strspn(text + n - 16, "0123456789abcdef") == 16;
}

static void rust(char *text)
{
	char *to = text;
	const char *p = text;

	text[strlen(text) - 19] = '\0';
	while (*p) {
		const struct escape *const e = *p == '$' ? escape_at(p) : NULL;

		if (e) {
			*to++ = e->plain;
			p += strlen(e->code);
		} else if (p[0] == '.' && p[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			p += 2;
		} else if (p[0] == '_' && p[1] == '$' && (p == text || p[-1] == ':')) {
			p++; /* stands before an escape at the beginning of a part */
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
}

const char *sd_demangle(struct sd_string_pool *pool, const char *name)
{
	const char *const version = *name ? strchr(name + 1, '@') : NULL;
	const size_t length = version ? (size_t)(version - name) : strlen(name);
	const char *const plain = sd_string_pool_text(pool, name, length), *kept = plain;
	char *text = NULL;

	if (plain && strncmp(plain, "_Z", 2) == 0 && length <= LENGTH_MAX &&
		!could_explode(plain, length))
		text = cxx(plain);
	else if (plain && strncmp(plain, "_R", 2) == 0 && length <= LENGTH_MAX &&
		 !could_explode_v0(plain, length))
		text = rust_v0(plain);
	if (text) {
		if (plain[1] == 'Z' && has_hash(text, strlen(text)))
			rust(text);
		kept = sd_string_pool_text(pool, text, strlen(text));
	}
	free(text);
	return kept;
}
