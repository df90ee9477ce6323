/*
 * Pairs of facts in one report (as JSON) that contradict each other. Each is a relation that a
 * reader would hold a report to: what it calls no effect has none, no core is lost twice, advice is
 * for something the program has, one piece of code is one row.
 */
#ifndef SD_TESTS_CONTRADICTIONS_H
#define SD_TESTS_CONTRADICTIONS_H

#include <regex.h>

#include "support/contradiction_facts.h"

/* ---- effects that are called none ------------------------------------------------------------ */

static inline int contradictions_says_none(const char *text)
{
	static const char *const none[] = {
		"change nothing", "no difference", "does not matter", "do not matter"};

	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (strstr(text, none[i]))
			return 1;
	return 0;
}

/* Does the sentence tell of this experiment? Its own sentences do. */
static inline int contradictions_is_about(const char *experiment, const char *text)
{
	static const struct {
		const char *experiment, *words;
	} row[] = {{"padding", "between allocations"}, {"allocator", "another allocator"},
		{"huge-pages", "huge pages for malloc"}, {"base-pages", "without huge pages"},
		{"prefetchers", "prefetchers"}, {"interleave", "nterleaved"}};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (strcmp(row[i].experiment, experiment) == 0 && strstr(text, row[i].words))
			return 1;
	return 0;
}

/* Is 1 outside of the interval, by what matters? */
static inline int contradictions_has_effect(const json_t *ratio)
{
	const double v = contradictions_number(ratio, "value");

	return (contradictions_number(ratio, "low") > 1 ||
		       contradictions_number(ratio, "high") < 1) &&
	       fabs(v - 1) >= CONTRADICTIONS_GATE;
}

static inline void contradictions_effects(struct contradictions *c)
{
	const json_t *experiment, *finding, *text;
	size_t i, j, k;

	json_array_foreach(json_object_get(c->report, "experiments"), i, experiment)
	{
		const char *const name = contradictions_text(experiment, "name");

		if (!contradictions_has_effect(json_object_get(experiment, "time_ratio")))
			continue;
		json_array_foreach(json_object_get(experiment, "seen"), k, text)
		{
			if (contradictions_says_none(json_string_value(text)))
				contradictions_add(c, "%s has an effect, and: %s", name,
					json_string_value(text));
		}
		json_array_foreach(json_object_get(c->report, "findings"), j, finding)
		{
			json_array_foreach(json_object_get(finding, "evidence"), k, text)
			{
				if (contradictions_is_about(name, json_string_value(text)) &&
					contradictions_says_none(json_string_value(text)))
					contradictions_add(c, "%s has an effect, and: %s", name,
						json_string_value(text));
			}
		}
	}
}

/* ---- cores that are lost twice --------------------------------------------------------------- */

static inline double contradictions_component(const json_t *point, const char *name)
{
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(point, "stack"), i, part)
	{
		if (strcmp(contradictions_text(part, "component"), name) == 0)
			return contradictions_value(part, "cores");
	}
	return NAN;
}

/* Cores that are lost in all: gains of some components let others lose more than N - S. */
static inline double contradictions_lost(const json_t *point)
{
	const json_t *part;
	double sum = 0;
	size_t i;

	json_array_foreach(json_object_get(point, "stack"), i, part)
	{
		const double v = contradictions_value(part, "cores");

		if (strcmp(contradictions_text(part, "component"), "useful") != 0 && v > 0)
			sum += v;
	}
	return sum;
}

/* Are instructions beyond the reference's left open: work, or waiting in loops? */
static inline int contradictions_work_is_open(const json_t *report)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, f)
	{
		if (strcmp(contradictions_text(f, "cause"), "extra-work") == 0)
			return strcmp(contradictions_text(f, "verdict"), "possible") == 0 &&
			       isnan(contradictions_value(f, "cores"));
	}
	return 0;
}

static inline void contradictions_amounts(struct contradictions *c)
{
	const json_t *const point = contradictions_last(c->report), *finding;
	const double n = contradictions_number(point, "n"), lost = contradictions_lost(point),
		     open = contradictions_value(c->report, "undecided_cores");
	double least = 0, grown = 0, growth = contradictions_component(point, "growth");
	size_t i;

	if (isnan(growth))
		growth = contradictions_component(point, "cpi-other");
	if (contradictions_work_is_open(c->report) &&
		!isnan(contradictions_component(point, "instructions")))
		growth += contradictions_component(point, "instructions");
	json_array_foreach(json_object_get(c->report, "findings"), i, finding)
	{
		const double v = contradictions_value(finding, "cores"),
			     low = contradictions_number(json_object_get(finding, "cores"), "low");

		if (!contradictions_claimed(finding) || isnan(v) ||
			json_is_true(json_object_get(finding, "contradicted")))
			continue;
		if (v > lost + CONTRADICTIONS_GATE * n)
			contradictions_add(c, "%s takes %.2f cores of %.2f that are lost",
				contradictions_text(finding, "cause"), v, lost);
		least += low > 0 ? low : 0;
		if (json_is_true(json_object_get(finding, "of_growth")))
			grown += v;
	}
	if (least > lost + CONTRADICTIONS_GATE * n)
		contradictions_add(
			c, "findings take at least %.2f cores of %.2f that are lost", least, lost);
	if (!isnan(open) && !isnan(growth) && open + grown > growth + CONTRADICTIONS_GATE * n)
		contradictions_add(c,
			"%.2f cores of growth are undecided and %.2f have a cause, of %.2f", open,
			grown, growth);
}

