/*
 * The line in which a run of tests/doses/dose.c says what its causes cost:
 *
 *   THREADS WALL CPU READY {NAME MET COST}...
 *
 * WALL s of the run; CPU s of all threads, READY s that they
 * could have run and had no CPU, as the kernel says; MET the share of the cause's part of the work
 * that met it, by its own count of work and not by the dial; COST s of all threads in the cause's
 * steps, by the clock.
 */
#ifndef DOSE_LOG_H
#define DOSE_LOG_H

#include <stdio.h>
#include <string.h>

#define DOSE_TOGETHER 2 /* causes in one run */
#define DOSE_NAME 16
#define DOSE_TEXT 256

struct dose_line {
	unsigned threads;
	double wall, cpu, ready; /* s */
	size_t n;
	struct {
		char name[DOSE_NAME];
		double met, cost;
	} cause[DOSE_TOGETHER];
};

static inline void dose_write(const struct dose_line *l, char text[DOSE_TEXT])
{
	size_t n = (size_t)snprintf(
		text, DOSE_TEXT, "%u %.6f %.6f %.6f", l->threads, l->wall, l->cpu, l->ready);

	for (size_t i = 0; i < l->n; i++)
		n += (size_t)snprintf(text + n, DOSE_TEXT - n, " %s %.6f %.6f", l->cause[i].name,
			l->cause[i].met, l->cause[i].cost);
	snprintf(text + n, DOSE_TEXT - n, "\n");
}

/* 0, or -1 where it is no such line. */
static inline int dose_read(const char *text, struct dose_line *l)
{
	int at = 0, more = 0;

	*l = (struct dose_line){0};
	if (sscanf(text, "%u %lf %lf %lf%n", &l->threads, &l->wall, &l->cpu, &l->ready, &at) != 4)
		return -1;
	while (l->n < DOSE_TOGETHER &&
		sscanf(text + at, " %15s %lf %lf%n", l->cause[l->n].name, &l->cause[l->n].met,
			&l->cause[l->n].cost, &more) == 3) {
		at += more;
		l->n++;
	}
	return l->n > 0 && l->threads > 0 && l->wall > 0 && strcmp(text + at, "\n") == 0 ? 0 : -1;
}

#endif
