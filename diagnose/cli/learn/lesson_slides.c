#include "learn/lesson_slides.h"

#include <errno.h>

#include "html/html_sections.h"
#include "learn/lesson_markup.h"
#include "output/output_file.h"
#include "page/markup.h"

struct slides {
	const struct sd_lesson_track *track;
	const struct sd_lesson_told *told;
	int notes;
};

/* Read from the last row of a room; space and Page Down go to the next one. */
static const char style[] =
	"html{scroll-snap-type:y proximity}body{font-size:1.5rem;max-width:90rem}"
	"section{min-height:100vh;padding:1rem 0;scroll-snap-align:start}"
	"h1{font-size:2.2rem}h2{font-size:1.6rem;margin-top:1rem}"
	".question{font-weight:600}summary{font-weight:600}nav a{text-decoration:none}"
	"@media print{section{min-height:0;break-after:page}details::details-content{display:block;"
	"content-visibility:visible}}";

static void put_contents(FILE *f, const struct sd_lesson_track *t)
{
	unsigned at = 0;

	fputs("<section><h1>Why does it not get faster?</h1>\n<nav><table><thead><tr><th>at</th>"
	      "<th>minutes</th><th class=\"left\">lesson</th></tr></thead><tbody>\n",
		f);
	for (size_t i = 0; i < t->n; i++) {
		const struct sd_lesson *const l = &t->item[i].lesson;

		fprintf(f, "<tr><td>%u:%02u</td><td>%u</td><td class=\"left\"><a href=\"#%s\">",
			at / 60, at % 60, l->duration, sd_lesson_name(t->item[i].files));
		sd_markup_xml(f, l->title);
		fputs("</a></td></tr>\n", f);
		at += l->duration;
	}
	fputs("</tbody></table></nav></section>\n", f);
}

static int put_lesson(FILE *f, const struct sd_lesson_track_item *item,
	const struct sd_lesson_told *told, int notes)
{
	const struct sd_lesson *const l = &item->lesson;
	int rc;

	fprintf(f, "<section id=\"%s\"><h1>", sd_lesson_name(item->files));
	sd_markup_xml(f, l->title);
	fputs("</h1>\n", f);
	sd_lesson_markup_program(
		f, "broken.c", item->files->broken, l->show_from, l->show_to, NULL);
	sd_lesson_markup_question(f, l, 1);
	fputs("</section>\n<section><details><summary>What the runs show</summary>\n", f);
	if (told->picture) {
		fputs(told->picture, f);
	} else {
		sd_lesson_picture_code(f, item->files);
		fprintf(f,
			"<p>Nothing was run for this page: <code>scalediag learn %s</code></p>\n",
			sd_lesson_name(item->files));
	}
	fputs("</details>\n<details><summary>Why</summary>\n", f);
	rc = sd_lesson_markup_chapter(f, "What to look for", l->look);
	rc = rc ? rc : sd_lesson_markup_chapter(f, "Why", l->why);
	rc = rc ? rc : sd_lesson_markup_chapter(f, "Exercises", l->exercises);
	if (!rc && notes)
		rc = sd_lesson_markup_chapter(f, "For the instructor", l->instructor);
	fputs("</details>\n</section>\n", f);
	return rc;
}

static int put(FILE *f, const void *data)
{
	const struct slides *const s = data;
	int rc = 0;

	sd_html_head(f, "workshop");
	fputs("<style>", f);
	fputs(sd_lesson_picture_style, f);
	fputs(style, f);
	fputs("</style>\n<main>\n", f);
	put_contents(f, s->track);
	for (size_t i = 0; i < s->track->n && !rc; i++)
		rc = put_lesson(f, &s->track->item[i], &s->told[i], s->notes);
	fputs("</main>\n</body>\n</html>\n", f);
	return rc ? rc : fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

enum sd_exit sd_lesson_slides_write(const struct sd_cli *cli, const struct sd_lesson_track *track,
	const struct sd_lesson_told *told, int notes, const char *path)
{
	const struct slides s = {track, told, notes};

	return sd_output_file_write(path, SD_OUTPUT_PAGE, put, &s, cli->sink) == 0
		       ? SD_EXIT_DONE
		       : SD_EXIT_MEASURE;
}
