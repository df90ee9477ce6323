#include "page/function_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code_place.h"

#define ANONYMOUS "(anonymous namespace)"

static int is_anonymous(const char *s)
{
	return strncmp(s, ANONYMOUS, sizeof ANONYMOUS - 1) == 0;
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

/* "void f<int>(int)": where the name begins, behind the type that templates are written with. */
static const char *after_type(const char *name)
{
	const char *begin = name, *s = name;
	int depth = 0;

	while (*s && strncmp(s, "operator", 8) != 0) {
		if (is_anonymous(s))
			s += sizeof ANONYMOUS - 2;
		else if (strncmp(s, "decltype(", 9) == 0)
			s = closing(s + 8, '(', ')') - 1;
		else if (depth == 0 && *s == '(')
			break;
		else if (depth == 0 && *s == ' ')
			begin = s + 1;
		depth += (*s == '<' || *s == '{') - (*s == '>' || *s == '}');
		s++;
	}
	/* HotSpot's "StubRoutines (1)" has no name behind a type */
	return *s && (*begin != '(' || is_anonymous(begin)) ? begin : name;
}

/* Does GCC add this to the name of a copy or part of a function: "f.constprop.0",
 * "f.part.0.cold"? */
static int is_copy(const char *s)
{
	static const char *const mark[] = {".constprop.", ".isra.", ".part.", ".lto_priv."};
	static const char cold[] = ".cold";

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
		if (strncmp(s, mark[i], strlen(mark[i])) == 0 &&
			strspn(s + strlen(mark[i]), "0123456789"))
			return 1;
	return strncmp(s, cold, sizeof cold - 1) == 0 && !s[sizeof cold - 1];
}

/* Without template arguments and parameters. */
static void put_call(FILE *f, const char *whole)
{
	const char *const name = after_type(whole);
	static const char word[] = "operator", dot[] = "%2e", stub[] = "@plt",
			  shape[] = "[go.shape.";
	const char *const in_package = package(name);
	const char *s = in_package ? in_package : name;
	const size_t n_name = strlen(name), n_stub = sizeof stub - 1;
	const int is_stub = n_name > n_stub && strcmp(name + n_name - n_stub, stub) == 0;

	while (*s && !(is_stub && s == name + n_name - n_stub)) {
		if (strncmp(s, word, sizeof word - 1) == 0) {
			const size_t n = sizeof word - 1 + operator_sign(s + sizeof word - 1);

			fwrite(s, 1, n, f);
			s += n;
		} else if (is_anonymous(s)) {
			fputs(ANONYMOUS, f);
			s += sizeof ANONYMOUS - 1;
		} else if (strncmp(s, shape, sizeof shape - 1) == 0) {
			fputs("[…]", f);
			s = closing(s, '[', ']');
		} else if (is_copy(s)) {
			break;
		} else if (*s == ' ' && s[1] == '(') {
			s++;
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

static void put_function(FILE *f, const char *name);

/* The first so many bytes of it, as a function of its own. */
static void put_outer(FILE *f, const char *name, size_t n)
{
	char *const outer = strndup(name, n);

	if (outer)
		put_function(f, outer);
	free(outer);
}

/* Bytes before the first of these marks; all: there is none. */
static size_t before(const char *name, const char *const *mark)
{
	const char *s = name;
	int depth = 0;

	while (*s) {
		for (size_t i = 0; depth == 0 && mark[i]; i++)
			if (strncmp(s, mark[i], strlen(mark[i])) == 0)
				return (size_t)(s - name);
		if (strncmp(s, "operator", 8) == 0)
			s += 8 + operator_sign(s + 8);
		else
			depth += (*s == '<' || *s == '(') - (*s == '>' || *s == ')'), s++;
	}
	return strlen(name);
}

/* Code that stands in a function, under a name that its compiler made up: gcc, clang; rustc. */
static int put_nested(FILE *f, const char *name)
{
	static const char *const region[] = {"._omp_fn.", ".omp_outlined", NULL};
	static const char *const lambda[] = {"::{lambda", "::<lambda", "::'lambda", "::$_", NULL};
	static const char *const closure[] = {"::{{closure}}", "::{closure#", NULL};
	static const struct {
		const char *word, *const *mark;
	} kind[] = {{"parallel region", region}, {"lambda", lambda}, {"closure", closure}};
	size_t length = 0;
	const char *const at = sd_code_place_region(name, &length);

	if (at) {
		fprintf(f, "parallel region at %.*s", (int)length, at);
		return 1;
	}
	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
		const size_t n = before(name, kind[i].mark);

		if (!name[n])
			continue;
		fputs(kind[i].word, f);
		/* older versions of clang do not say in which function */
		fputs(n ? " in " : "", f);
		if (n)
			put_outer(f, name, n);
		return 1;
	}
	return 0;
}

/* Procedures of Fortran's modules: gfortran, ifort, flang. */
static int put_fortran(FILE *f, const char *name)
{
	static const struct {
		const char *begin, *between, *end;
	} made[] = {{"__", "_MOD_", ""}, {"", "_mp_", "_"}, {"_QM", "P", ""}};
	const size_t n = strlen(name);

	if (strcmp(name, "MAIN__") == 0 || strcmp(name, "_QQmain") == 0) {
		fputs("main program", f);
		return 1;
	}
	if (name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")])
		return 0;
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		const size_t begin = strlen(made[i].begin), end = strlen(made[i].end);
		const char *const module = name + begin;
		const char *const at = strncmp(name, made[i].begin, begin) == 0
					       ? strstr(module, made[i].between)
					       : NULL;
		const char *const procedure = at ? at + strlen(made[i].between) : NULL;

		if (!at || at == module || procedure + end >= name + n ||
			strcmp(name + n - end, made[i].end) != 0)
			continue;
		fprintf(f, "%.*s::%.*s()", (int)(at - module), module,
			(int)(name + n - end - procedure), procedure);
		return 1;
	}
	return 0;
}

/* Puts a comprehension, which CPython 3.11 names "main.<locals>.<listcomp>", in the words of the
 * language: "comprehension in main()". Is it one? */
static int put_within(FILE *f, const char *function, size_t n)
{
	static const struct {
		const char *name, *words;
	} kind[] = {{"<listcomp>", "comprehension"}, {"<setcomp>", "comprehension"},
		{"<dictcomp>", "comprehension"}, {"<genexpr>", "generator"},
		{"<lambda>", "lambda"}};
	static const char locals[] = ".<locals>.";
	const char *const at = memmem(function, n, locals, sizeof locals - 1);

	for (size_t i = 0; at && i < sizeof kind / sizeof *kind; i++) {
		const size_t m = strlen(kind[i].name);

		if (n < m || strncmp(function + n - m, kind[i].name, m) != 0)
			continue;
		fprintf(f, "%s in %.*s()", kind[i].words, (int)(at - function), function);
		return 1;
	}
	return 0;
}

/* CPython's names for profilers: "py::Model.step:/home/me/app.py". */
static int put_python(FILE *f, const char *name)
{
	static const char begin[] = "py::";
	const char *const file = strrchr(name, ':');
	const char *const function = name + sizeof begin - 1;

	if (strncmp(name, begin, sizeof begin - 1) != 0 || file < function || !file[1])
		return 0;
	if (!put_within(f, function, (size_t)(file - function)))
		fprintf(f, "%.*s%s", (int)(file - function), function,
			*function == '<' ? "" : "()");
	fprintf(f, " %s", basename(file + 1));
	return 1;
}

/* V8's names for profilers: "LazyCompile:*run /srv/app.js:12:3". */
static int put_script(FILE *f, const char *name)
{
	static const char *const begin[] = {"LazyCompile:", "Function:", "JS:"};

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
		const size_t n = strlen(begin[i]);
		const char *function, *file, *column;

		if (strncmp(name, begin[i], n) != 0)
			continue;
		function = name + n + strspn(name + n, "*~^");
		file = strchr(function, ' ');
		column = strrchr(name, ':');
		if (!file || column < file)
			continue;
		if (file == function)
			fputs("anonymous function", f);
		else
			fprintf(f, "%.*s()", (int)(file - function), function);
		fprintf(f, " %.*s", (int)(column - basename(file + 1)), basename(file + 1));
		return 1;
	}
	return 0;
}

/* Rust's "<app::Slow as app::Score>::score": the type, and what follows. */
static int put_qualified(FILE *f, const char *name)
{
	const char *const end = *name == '<' ? closing(name, '<', '>') : name;
	const char *type = name + 1, *const stop = end - 1;
	int depth = 0;

	if (strncmp(end, "::", 2) != 0)
		return 0;
	type += strncmp(type, "&", 1) == 0;
	type += strncmp(type, "mut ", 4) == 0 || strncmp(type, "dyn ", 4) == 0 ? 4 : 0;
	for (; type < stop && (depth || strncmp(type, " as ", 4) != 0); type++) {
		depth += *type == '<';
		if (!depth)
			fputc(*type, f);
		depth -= *type == '>';
	}
	put_call(f, end);
	return 1;
}

static void put_function(FILE *f, const char *name)
{
	static const char internal[] = "__GI_"; /* glibc's own calls of what it exports */

	if (put_nested(f, name) || put_fortran(f, name) || put_python(f, name) ||
		put_script(f, name) || put_qualified(f, name))
		return;
	put_call(f, strncmp(name, internal, sizeof internal - 1) == 0 ? name + sizeof internal - 1
								      : name);
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
	put_function(f, function);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}
