#include "import/script_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of C++ are long; what is longer than this is no line of a profile. */
enum { LINE = 8192 };

static void copy(char *to, size_t size, const char *from, size_t n)
{
	snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), from);
}

/* A text without blanks around it. */
static int line_of(const char *p, size_t length, char text[LINE])
{
	while (length && isspace((unsigned char)*p)) {
		p++;
		length--;
	}
	while (length && isspace((unsigned char)p[length - 1]))
		length--;
	if (length == 0 || length >= LINE)
		return 0;
	copy(text, LINE, p, length);
	return 1;
}

/* "15145.841373:" ends before the returned place; NULL: this is none. */
static const char *after_time(const char *p, double *out)
{
	char *end;

	if (!isdigit((unsigned char)*p))
		return NULL;
	for (const char *d = p; *d != ':'; d++)
		if (!isdigit((unsigned char)*d) && *d != '.')
			return NULL;
	*out = strtod(p, &end);
	return *end == ':' && memchr(p, '.', (size_t)(end - p)) && (end[1] == ' ' || end[1] == '\0')
		       ? end + 1
		       : NULL;
}

/* "app 13582/13599 [001]": what stands before the time. */
static int take_thread(const char *p, size_t n, struct sd_script_sample *out)
{
	size_t end = n, start;
	char *after;
	long tid;

	while (end && p[end - 1] == ' ')
		end--;
	if (end && p[end - 1] == ']') {
		while (end && p[end - 1] != '[')
			end--;
		end -= end > 0;
		while (end && p[end - 1] == ' ')
			end--;
	}
	for (start = end; start && (isdigit((unsigned char)p[start - 1]) || p[start - 1] == '/');)
		start--;
	if (start == end || start == 0 || p[start - 1] != ' ')
		return 0;
	for (size_t i = start; i < end; i++)
		if (p[i] == '/')
			start = i + 1;
	tid = strtol(p + start, &after, 10);
	if (after == p + start || tid < 0 || tid > 1 << 30)
		return 0;
	out->tid = (int)tid;
	while (start && (isdigit((unsigned char)p[start - 1]) || strchr("/ ", p[start - 1])))
		start--;
	copy(out->comm, sizeof out->comm, p, start);
	return 1;
}

int sd_script_lines_sample(
	const char *p, size_t length, struct sd_script_sample *out, struct sd_script_frame *frame)
{
	char text[LINE];
	const char *rest = NULL;
	size_t n;

	*out = (struct sd_script_sample){0};
	frame->module[0] = '\0';
	if (!line_of(p, length, text))
		return 0;
	for (const char *s = strchr(text, ' '); s && !rest; s = strchr(s + 1, ' ')) {
		rest = after_time(s + 1, &out->time);
		if (rest && !take_thread(text, (size_t)(s - text), out))
			rest = NULL;
	}
	if (!rest)
		return 0;
	rest += strspn(rest, " ");
	n = strspn(rest, "0123456789");
	if (n && n < 19 && rest[n] == ' ') {
		out->period = strtod(rest, NULL);
		rest += n + strspn(rest + n, " ");
	}
	/* the event ends at a colon and a blank, or with the line */
	for (n = 0; rest[n] && !(rest[n] == ':' && (rest[n + 1] == ' ' || !rest[n + 1])); n++)
		;
	if (n == 0 || !rest[n] || !isalpha((unsigned char)*rest))
		return 0;
	copy(out->event, sizeof out->event, rest, n);
	(void)sd_script_lines_frame(rest + n + 1, strlen(rest + n + 1), frame);
	return 1;
}

/* Start of the module: the last group in parentheses; NULL: there is none. */
static char *module_of(char *text)
{
	const size_t n = strlen(text);
	int depth = 0;

	if (n < 4 || text[n - 1] != ')')
		return NULL;
	for (size_t i = n; i-- > 1;) {
		depth += (text[i] == ')') - (text[i] == '(');
		if (depth == 0)
			return text[i - 1] == ' ' ? text + i : NULL;
	}
	return NULL;
}

int sd_script_lines_frame(const char *p, size_t length, struct sd_script_frame *out)
{
	char text[LINE], *symbol, *module, *plus;

	*out = (struct sd_script_frame){.line = 0};
	if (!line_of(p, length, text) || !isxdigit((unsigned char)*text))
		return 0;
	out->address = strtoull(text, &symbol, 16);
	module = module_of(text);
	if (*symbol != ' ' || !module || module <= symbol)
		return 0;
	symbol += strspn(symbol, " ");
	copy(out->module, sizeof out->module, module + 1, strlen(module) - 2);
	out->inlined = strcmp(out->module, "inlined") == 0;
	if (symbol >= module) /* an address and its module, without a symbol */
		return out->module[0] != '\0';
	module[-1] = '\0';
	plus = strrchr(symbol, '+');
	if (plus && strncmp(plus, "+0x", 3) == 0)
		*plus = '\0';
	if (strcmp(symbol, "[unknown]") != 0)
		copy(out->function, sizeof out->function, symbol, strlen(symbol));
	return out->module[0] != '\0';
}

int sd_script_lines_place(const char *p, size_t length, struct sd_script_frame *out)
{
	char text[LINE], *colon, *end;
	unsigned long line;

	if (!line_of(p, length, text) || out->line)
		return 0;
	colon = strrchr(text, ':');
	if (!colon || colon == text)
		return 0;
	line = strtoul(colon + 1, &end, 10);
	/* "a.c:12 (discriminator 3)" */
	if (end == colon + 1 || (*end && *end != ' ') || line > 10000000)
		return 0;
	copy(out->file, sizeof out->file, text, (size_t)(colon - text));
	out->line = (unsigned)line;
	return 1;
}
