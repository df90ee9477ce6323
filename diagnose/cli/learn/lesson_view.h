/*
 * A lesson as text: the introduction, the results of the runs, and the conclusion.
 */
#ifndef SD_LESSON_VIEW_H
#define SD_LESSON_VIEW_H

#include "analysis/comparison.h"
#include "run/diagnosis.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"
#include "page/page.h"

/* The lines of broken.c that matter, with their numbers. */
void sd_lesson_view_broken(
	struct sd_page *p, const struct sd_lesson_files *files, const struct sd_lesson *l);

/* The difference to fixed.c: "-" lines of broken.c, "+" lines of fixed.c. */
void sd_lesson_view_difference(struct sd_page *p, const struct sd_lesson_files *files);

void sd_lesson_view_question(struct sd_page *p, const struct sd_lesson *l);
void sd_lesson_view_answer(struct sd_page *p, const struct sd_lesson *l, char guess);

/* Table, stack and causes of one version. */
void sd_lesson_view_diagnosis(struct sd_page *p, const struct sd_lesson *l, const char *version,
	const struct sd_diagnosis *d);

/* Says whether broken.c got the expected diagnosis, or that this machine does not show the effect.
 * Returns whether it shows. */
int sd_lesson_view_verdict(struct sd_page *p, const struct sd_lesson *l,
	const struct sd_diagnosis *broken, const struct sd_comparison *c);

/* Is the cause one of those that the lesson is about? */
int sd_lesson_expects(const struct sd_lesson *l, enum sd_cause cause);

/* Paragraphs, lists and code of Markdown. */
void sd_lesson_view_chapter(struct sd_page *p, const char *title, const char *text);

#endif
