/*
 * The sections of the HTML report. Everything in a chart is also in a table, so that the page says
 * the same without scripts, to a screen reader, and on paper. Errors are those of the stream.
 */
#ifndef SD_HTML_SECTIONS_H
#define SD_HTML_SECTIONS_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/contested_lines.h"
#include "record/record.h"
#include "page/report_style.h"
#include "render/html_values.h"

struct sd_document;
struct sd_view;

/* Put what was measured; and the first screen: the answer, a card for each cause that is worth a
 * start, the curve. It links to what a whole report has below; `s` NULL: the page has no more. */
void sd_html_header(FILE *f, const struct sd_view *v);
void sd_html_answer(FILE *f, const struct sd_view *v, const struct sd_report_style *s);

/* Puts the cores of each component, a column a count, shaded by the share. */
void sd_html_heat(FILE *f, const struct sd_view *v);

/* The counts that were not measured: folded. Nothing with a single count. */
void sd_html_outlook(FILE *f, const struct sd_analysis *a);

/* Loss by function, with lines; nothing without samples. Which functions wait for which locks, and
 * who holds them. */
void sd_html_losses(FILE *f, const struct sd_view *v);
void sd_html_sources(FILE *f, const struct sd_view *v, const struct sd_report_style *s);
void sd_html_lock_graph(FILE *f, const struct sd_analysis *a);

/* Functions by the counters' events, with their metrics. Nothing if none were sampled. */
void sd_html_events(FILE *f, const struct sd_analysis *a);

/* Experiments and what they showed; those that were not done, folded; contested lines, byte by byte
 * (NULL: not simulated). */
void sd_html_experiments(FILE *f, const struct sd_analysis *a);
void sd_html_experiments_not_done(FILE *f, const struct sd_analysis *a);
void sd_html_lines(FILE *f, const struct sd_record *r, const struct sd_contested_lines *l);
/* Before them, those of two sources side by side; NULL: there is none. */
void sd_html_lines_together(struct sd_document *b, const struct sd_record *r,
	const struct sd_contested_lines *own, const struct sd_contested_lines *other);

/* Every metric at every count; every run; how it was measured. */
void sd_html_metrics(FILE *f, const struct sd_analysis *a);
void sd_html_runs(FILE *f, const struct sd_record *r);

/* The machine, drawn by what its CPUs share. Nothing if the record has no layout. */
void sd_html_machine(FILE *f, const struct sd_record *r);

/* The charts' data, as JSON that is safe inside a script element. 0 or -ENOMEM. */
int sd_html_data(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *style);

/* ,"stacks":{...}: of flame graphs and the timeline; NULL and what it lacks are empty. 0 or
 * -ENOMEM. */
int sd_html_stacks_data(FILE *f, const struct sd_record *r, const struct sd_report_style *style);

/* The parts of a page: head and styles; a chart by its name in the script; "</main>" and the start
 * of the data; after the data the scripts and the end. */
void sd_html_head(FILE *f, const char *title);
void sd_html_chart(FILE *f, const char *id, const char *title);
void sd_html_scripts(FILE *f);
void sd_html_end(FILE *f);

/* JSON inside a script element: compact, and no text in it can end the element. */
void sd_html_json(FILE *f, const char *json);

#endif
