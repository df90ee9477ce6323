/*
 * The texts of a lesson as HTML, for its pages.
 */
#ifndef SD_LESSON_MARKUP_H
#define SD_LESSON_MARKUP_H

#include <stdio.h>

#include "learn/lesson.h"

/* Text line by line, tabs in front as four columns. */
void sd_lesson_markup_lines(FILE *f, const char *text);

/* Lines `from` to `to` of a program (from 1; to 0: all), with the numbers that reports name; those
 * whose flag (of line 1 first) is set are marked, NULL: none. */
void sd_lesson_markup_program(FILE *f, const char *title, const char *text, unsigned from,
	unsigned to, const unsigned char *flag);

/* The question and its choices; the answer, folded, where `answer`. */
void sd_lesson_markup_question(FILE *f, const struct sd_lesson *l, int answer);

/* A chapter: paragraphs and lists. 0 or -ENOMEM. */
int sd_lesson_markup_chapter(FILE *f, const char *title, const char *text);

#endif
