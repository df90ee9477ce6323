#include "page/short_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"
#include "page/page.h"

/* What follows the last '/'. */
const char *sd_name_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *sd_name_from_folder(const char *file, const char *folder)
{
	size_t n = folder ? strlen(folder) : 0;

	while (n && folder[n - 1] == '/')
		n--;
	while (strncmp(file, "./", 2) == 0)
		file += strspn(file + 1, "/") + 1;
	if (n && strncmp(file, folder, n) == 0 && file[n] == '/' && file[n + strspn(file + n, "/")])
		return file + n + strspn(file + n, "/");
	return file;
}

/* Bytes of an operator's own sign after "operator", which are no brackets of others. */
static size_t operator_sign(const char *s)
{
	static const char *const sign[] = {
		"()", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"};

	for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
		if (strncmp(s, sign[i], strlen(sign[i])) == 0)
			return strlen(sign[i]);
	return 0;
}

/* The end of what the bracket at s encloses, or of the text. */
static const char *closing(const char *s, char open, char close)
{
	int depth = 0;

	for (; *s; s++) {
		depth += (*s == open) - (*s == close && s[-1] != '-');
		if (depth == 0)
			return s + 1;
	}
	return s;
}

/* 1: no name but what code without a symbol has, "[module+0x1340]", as it stands there. */
static int is_offset(const char *function)
{
	return function[0] == '[';
}

/*
 * Go's names begin with the path of the package, and in its last part the linker writes dots as %2e
 * ("example.com/yaml%2ev3.(*decoder).mapping"). The name from that part on; NULL: not one of those.
 */
static const char *package(const char *name)
{
	static const char path[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				   "/._-~@%";
	const size_t n = strspn(name, path);
	const char *slash = memrchr(name, '/', n), *before;

	if (!slash || !memchr(slash, '.', (size_t)(name + n - slash)) ||
		(name[n] && name[n] != '(' && name[n] != '['))
		return NULL;
	/* a major version alone names nothing: "mapstructure/v2.Decode" */
	if (slash[1] == 'v' && slash[2 + strspn(slash + 2, "0123456789")] == '.') {
		before = memrchr(name, '/', (size_t)(slash - name));
		return before ? before + 1 : name;
	}
	return slash + 1;
}

static void put_short(FILE *f, const char *name)
{
	static const char word[] = "operator", anonymous[] = "(anonymous namespace)", dot[] = "%2e",
			  stub[] = "@plt";
	const char *const in_package = package(name);
	const char *s = in_package ? in_package : name;
	const size_t n_name = strlen(name), n_stub = sizeof stub - 1;
	const int is_stub = n_name > n_stub && strcmp(name + n_name - n_stub, stub) == 0;

	while (*s && !(is_stub && s == name + n_name - n_stub)) {
		if (strncmp(s, word, sizeof word - 1) == 0) {
			const size_t n = sizeof word - 1 + operator_sign(s + sizeof word - 1);

			fwrite(s, 1, n, f);
			s += n;
		} else if (strncmp(s, anonymous, sizeof anonymous - 1) == 0) {
			fputs(anonymous, f);
			s += sizeof anonymous - 1;
		} else if (*s == '<') {
			fputs("<…>", f);
			s = closing(s, '<', '>');
		} else if (in_package && strncmp(s, dot, sizeof dot - 1) == 0) {
			fputc('.', f);
			s += sizeof dot - 1;
		} else if (strncmp(s, "(*", 2) == 0 && s > name && s[-1] == '.') {
			/* of Go: the receiver of a method */
			const char *const end = closing(s, '(', ')');

			fwrite(s, 1, (size_t)(end - s), f);
			s = end;
		} else if (*s == '(') {
			s = closing(s, '(', ')');
			/* what follows the parameters of a lambda's function belongs to the name */
			if (strncmp(s, "::", 2) != 0 && strncmp(s, " const::", 8) != 0)
				break;
		} else {
			fputc(*s++, f);
		}
	}
	fputs(is_stub ? "()@plt" : "()", f);
}

/* What compilers call the body of an OpenMP region after the function it stands in: gcc, clang. */
static size_t before_outlined(const char *function)
{
	static const char *const mark[] = {"._omp_fn.", ".omp_outlined"};

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
		const char *const at = strstr(function, mark[i]);

		if (at)
			return (size_t)(at - function);
	}
	return strlen(function);
}

/* "parallel region in solve()"; older versions of clang do not say in which function. */
static int put_region(FILE *f, const char *function)
{
	const size_t n = before_outlined(function);
	char *outer = function[n] ? strndup(function, n) : NULL;

	if (!outer)
		return 0;
	fputs(n ? "parallel region in " : "parallel region", f);
	if (n)
		put_short(f, outer);
	free(outer);
	return 1;
}

char *sd_name_function(const char *function)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f;

	if (is_offset(function))
		return strdup(function);
	f = open_memstream(&out, &size);
	if (!f)
		return NULL;
	if (!put_region(f, function))
		put_short(f, function);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
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

	if (base && w->line)
		fprintf(f, " %s:%u", base, w->line);
	else if (base)
		fprintf(f, " %s", base);
	free(base);
}

char *sd_name_place(const struct sd_where *w, size_t columns)
{
	char *name = w->function ? sd_name_function(w->function) : strdup("??");
	char *shown = name ? sd_sanitize(name) : NULL, *rest = NULL, *out = NULL;
	char *module = w->module ? sd_sanitize(sd_name_base(w->module)) : NULL;
	size_t size = 0, used;
	FILE *f = open_memstream(&rest, &size);

	free(name);
	if (!f || !shown)
		goto out;
	if (w->function && w->file)
		put_file(f, w);
	else if (module && !(w->function && is_offset(w->function)))
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
