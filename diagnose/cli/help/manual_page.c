#include "help/manual_page.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "help/version_text.h"
#include "options/option_grammar.h"

#define COLUMNS 78

/* Position in a page. */
struct page {
	FILE *f;
	int heading; /* nothing stands below the last heading yet: a paragraph needs no mark */
	int gap;     /* the last paragraph has ended */
	size_t column;
};

static void end_line(struct page *p)
{
	if (p->column)
		fputc('\n', p->f);
	p->column = 0;
}

/* A paragraph ends here, if another follows: mandoc wants none below a heading or before one. */
static void end_paragraph(struct page *p)
{
	end_line(p);
	p->gap = !p->heading;
}

static void put_request(struct page *p, const char *request)
{
	const int heading = strncmp(request, ".SH", 3) == 0;

	end_line(p);
	if (p->gap && !heading && strcmp(request, ".TP") != 0)
		fputs(".PP\n", p->f);
	p->gap = 0;
	fprintf(p->f, "%s\n", request);
	p->heading = heading;
}

/* A sign that means itself: no escape, and no minus that becomes a hyphen. */
static void put_sign(FILE *f, const char *s, size_t i)
{
	if (s[i] == '\\')
		fputs("\\e", f);
	else if (s[i] == '-' && (i == 0 || s[i - 1] == ' ' || s[i - 1] == '-'))
		fputs("\\-", f);
	else
		fputc(s[i], f);
}

/* Text that means itself; a line that would begin as a request does not. */
static void put_text(struct page *p, const char *s, size_t n)
{
	if (p->column == 0 && p->gap)
		fputs(".PP\n", p->f);
	p->gap = 0;
	if (p->column == 0 && n > 0 && (s[0] == '.' || s[0] == '\''))
		fputs("\\&", p->f);
	for (size_t i = 0; i < n; i++)
		put_sign(p->f, s, i);
	p->column += n;
	p->heading = 0;
}

/* Filled: a line ends where it is full. */
static void put_words(struct page *p, const char *s, size_t n)
{
	while (n > 0) {
		const size_t blanks = strspn(s, " "), gap = blanks < n ? blanks : n;
		const size_t rest = strcspn(s + gap, " "), word = rest < n - gap ? rest : n - gap;

		s += gap;
		n -= gap;
		if (word && p->column && p->column + 1 + word > COLUMNS)
			end_line(p);
		if (word && p->column) {
			fputc(' ', p->f);
			p->column++;
		}
		put_text(p, s, word);
		s += word;
		n -= word;
	}
}

static size_t line_length(const char *s)
{
	return strcspn(s, "\n");
}

static const char *next_line(const char *s)
{
	s += line_length(s);
	return s + (*s == '\n');
}

static int is_indented(const char *s)
{
	return s[0] == ' ' && s[1] == ' ';
}

enum lines { ALL, FILLED, LITERAL };

/* Lines of --help: those indented stand as they are, others are filled. */
static void put_lines(struct page *p, const char *s, const char *end, enum lines which)
{
	int literal = 0;

	for (; s < end; s = next_line(s)) {
		const size_t n = line_length(s);
		const int indented = is_indented(s);

		if (n == 0 && !literal)
			end_paragraph(p);
		if (n == 0 || (which != ALL && indented != (which == LITERAL)))
			continue;
		if (indented && !literal) {
			end_paragraph(p);
			put_request(p, ".RS 4");
			put_request(p, ".nf");
		} else if (!indented && literal) {
			put_request(p, ".fi");
			put_request(p, ".RE");
			end_paragraph(p);
		}
		literal = indented;
		if (indented) {
			put_text(p, s + 2, n - 2);
			end_line(p);
		} else {
			put_words(p, s, n);
		}
	}
	if (literal) {
		put_request(p, ".fi");
		put_request(p, ".RE");
	}
	end_line(p);
}

static int put_option(void *ctx, const struct argp_option *o)
{
	const int optional = (o->flags & OPTION_ARG_OPTIONAL) != 0;
	struct page *const p = ctx;
	FILE *const f = p->f;

	if (o->flags & OPTION_HIDDEN)
		return 0;
	put_request(p, ".TP");
	if (o->key > ' ' && o->key < 127)
		fprintf(f, "\\fB\\-%c\\fR, ", o->key);
	fputs("\\fB\\-\\-", f);
	for (const char *c = o->name; *c; c++)
		fputs(*c == '-' ? "\\-" : (char[2]){*c, '\0'}, f);
	fputs("\\fR", f);
	if (o->arg)
		fprintf(f, "%s=\\fI%s\\fR%s", optional ? "[" : "", o->arg, optional ? "]" : "");
	fputc('\n', f);
	put_words(p, o->doc, strlen(o->doc));
	fputs(".", f);
	end_line(p);
	return 0;
}

/* Puts the list that a function of the command's row prints, as text. */
static int put_list(
	struct page *p, const struct sd_cli *cli, void (*list)(FILE *f, const struct sd_cli *cli))
{
	char *text = NULL;
	size_t size = 0;
	FILE *const m = list ? open_memstream(&text, &size) : NULL;
	int rc = 0;

	if (m) {
		list(m, cli);
		rc = fclose(m) ? -ENOMEM : 0;
		end_paragraph(p);
		if (!rc)
			put_lines(p, text, text + size, ALL);
	} else if (list) {
		rc = -ENOMEM;
	}
	free(text);
	return rc;
}

static void put_name(FILE *f, const struct sd_command *c)
{
	char upper[32];
	size_t i = 0;

	for (; c->name[i] && i + 1 < sizeof upper; i++)
		upper[i] = (char)toupper((unsigned char)c->name[i]);
	upper[i] = '\0';
	fprintf(f, ".TH SCALEDIAG\\-%s 1 %s \"scalediag " SD_VERSION "\" \"User Commands\"\n",
		upper, sd_version_date);
	fprintf(f, ".SH NAME\nscalediag\\-%s \\-\n%s\n.SH SYNOPSIS\n.B scalediag %s\n", c->name,
		c->summary, c->name);
	fputs("[\\fIOPTION\\fR...]", f);
	if (c->argp->args_doc)
		fprintf(f, " \\fI%s\\fR", c->argp->args_doc);
	fputc('\n', f);
}

int sd_manual_page(FILE *f, const struct sd_cli *cli, const struct sd_command *c)
{
	const char *const doc = c->argp->doc, *const end = strchrnul(doc, '\v');
	struct page p = {.f = f};
	int rc;

	put_name(f, c);
	put_request(&p, ".SH DESCRIPTION");
	put_lines(&p, doc, end, FILLED);
	put_request(&p, ".SH EXAMPLES");
	put_lines(&p, doc, end, LITERAL);
	put_request(&p, ".SH OPTIONS");
	rc = sd_option_grammar_each(c->argp, put_option, &p);
	put_request(&p, ".SH NOTES");
	if (*end)
		put_lines(&p, end + 1, end + 1 + strlen(end + 1), ALL);
	if (!rc)
		rc = put_list(&p, cli, c->above);
	if (!rc)
		rc = put_list(&p, cli, c->below);
	end_paragraph(&p);
	fputs(p.gap ? ".PP\n" : "", f);
	fputs("Exit statuses are those of\n.BR scalediag (1).\n"
	      ".SH SEE ALSO\n.BR scalediag (1)\n",
		f);
	return rc;
}
