#include "learn/lesson_track.h"

#include <errno.h>
#include <stdlib.h>

int sd_lesson_track_all(struct sd_lesson_track *out, const struct sd_sink *sink)
{
	size_t n = 0;
	int rc = 0;

	while (sd_lesson_files[n].folder)
		n++;
	*out = (struct sd_lesson_track){.item = calloc(n + 1, sizeof *out->item)};
	if (!out->item) {
		sd_say(sink, SD_LEVEL_ERROR, "out of memory");
		return -ENOMEM;
	}
	while (out->n < n && !rc) {
		struct sd_lesson_track_item *const item = &out->item[out->n];
		char name[128];

		item->files = &sd_lesson_files[out->n];
		snprintf(name, sizeof name, "%s/LESSON.md", item->files->folder);
		rc = sd_lesson_parse(item->files->text,
			(size_t)(item->files->text_end - item->files->text), name, &item->lesson,
			sink);
		out->minutes += item->lesson.duration;
		out->n++;
	}
	return rc;
}

static int compare(const void *x, const void *y)
{
	const struct sd_lesson_track_item *const a = x, *const b = y;

	return (a->lesson.place > b->lesson.place) - (a->lesson.place < b->lesson.place);
}

void sd_lesson_track_cut(struct sd_lesson_track *t, unsigned minutes)
{
	size_t kept = 0;

	qsort(t->item, t->n, sizeof *t->item, compare);
	t->minutes = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct sd_lesson_track_item *const item = &t->item[i];

		if (t->minutes + item->lesson.duration > minutes) {
			sd_lesson_free(&item->lesson);
			continue;
		}
		t->minutes += item->lesson.duration;
		t->item[kept++] = *item;
	}
	t->n = kept;
}

void sd_lesson_track_put(FILE *f, const struct sd_lesson_track *t)
{
	unsigned at = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct sd_lesson *const l = &t->item[i].lesson;

		fprintf(f, "  %u:%02u  %-22s%4u  %s\n", at / 60, at % 60,
			sd_lesson_name(t->item[i].files), l->duration, l->title);
		at += l->duration;
	}
	fprintf(f, "  %u:%02u  end\n", at / 60, at % 60);
}

void sd_lesson_track_free(struct sd_lesson_track *t)
{
	for (size_t i = 0; i < t->n; i++)
		sd_lesson_free(&t->item[i].lesson);
	free(t->item);
	*t = (struct sd_lesson_track){0};
}