/* ---- advice for what the program does not have ----------------------------------------------- */

struct contradictions_facts {
	int openmp, processes, interpreter; /* 1 yes, 0 no; openmp -1 unknown */
};

static inline struct contradictions_facts contradictions_facts(const json_t *report)
{
	const json_t *const k = json_object_get(report, "constructs");
	const json_t *const openmp = json_object_get(k, "openmp");
	const json_t *const lock = json_array_get(json_object_get(report, "locks"), 0);
	const json_t *const waiter = json_array_get(json_object_get(lock, "waiters"), 0);

	return (struct contradictions_facts){
		.openmp = json_is_true(openmp)    ? 1
			  : json_is_false(openmp) ? 0
						  : -1,
		.processes = json_is_true(json_object_get(k, "processes")) &&
			     json_is_false(json_object_get(k, "threads")),
		.interpreter = strcmp(contradictions_text(lock, "kind"), "runtime-lock") == 0 &&
			       strstr(contradictions_text(waiter, "module"), "python") != NULL,
	};
}

static inline int contradictions_any(const char *text, const char *const *word)
{
	for (; *word; word++)
		if (strstr(text, *word))
			return 1;
	return 0;
}

static inline int contradictions_is_body(const json_t *finding)
{
	static const char *const body[] = {"._omp_fn.", ".omp_outlined", "tbb::", "rayon", NULL};

	return contradictions_any(
		contradictions_text(
			json_array_get(json_object_get(finding, "where"), 0), "function"),
		body);
}

static inline void contradictions_advise(struct contradictions *c,
	const struct contradictions_facts *f, const json_t *finding, const char *text)
{
	static const char *const openmp[] = {"OpenMP", "OMP_", "schedule(", "nowait", "taskloop",
		"parallel region", "passive-wait", "omp_get", NULL};
	static const char *const threads[] = {"every thread", "threads are made",
		"processes instead of threads", "as many threads", "pool of threads", NULL};
	static const char *const parallel[] = {"make it parallel", "alone parallel", NULL};
	const char *const cause = contradictions_text(finding, "cause");

	/* that there is none, and that directives need one, is no advice for a program that has it
	 */
	if (f->openmp == 0 && !strstr(text, "no OpenMP runtime is loaded") &&
		contradictions_any(text, openmp))
		contradictions_add(c, "%s, of a program without OpenMP: %s", cause, text);
	if (f->processes && contradictions_any(text, threads))
		contradictions_add(c, "%s, of a program of processes: %s", cause, text);
	if (contradictions_any(text, parallel) &&
		(contradictions_is_body(finding) ||
			(f->interpreter && strcmp(cause, "serial-code") == 0)))
		contradictions_add(c, "%s, of what is parallel, or cannot be: %s", cause, text);
}

static inline void contradictions_advice(struct contradictions *c)
{
	const struct contradictions_facts f = contradictions_facts(c->report);
	const json_t *finding, *text;
	size_t i, k;

	json_array_foreach(json_object_get(c->report, "findings"), i, finding)
	{
		if (!contradictions_claimed(finding))
			continue;
		json_array_foreach(json_object_get(finding, "advice"), k, text)
			contradictions_advise(c, &f, finding, json_string_value(text));
		contradictions_advise(c, &f, finding, contradictions_text(finding, "next"));
	}
}

/* ---- one piece of code, two rows ------------------------------------------------------------- */

/* "work.constprop.0" is work: compilers make copies of a function for some of its callers. */
static inline size_t contradictions_stem(const char *function)
{
	static const char *const mark[] = {".constprop.", ".isra.", ".part.", ".cold", " [clone"};
	size_t n = strlen(function);

	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
		const char *const at = strstr(function, mark[i]);

		if (at && (size_t)(at - function) < n)
			n = (size_t)(at - function);
	}
	return n;
}

