#include "help/topics.h"

#include <string.h>

const char *sd_topics_find(const char *name)
{
	for (const struct sd_topic *t = sd_topics; t->name; t++)
		if (strcmp(t->name, name) == 0)
			return t->text;
	return NULL;
}

void sd_topics_summary(const char *text, char *out, size_t size)
{
	const char *const dash = strstr(text, " - ");
	const size_t n = dash ? strcspn(dash + 3, "\n") : 0;

	snprintf(out, size, "%.*s", (int)n, dash ? dash + 3 : "");
}

void sd_topics_list(FILE *f, const struct sd_cli *cli)
{
	(void)cli;
	fputs("Topics:\n", f);
	for (const struct sd_topic *t = sd_topics; t->name; t++) {
		char summary[160];

		sd_topics_summary(t->text, summary, sizeof summary);
		fprintf(f, "  %-14s %s\n", t->name, summary);
	}
}

/* ---- scdoc's markup as text ------------------------------------------------------------------ */

struct printer {
	FILE *f;
	int bold; /* the terminal can show it */
	int on;   /* it is on */
	int literal;
};

static void toggle(struct printer *p)
{
	p->on = !p->on;
	if (p->bold)
		fputs(p->on ? "\033[1m" : "\033[0m", p->f);
}

/* *bold*, _argument_ between words, \ before a sign that is meant. */
static void print_inline(struct printer *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int inside = i > 0 && i + 1 < n && s[i - 1] != ' ' && s[i + 1] != ' ' &&
				   strchr(".,;:()[]/=", s[i - 1]) == NULL &&
				   strchr(".,;:()[]/=", s[i + 1]) == NULL;

		if (s[i] == '\\' && i + 1 < n)
			fputc(s[++i], p->f);
		else if (s[i] == '*')
			toggle(p);
		else if (s[i] == '_' && !inside)
			continue;
		else
			fputc(s[i], p->f);
	}
	if (p->on)
		toggle(p);
}

static void print_line(struct printer *p, const char *s, size_t n)
{
	const size_t indent = strspn(s, "\t");

	if (n >= 3 && strncmp(s + (indent < n ? indent : 0), "```", 3) == 0) {
		p->literal = !p->literal;
		return;
	}
	if (!p->literal && s[0] == '#') {
		const size_t level = strspn(s, "# ");

		toggle(p);
		fwrite(s + level, 1, n - level, p->f);
		toggle(p);
	} else if (n > indent) {
		fprintf(p->f, "%*s", (int)(4 * indent + 3), "");
		if (p->literal)
			fwrite(s + indent, 1, n - indent, p->f);
		else
			print_inline(p, s + indent, n - indent);
	}
	fputc('\n', p->f);
}

/* The first line is the page's title, which scdoc wants and nobody needs on a terminal. */
void sd_topics_print(FILE *f, const char *text, int bold)
{
	struct printer p = {.f = f, .bold = bold};

	text += strcspn(text, "\n");
	text += strspn(text, "\n");
	while (*text) {
		const size_t n = strcspn(text, "\n");

		print_line(&p, text, n);
		text += n + (text[n] == '\n');
	}
}
