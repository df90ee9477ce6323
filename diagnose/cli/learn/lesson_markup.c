#include "learn/lesson_markup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "learn/lesson_diff.h"
#include "page/markup.h"

/* Line by line, since markup shows control characters, which the ends of lines are. */
void sd_lesson_markup_lines(FILE *f, const char *text)
{
	char *const copy = strdup(text ? text : "");

	for (char *at = copy; at && *at;) {
		char *const end = at + strcspn(at, "\n");
		const int more = *end == '\n';

		*end = '\0';
		for (; *at == '\t'; at++)
			fputs("    ", f);
		sd_markup_xml(f, at);
		fputc('\n', f);
		at = end + more;
	}
	free(copy);
}

void sd_lesson_markup_program(FILE *f, const char *title, const char *text, unsigned from,
	unsigned to, const unsigned char *flag)
{
	char *const copy = strdup(text), *rest = copy;
	unsigned number = 1;

	fprintf(f, "<h2>%s</h2>\n<pre>", title);
	for (char *line = strsep(&rest, "\n"); line && (*line || rest) && (!to || number <= to);
		line = strsep(&rest, "\n"), number++) {
		const char *const mark = flag && number <= SD_LESSON_DIFF_LINES && flag[number - 1]
						 ? "mark"
						 : "span";

		if (number < from)
			continue;
		fprintf(f, "<i>%3u</i>  <%s>", number, mark);
		for (; *line == '\t'; line++)
			fputs("    ", f);
		sd_markup_xml(f, line);
		fprintf(f, "</%s>\n", mark);
	}
	fputs("</pre>\n", f);
	free(copy);
}

/* Chapters are short Markdown: paragraphs of a line each, and lists. Between `quotes` is code. */
static void put_inline(FILE *f, char *text)
{
	int code = 0;

	for (char *part = strsep(&text, "`"); part; part = strsep(&text, "`")) {
		sd_markup_xml(f, part);
		if (text)
			fputs((code = !code) ? "<code>" : "</code>", f);
	}
	if (code)
		fputs("</code>", f);
}

int sd_lesson_markup_chapter(FILE *f, const char *title, const char *text)
{
	char *const copy = strdup(text), *rest = copy;
	int list = 0;

	if (!copy)
		return -ENOMEM;
	fprintf(f, "<h2>%s</h2>\n", title);
	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
		const int item = strncmp(line, "- ", 2) == 0;

		if (item != list)
			fputs((list = item) ? "<ul>\n" : "</ul>\n", f);
		if (!*line)
			continue;
		fputs(item ? "<li>" : "<p>", f);
		put_inline(f, item ? line + 2 : line);
		fputs(item ? "</li>\n" : "</p>\n", f);
	}
	if (list)
		fputs("</ul>\n", f);
	free(copy);
	return 0;
}

void sd_lesson_markup_question(FILE *f, const struct sd_lesson *l, int answer)
{
	fputs("<p class=\"question\">", f);
	sd_markup_xml(f, l->question);
	fputs("</p>\n<ol type=\"a\">\n", f);
	for (size_t i = 0; i < l->choice.n; i++) {
		fputs("<li>", f);
		sd_markup_xml(f, l->choice.text[i]);
		fputs("</li>\n", f);
	}
	fputs("</ol>\n", f);
	if (!answer)
		return;
	fprintf(f, "<details><summary>Answer</summary><p>%s: ", l->answer);
	sd_markup_xml(f, l->choice.text[*l->answer - 'a']);
	fputs("</p></details>\n", f);
}