static inline int contradictions_same_code(const json_t *a, const json_t *b)
{
	const char *const f = contradictions_text(a, "function");
	const char *const g = contradictions_text(b, "function");
	const size_t n = contradictions_stem(f);

	return n && n == contradictions_stem(g) && strncmp(f, g, n) == 0 &&
	       strcmp(contradictions_text(a, "file"), contradictions_text(b, "file")) == 0;
}

static inline void contradictions_owners(struct contradictions *c)
{
	const json_t *const rows = json_object_get(c->report, "functions");
	const double n = contradictions_number(contradictions_last(c->report), "n");
	const json_t *a, *b;
	size_t i, k;

	json_array_foreach(rows, i, a) json_array_foreach(rows, k, b)
	{
		const double x = contradictions_value(a, "cores"),
			     y = contradictions_value(b, "cores");

		if (k > i && x * y < 0 && fmin(fabs(x), fabs(y)) > CONTRADICTIONS_GATE * n &&
			contradictions_same_code(a, b))
			contradictions_add(c, "%s loses %.2f cores, and %s, the same code, %.2f",
				contradictions_text(a, "function"), x,
				contradictions_text(b, "function"), y);
	}
}

/* ---- what is in doubt ------------------------------------------------------------------------ */

/* "0.95 of 2 cores are lost ..., of which 0.00 at least are the program's. Up to so many may be:
 * 0.23
 * ..., 0.05 ...": what may be others' makes up the difference. */
static inline void contradictions_doubt(struct contradictions *c)
{
	static const char begin[] = "whether it scales cannot be told: ", list[] = "may be: ";
	const json_t *warning;
	size_t i;

	json_array_foreach(json_object_get(c->report, "warnings"), i, warning)
	{
		const char *const text = json_string_value(warning);
		const char *const least = strstr(text, "of which "), *at = strstr(text, list);
		double sum = 0;

		if (strncmp(text, begin, sizeof begin - 1) != 0 || !least || !at)
			continue;
		for (at += sizeof list - 1; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
			sum += strtod(at, NULL);
		if (strtod(text + sizeof begin - 1, NULL) - strtod(least + 9, NULL) >
			sum + .03 +
				.02 * contradictions_number(contradictions_last(c->report), "n"))
			contradictions_add(c, "the amounts do not explain the doubt: %s", text);
	}
}

/* ---- words ----------------------------------------------------------------------------------- */

static inline void contradictions_word(struct contradictions *c, const char *text)
{
	static const struct {
		const char *pattern, *is;
	} row[] = {
		{"(^|[^0-9.])1 (threads|processes|cores|runs|pairs) ", "a plural of one"},
		{"(^|[^0-9.])1 (thread|process) write ", "a plural of one"},
		{"(^|[^0-9])1 threads? (write|read)s? different bytes",
			"one thread that differs from itself"},
		{"[^r]\\(\\)\\(\\)", "a name called twice"},
		{"(^|[^a-z])(nan|inf)([^a-z]|$)", "no number"},
		{"(^|[^0-9])-0(\\.0+)? ", "minus nothing"},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		regex_t r;

		if (regcomp(&r, row[i].pattern, REG_EXTENDED | REG_NOSUB) != 0)
			continue;
		if (regexec(&r, text, 0, NULL, 0) == 0)
			contradictions_add(c, "%s: %s", row[i].is, text);
		regfree(&r);
	}
}

/* Names of the program's, its arguments and its folder may be anything. */
static inline void contradictions_words(struct contradictions *c, const json_t *v)
{
	static const char *const sentence[] = {"evidence", "advice", "seen", "warnings", "causes",
		"findings", "experiments", "view", "answer", "main_cause", "title", "fix", "where"};
	const char *key;
	const json_t *item;
	size_t i;

	if (json_is_string(v))
		contradictions_word(c, json_string_value(v));
	json_array_foreach(v, i, item) contradictions_words(c, item);
	json_object_foreach((json_t *)(uintptr_t)v, key, item)
	{
		for (size_t k = 0; k < sizeof sentence / sizeof *sentence; k++)
			if (strcmp(sentence[k], key) == 0)
				contradictions_words(c, item);
	}
}

/* How many there are, with a line on each in `out`. */
static inline size_t contradictions_in(const json_t *report, char *out, size_t size)
{
	struct contradictions c = {.report = report, .out = out, .size = size};

	out[0] = '\0';
	contradictions_effects(&c);
	if (contradictions_last(report))
		contradictions_amounts(&c);
	contradictions_advice(&c);
	if (contradictions_last(report))
		contradictions_owners(&c);
	if (contradictions_last(report))
		contradictions_doubt(&c);
	contradictions_words(&c, report);
	return c.n;
}

#endif
