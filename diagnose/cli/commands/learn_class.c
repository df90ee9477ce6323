#include "commands/learn_class.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/one_more.h"
#include "base/regular_file.h"
#include "facts/fact_table.h"
#include "html/html_sections.h"
#include "check/lesson_check.h"
#include "output/output_file.h"
#include "page/markup.h"
#include "render/json_values.h"
#include "render/render.h"
#include "run/print_report.h"
#include "terminal/terminal_style.h"

#define SOURCE_MOST ((size_t)1 << 20) /* bytes */

struct student {
	char name[128]; /* of the folder */
	struct sd_lesson_grade got;
};

struct class
{
	struct student *row; /* owned */
	size_t n;
};

/* ---- folders --------------------------------------------------------------------------------- */

/* FOLDER/NAME/FILE; NULL: it cannot be read. The caller frees it. */
static char *read_file(const char *folder, const char *name, const char *file, size_t *size)
{
	unsigned char *text = NULL;
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s/%s", folder, name, file) < 0)
		return NULL;
	fd = sd_regular_file_open(path, 0, NULL);
	free(path);
	if (fd >= 0) {
		text = sd_regular_file_read(fd, SOURCE_MOST, size);
		close(fd);
	}
	return (char *)text;
}

static int no_hidden(const struct dirent *e)
{
	return *e->d_name != '.';
}

/* Calls `each` for what is called `file` in the folder itself, else in each folder in it, until it
 * returns another status. */
static enum sd_exit for_each(const char *folder, const char *file,
	enum sd_exit (*each)(void *ctx, const char *name, const char *text, size_t size), void *ctx)
{
	struct dirent **entry = NULL;
	size_t size = 0;
	char *text = read_file(folder, ".", file, &size);
	const char *const slash = strrchr(folder, '/');
	const int n = text ? 0 : scandir(folder, &entry, no_hidden, alphasort);
	enum sd_exit status = SD_EXIT_DONE;

	if (text)
		status = each(ctx, slash && slash[1] ? slash + 1 : folder, text, size);
	free(text);
	for (int i = 0; i < n; i++) {
		text = status == SD_EXIT_DONE ? read_file(folder, entry[i]->d_name, file, &size)
					      : NULL;
		if (text)
			status = each(ctx, entry[i]->d_name, text, size);
		free(text);
		free(entry[i]);
	}
	free(entry);
	return status;
}

struct search {
	const struct sd_lesson_track *track;
	const struct sd_lesson_track_item *found;
};

static enum sd_exit find_title(void *ctx, const char *name, const char *text, size_t size)
{
	struct search *const s = ctx;

	(void)name;
	(void)size;
	for (size_t i = 0; i < s->track->n && !s->found; i++) {
		const char *const title = s->track->item[i].lesson.title;
		const char *const at = strstr(text, title);

		if (at && strchr("\r\n", at[strlen(title)]))
			s->found = &s->track->item[i];
	}
	return s->found ? SD_EXIT_CHECK : SD_EXIT_DONE;
}

/* The lesson that the folder, or one in it, was exported from, by the title in its LESSON.md; NULL:
 * none is named there. */
