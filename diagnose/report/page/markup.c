#include "page/markup.h"

#include <stdlib.h>
#include <string.h>

#include "page/sanitize.h"

void sd_markup_xml(FILE *f, const char *text)
{
	char *const clean = sd_sanitize(text ? text : "");

	for (const char *s = clean; s && *s; s++)
		switch (*s) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(*s, f);
		}
	free(clean);
}

/* Digits that no further colon follows: the line of a place. */
static int is_line_number(const char *s)
{
	const size_t digits = strspn(s, "0123456789");

	return digits > 0 && s[digits] != ':';
}

void sd_markup_markdown(FILE *f, const char *text)
{
	char *const clean = sd_sanitize(text ? text : "");

	for (const char *s = clean; s && *s; s++) {
		if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else if (*s == '@' || (*s == ':' && s[1] && s[1] != ' ' && !is_line_number(s + 1)))
			fprintf(f, "&#%d;", *s); /* no mention, link or picture comes of a name */
		else if (strchr("\\`*_[]|~#>!", *s))
			fprintf(f, "\\%c", *s);
		else
			fputc(*s, f);
	}
	free(clean);
}

void sd_markup_csv(FILE *f, const char *text)
{
	char *const clean = sd_sanitize(text ? text : "");
	const char *s = clean ? clean : "";
	const int formula = *s && strchr("=+-@\t", *s) != NULL;

	if (!strpbrk(s, ",\"\r\n") && !formula) {
		fputs(s, f);
	} else {
		fputc('"', f);
		if (formula)
			fputc('\'', f);
		for (; *s; s++) {
			if (*s == '"')
				fputc('"', f);
			fputc(*s, f);
		}
		fputc('"', f);
	}
	free(clean);
}
