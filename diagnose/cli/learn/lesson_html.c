#include "learn/lesson_html.h"

#include <errno.h>
#include <stdio.h>

#include "html/html_sections.h"
#include "learn/lesson_diff.h"
#include "learn/lesson_markup.h"
#include "output/output_file.h"
#include "page/markup.h"

struct handout {
	const struct sd_lesson_files *files;
	const struct sd_lesson *lesson;
	const struct sd_lesson_told *told;
	int notes;
};

static void put_results(FILE *f, const struct sd_lesson_told *told)
{
	fputs("<h2>What the runs showed</h2>\n", f);
	if (!told->picture) {
		fputs("<p>Nothing was run for this page.</p>\n", f);
		return;
	}
	fputs(told->picture, f);
	fputs("<details><summary>Both diagnoses, and what changed</summary>\n<pre>", f);
	sd_lesson_markup_lines(f, told->results);
	fputs("</pre></details>\n", f);
}

static int put(FILE *f, const void *data)
{
	const struct handout *const h = data;
	struct sd_lesson_diff d;

	sd_html_head(f, h->lesson->title);
	fputs("<style>", f);
	fputs(sd_lesson_picture_style, f);
	fputs("</style>\n<main>\n<h1>", f);
	sd_markup_xml(f, h->lesson->title);
	fputs("</h1>\n<p>Compiled with ", f);
	sd_markup_xml(f, h->lesson->flags);
	fputs("</p>\n", f);
	sd_lesson_markup_program(f, "broken.c", h->files->broken, 1, 0, NULL);
	fputs("<h2>Before you run it</h2>\n", f);
	sd_lesson_markup_question(f, h->lesson, 1);
	sd_lesson_diff(h->files->broken, h->files->fixed, &d);
	sd_lesson_markup_program(f, "fixed.c", h->files->fixed, 1, 0, d.fixed);
	put_results(f, h->told);
	if (sd_lesson_markup_chapter(f, "What to look for", h->lesson->look) ||
		sd_lesson_markup_chapter(f, "Why", h->lesson->why) ||
		sd_lesson_markup_chapter(f, "Exercises", h->lesson->exercises))
		return -ENOMEM;
	fprintf(f,
		"<p><code>scalediag learn --export FOLDER %s</code> copies it, to edit and run "
		"again.</p>\n",
		sd_lesson_name(h->files));
	if (h->notes && sd_lesson_markup_chapter(f, "For the instructor", h->lesson->instructor))
		return -ENOMEM;
	fputs("</main>\n</body>\n</html>\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

enum sd_exit sd_lesson_html_write(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *l, const struct sd_lesson_told *told, int notes, const char *path)
{
	const struct handout h = {files, l, told, notes};

	return sd_output_file_write(path, SD_OUTPUT_PAGE, put, &h, cli->sink) == 0
		       ? SD_EXIT_DONE
		       : SD_EXIT_MEASURE;
}
