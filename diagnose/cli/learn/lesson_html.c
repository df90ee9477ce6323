#include "learn/lesson_html.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/lesson_diff.h"
#include "page/markup.h"
#include "output/output_file.h"

struct handout {
	const struct sd_lesson_files *files;
	const struct sd_lesson *lesson;
	const char *results;
	int notes;
};

/* Line by line, since markup shows control characters, which the ends of lines are. */
static void put_lines(FILE *f, const char *text)
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

static void put_pre(FILE *f, const char *title, const char *text)
{
	fprintf(f, "<h2>%s</h2>\n<pre>", title);
	put_lines(f, text);
	fputs("</pre>\n", f);
}

/* With the numbers that reports name; lines whose flag is set are marked, NULL: none. */
static void put_program(FILE *f, const char *title, const char *text, const unsigned char *flag)
{
	char *const copy = strdup(text), *rest = copy;
	unsigned number = 0;

	fprintf(f, "<h2>%s</h2>\n<pre>", title);
	for (char *line = strsep(&rest, "\n"); line && (*line || rest);
		line = strsep(&rest, "\n"), number++) {
		const char *const mark =
			flag && number < SD_LESSON_DIFF_LINES && flag[number] ? "mark" : "span";

		fprintf(f, "<i>%3u</i>  <%s>", number + 1, mark);
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

static int put_chapter(FILE *f, const char *title, const char *text)
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

static void put_question(FILE *f, const struct sd_lesson *l)
{
	fputs("<h2>Before you run it</h2>\n<p>", f);
	sd_markup_xml(f, l->question);
	fputs("</p>\n<ol type=\"a\">\n", f);
	for (size_t i = 0; i < l->choice.n; i++) {
		fputs("<li>", f);
		sd_markup_xml(f, l->choice.text[i]);
		fputs("</li>\n", f);
	}
	fprintf(f, "</ol>\n<details><summary>Answer</summary><p>%s: ", l->answer);
	sd_markup_xml(f, l->choice.text[*l->answer - 'a']);
	fputs("</p></details>\n", f);
}

static int put(FILE *f, const void *data)
{
	const struct handout *const h = data;
	struct sd_lesson_diff d;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"generator\" content=\"scalediag " SD_VERSION "\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\">\n<title>",
		f);
	sd_markup_xml(f, h->lesson->title);
	fputs("</title>\n<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em "
	      "auto;padding:0 "
	      "1em}pre{overflow-x:auto;border:1px solid "
	      "#999;padding:.6em;font-size:85%}pre i{color:#777;font-style:normal}"
	      "@media print{pre{white-space:pre-wrap}}</style>\n</head>\n<body>\n<h1>",
		f);
	sd_markup_xml(f, h->lesson->title);
	fputs("</h1>\n", f);
	fputs("<p>Compiled with ", f);
	sd_markup_xml(f, h->lesson->flags);
	fputs("</p>\n", f);
	put_program(f, "broken.c", h->files->broken, NULL);
	put_question(f, h->lesson);
	sd_lesson_diff(h->files->broken, h->files->fixed, &d);
	put_program(f, "fixed.c", h->files->fixed, d.fixed);
	if (h->results)
		put_pre(f, "What the runs showed", h->results);
	else
		fputs("<h2>What the runs showed</h2>\n<p>Nothing was run for this page.</p>\n", f);
	if (put_chapter(f, "What to look for", h->lesson->look) ||
		put_chapter(f, "Why", h->lesson->why) ||
		put_chapter(f, "Exercises", h->lesson->exercises))
		return -ENOMEM;
	fprintf(f,
		"<p><code>scalediag learn --export FOLDER %s</code> copies it, to edit and run "
		"again.</p>\n",
		sd_lesson_name(h->files));
	if (h->notes && put_chapter(f, "For the instructor", h->lesson->instructor))
		return -ENOMEM;
	fputs("</body>\n</html>\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

enum sd_exit sd_lesson_html_write(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const char *results, int notes, const char *path)
{
	const struct handout h = {files, l, results, notes};

	return sd_output_file_write(path, SD_OUTPUT_PAGE, put, &h, cli->sink) == 0
		       ? SD_EXIT_DONE
		       : SD_EXIT_MEASURE;
}
