#include "page/short_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"
#include "page/sanitize.h"
#include "page/page.h"

/* The text behind the last '/'; all of it when that is empty. */
const char *sd_name_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Cuts a clean text to so many columns. */
static void cut(char *text, size_t columns)
{
	static const char end[] = "…";
	size_t n = 0;

	if (sd_page_columns(text) <= columns)
		return;
	for (char *p = text; *p; p++) {
		n += ((unsigned char)*p & 0xc0) != 0x80;
		/* a cut text has room for the sign: it is longer than that */
		if (n == columns && strlen(p) >= sizeof end - 1) {
			memcpy(p, end, sizeof end);
			return;
		}
	}
}

static void put_file(FILE *f, const struct sd_where *w)
{
	char *base = w->file ? sd_sanitize(sd_name_base(w->file)) : NULL;
	size_t n = 0;
	const char *const region = w->function ? sd_code_place_region(w->function, &n) : NULL;
	char within[400];

	if (base && region) {
		sd_code_place_within(region, n, base, w->line, within, sizeof within);
		fputs(within, f);
	} else if (base && w->line)
		fprintf(f, " %s:%u", base, w->line);
	else if (base)
		fprintf(f, " %s", base);
	free(base);
}

/* Names of Python and JavaScript end with the file, which stands there once. */
static void cut_file(char *name, const char *file)
{
	const char *const base = sd_name_base(file);
	const size_t n = strlen(name), m = strlen(base);

	if (n > m + 1 && name[n - m - 1] == ' ' && strcmp(name + n - m, base) == 0)
		name[n - m - 1] = '\0';
}

/* Is this code that a runtime made? It has no file; that it has a name says enough. */
static int is_jit(const char *module)
{
	return strcmp(module, "[jit]") == 0;
}

char *sd_name_place(const struct sd_where *w, size_t columns)
{
	char *name = w->function ? sd_name_function(w->function) : strdup("??");
	char *shown, *rest = NULL, *out = NULL;
	char *module = w->module ? sd_sanitize(sd_name_base(w->module)) : NULL;
	size_t size = 0, used;
	FILE *f = open_memstream(&rest, &size);

	if (name && w->file)
		cut_file(name, w->file);
	shown = name ? sd_sanitize(name) : NULL;
	free(name);
	if (!f || !shown)
		goto out;
	if (w->function && w->file)
		put_file(f, w);
	else if (module && !(w->function && (w->function[0] == '[' || is_jit(module))))
		fprintf(f, " in %s", module);
	if (fclose(f) != 0)
		rest[0] = '\0';
	f = NULL;
	used = sd_page_columns(rest);
	cut(shown, columns > used + 8 ? columns - used : 8);
	if (asprintf(&out, "%s%s", shown, rest) < 0)
		out = NULL;
	if (out)
		cut(out, columns);
out:
	if (f)
		fclose(f);
	free(shown);
	free(module);
	free(rest);
	return out;
}

char *sd_name_chain(const struct sd_where *w, size_t columns)
{
	static const char then[] = " -> ";
	char *const from = w->from ? sd_name_function(w->from) : NULL;
	char *const in = w->in ? sd_name_function(w->in) : NULL;
	char *const place = sd_name_place(w, columns);
	char *out = NULL;

	if (place && (from || !w->from) && (in || !w->in) &&
		asprintf(&out, "%s%s%s%s%s", from ? from : "", from ? then : "", place,
			in ? then : "", in ? in : "") < 0)
		out = NULL;
	free(from);
	free(in);
	free(place);
	return out;
}