static const struct sd_lesson_track_item *find_lesson(
	const char *folder, const struct sd_lesson_track *t)
{
	struct search s = {t, NULL};

	(void)for_each(folder, "LESSON.md", find_title, &s);
	return s.found;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define AT(field) .at = offsetof(struct student, field)

/* clang-format off */
static const struct sd_fact_column columns[] = {
	{"student", "student", SD_CELL_CHARS, AT(name), .width = 16},
	{"grade", "grade", SD_CELL_NAME, AT(got.grade), .names = sd_grade_name, .width = 10},
	{"gain", "gain", SD_CELL_INTERVAL, AT(got.gain), .decimals = 2, .width = 6, .half = 5},
	{"count_before", NULL, SD_CELL_VALUE, AT(got.before)},
	{"count_after", NULL, SD_CELL_VALUE, AT(got.after)},
	{"why", "because", SD_CELL_CHARS, AT(got.why), .layout = SD_LAYOUT_TAIL},
};
/* clang-format on */
static const struct sd_fact_table table = SD_FACT_TABLE(columns, struct student, );

static struct sd_fact_rows table_of(const struct class *g)
{
	return (struct sd_fact_rows){.table = &table, .row = g->row, .n = g->n, .runs = 2};
}

struct page {
	const struct sd_lesson_files *files;
	const struct sd_lesson *lesson;
	const struct class *grades;
};

static int put_page(FILE *f, const void *data)
{
	const struct page *const p = data;
	const struct sd_fact_rows rows = table_of(p->grades);

	sd_html_head(f, p->lesson->title);
	fputs("<main>\n<h1>", f);
	sd_markup_xml(f, p->lesson->title);
	fprintf(f, "</h1>\n<p>Graded by <code>scalediag learn --check</code>, lesson %s</p>\n",
		sd_lesson_name(p->files));
	sd_render_html_table(f, &rows);
	fputs("</main>\n</body>\n</html>\n", f);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}

struct grading {
	const struct sd_cli *cli;
	struct sd_lesson_check *check;
	struct class *class;
};

static enum sd_exit grade_one(void *ctx, const char *name, const char *text, size_t size)
{
	const struct grading *const g = ctx;
	struct student one = {0};
	enum sd_exit status;

	snprintf(one.name, sizeof one.name, "%s", name);
	sd_say(g->cli->sink, SD_LEVEL_NOTE, "%s", name);
	status = sd_lesson_check_source(g->check, text, size, &one.got);
	if (status == SD_EXIT_DONE && SD_APPEND(g->class->row, g->class->n, &one))
		status = SD_EXIT_MEASURE;
	return status;
}

static int print(const struct class *class, enum sd_class_format format)
{
	const struct sd_fact_rows rows = table_of(class);
	const struct sd_report_style style = sd_terminal_style_of(stdout, NULL);
	struct sd_page page;

	if (format == SD_CLASS_JSON)
		return sd_json_print(stdout, sd_render_json(&rows));
	if (format == SD_CLASS_CSV) {
		sd_render_csv(stdout, &rows);
		return ferror(stdout) ? -EIO : 0;
	}
	sd_page_begin(&page, stdout, &style);
	sd_render_text_table(&page, &rows, 1);
	return sd_page_end(&page);
}

/* All right; else, as by other commands that judge, a check that was not met. */
static enum sd_exit judge(const struct class *class)
{
	for (size_t i = 0; i < class->n; i++)
		if (class->row[i].got.grade != SD_GRADE_RIGHT)
			return SD_EXIT_CHECK;
	return SD_EXIT_DONE;
}

enum sd_exit sd_learn_class(const struct sd_cli *cli, const struct sd_lesson_track *t,
	const struct sd_lesson_track_item *item, const struct sd_learn_class_wish *wish)
{
	struct class class = {0};
	struct grading g = {.cli = cli, .class = &class};
	enum sd_exit status;

	item = item ? item : find_lesson(wish->folder, t);
	if (!item) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s: no LESSON.md there says which lesson it is: name it", wish->folder);
		return SD_EXIT_USAGE;
	}
	status = sd_lesson_check_open(&g.check, cli, item->files, &item->lesson, wish->run);
	status =
		status == SD_EXIT_DONE ? for_each(wish->folder, "broken.c", grade_one, &g) : status;
	sd_lesson_check_close(g.check);
	if (status == SD_EXIT_DONE && !class.n) {
		sd_say(cli->sink, SD_LEVEL_ERROR,
			"%s: holds no broken.c, and no folder of a student with one", wish->folder);
		status = SD_EXIT_USAGE;
	}
	if (status == SD_EXIT_DONE)
		status = sd_print_report_done(cli, print(&class, wish->format));
	if (status == SD_EXIT_DONE && wish->html) {
		const struct page p = {item->files, &item->lesson, &class};

		if (sd_output_file_write(wish->html, SD_OUTPUT_PAGE, put_page, &p, cli->sink) != 0)
			status = SD_EXIT_MEASURE;
	}
	status = status == SD_EXIT_DONE ? judge(&class) : status;
	free(class.row);
	return status;
}
