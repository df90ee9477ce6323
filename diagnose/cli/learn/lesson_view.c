#include "learn/lesson_view.h"

#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "learn/lesson_diff.h"
#include "render/render.h"
#include "text/sections.h"

static size_t line_length(const char *at)
{
	return strcspn(at, "\n");
}

/* One line of a program: tabs as four columns; the sources are ours, so nothing else is in them.
 * `sign` tells whose line it is. Returns where the next one begins. */
static const char *put_code(
	struct sd_page *p, enum sd_tone tone, char sign, unsigned number, const char *at)
{
	const size_t n = line_length(at);

	sd_page_put(p, tone, "%c", sign);
	sd_page_put(p, SD_TONE_DIM, " %3u  ", number);
	for (size_t i = 0; i < n; i++)
		sd_page_put(p, tone, "%s%.*s", at[i] == '\t' ? "    " : "", at[i] == '\t' ? 0 : 1,
			at + i);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	return at + n + (at[n] == '\n');
}

static const char *next_line(const char *at)
{
	const size_t n = line_length(at);

	return at + n + (at[n] == '\n');
}

void sd_lesson_view_broken(
	struct sd_page *p, const struct sd_lesson_files *files, const struct sd_lesson *l)
{
	const char *at = files->broken;

	sd_page_put(p, SD_TONE_BOLD, "broken.c");
	sd_page_put(p, SD_TONE_DIM, "  lines %u to %u; compiled with %s\n", l->show_from,
		l->show_to, l->flags);
	for (unsigned number = 1; *at && number <= l->show_to; number++)
		at = number < l->show_from ? next_line(at)
					   : put_code(p, SD_TONE_PLAIN, ' ', number, at);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lesson_view_difference(struct sd_page *p, const struct sd_lesson_files *files)
{
	const char *broken = files->broken, *fixed = files->fixed;
	struct sd_lesson_diff d;
	unsigned i = 0, j = 0;

	sd_lesson_diff(broken, fixed, &d);
	sd_page_put(p, SD_TONE_BOLD, "fixed.c");
	sd_page_put(p, SD_TONE_DIM, "  what is different: - in broken.c, + in fixed.c\n");
	while ((*broken && i < SD_LESSON_DIFF_LINES) || (*fixed && j < SD_LESSON_DIFF_LINES))
		if (*broken && d.broken[i]) {
			broken = put_code(p, SD_TONE_BAD, '-', ++i, broken);
		} else if (*fixed && d.fixed[j]) {
			fixed = put_code(p, SD_TONE_GOOD, '+', ++j, fixed);
		} else {
			broken = next_line(broken);
			fixed = next_line(fixed);
			i++;
			j++;
		}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lesson_view_question(struct sd_page *p, const struct sd_lesson *l)
{
	sd_page_wrap(p, "", 0, "%s", l->question);
	for (size_t i = 0; i < l->choice.n; i++) {
		const char letter[] = {' ', ' ', (char)('a' + (int)i), ' ', ' ', '\0'};

		sd_page_wrap(p, letter, 5, "%s", l->choice.text[i]);
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

void sd_lesson_view_answer(struct sd_page *p, const struct sd_lesson *l, char guess)
{
	const char right = *l->answer;

	if (guess)
		sd_page_put(p, guess == right ? SD_TONE_GOOD : SD_TONE_DOUBT, "%s",
			guess == right ? "Your guess was right. " : "You guessed otherwise. ");
	sd_page_wrap(p, "Answer: ", 2, "%c, %s", right, l->choice.text[right - 'a']);
}

static void put_finding(struct sd_page *p, const struct sd_finding *f)
{
	sd_page_put(p, SD_TONE_BOLD, "  %s", sd_cause_info[f->cause].label);
	if (sd_status_measured(f->cores))
		sd_page_put(p, SD_TONE_PLAIN, ", %.2f cores", f->cores.value);
	sd_page_put(p, f->verdict == SD_VERDICT_POSSIBLE ? SD_TONE_DOUBT : SD_TONE_BAD, ", %s\n",
		sd_verdict_name[f->verdict]);
	for (size_t i = 0; i < f->evidence.n && i < 2; i++)
		sd_page_wrap(p, "    ", 4, "%s", f->evidence.text[i]);
	if (f->n_where > 0 && f->where[0].function)
		sd_page_wrap(p, "    where  ", 11, "%s%s%s", f->where[0].function,
			f->where[0].in ? ", in " : "", f->where[0].in ? f->where[0].in : "");
	if (f->advice.n > 0)
		sd_page_wrap(p, "    do     ", 11, "%s", f->advice.text[0]);
}

/* One of those that share a growth these runs could not divide: no part of it is its own. */
static int is_shared(const struct sd_finding *f)
{
	return f->verdict == SD_VERDICT_POSSIBLE && !sd_status_measured(f->cores) &&
	       f->evidence.n > 0;
}

/* The first of them; NULL: there is none. */
static const struct sd_finding *first_shared(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (is_shared(&a->finding[i]))
			return &a->finding[i];
	return NULL;
}

/* Is the same said of it as of the first? */
static int is_undivided(const struct sd_analysis *a, const struct sd_finding *f)
{
	return is_shared(f) && strcmp(f->evidence.text[0], first_shared(a)->evidence.text[0]) == 0;
}

/* Is it one of the lesson's causes? */
static int names(const struct sd_lesson *l, const char *name)
{
	const size_t n = strlen(name);

	for (const char *w = l->causes; *w;) {
		const size_t m = strcspn(w, " ");

		if (m == n && memcmp(w, name, n) == 0)
			return 1;
		w += m + (w[m] == ' ');
	}
	return 0;
}

int sd_lesson_expects(const struct sd_lesson *l, enum sd_cause cause)
{
	return names(l, sd_cause_info[cause].name);
}

/* Findings that these runs bear out, and those that the lesson is about, are told in full; beside
 * them what else they could not exclude is only named. */
static int is_told(const struct sd_lesson *l, const struct sd_finding *f)
{
	return f->verdict < SD_VERDICT_POSSIBLE ||
	       (f->verdict == SD_VERDICT_POSSIBLE && names(l, sd_cause_info[f->cause].name));
}

static int is_named(const struct sd_finding *f)
{
	return f->verdict <= SD_VERDICT_POSSIBLE;
}

static size_t count_told(const struct sd_lesson *l, const struct sd_analysis *a)
{
	size_t n = 0;

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		n += (size_t)is_told(l, &a->finding[i]);
	return n;
}

/* The labels of the causes whose flag is set. */
static void put_labels(struct sd_page *p, const char *first, const char *between,
	const unsigned char flag[SD_CAUSE_COUNT])
{
	char *labels = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&labels, &size);
	int n = 0;

	for (int i = 0; f && i < SD_CAUSE_COUNT; i++)
		if (flag[i])
			fprintf(f, "%s%s", n++ ? between : "", sd_cause_info[i].label);
	if (!f || fclose(f) != 0)
		p->failed = 1;
	else if (n)
		sd_page_wrap(p, first, 4, "%s", labels);
	free(labels);
}

static void put_not_excluded(
	struct sd_page *p, const struct sd_lesson *l, const struct sd_analysis *a)
{
	unsigned char flag[SD_CAUSE_COUNT] = {0};

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		flag[a->finding[i].cause] = is_named(&a->finding[i]) && !is_told(l, &a->finding[i]);
	put_labels(p, "  not excluded: ", ", ", flag);
}

/* Puts what holds for all undivided causes, once. */
static void put_undivided(struct sd_page *p, const struct sd_analysis *a)
{
	const struct sd_finding *const first = first_shared(a);
	unsigned char flag[SD_CAUSE_COUNT] = {0};

	if (!first)
		return;
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		flag[a->finding[i].cause] = (unsigned char)is_undivided(a, &a->finding[i]);
	sd_page_put(p, SD_TONE_DOUBT, "  undecided: each of these is possible\n");
	put_labels(p, "    ", ", ", flag);
	sd_page_wrap(p, "    ", 4, "%s", first->evidence.text[0]);
}

static void put_findings(struct sd_page *p, const struct sd_lesson *l, const struct sd_analysis *a)
{
	const size_t n_told = count_told(l, a);
	int none = 1;

	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a->finding[i];

		if (n_told ? is_told(l, f) : is_named(f) && !is_undivided(a, f))
			put_finding(p, f);
		none &= !is_named(f);
	}
	if (n_told)
		put_not_excluded(p, l, a);
	else
		put_undivided(p, a);
	if (none)
		sd_page_put(p, SD_TONE_PLAIN, "  %s\n",
			sd_section_undecided(a) ? "no cause named: its own time grows, and these "
						  "runs cannot tell why"
						: "no cause named");
}

void sd_lesson_view_diagnosis(struct sd_page *p, const struct sd_lesson *l, const char *version,
	const struct sd_diagnosis *d)
{
	const struct sd_analysis *const a = &d->analysis;
	const struct sd_fact_rows points = sd_facts_points_table(a, 0);

	sd_page_put(p, SD_TONE_BOLD, "%s.c", version);
	sd_page_put(p, SD_TONE_PLAIN, "\n\n");
	sd_render_text_table(p, &points, 1);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
	sd_section_stack(p, &d->record, a);
	put_findings(p, l, a);
	for (size_t i = 0; i < a->warnings.n; i++)
		sd_page_wrap(p, "  Warning: ", 4, "%s", a->warnings.text[i]);
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}

/* The causes of the lesson that these runs do not show. */
static void put_expected(struct sd_page *p, const struct sd_lesson *l)
{
	unsigned char flag[SD_CAUSE_COUNT] = {0};

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		flag[i] = (unsigned char)sd_lesson_expects(l, (enum sd_cause)i);
	put_labels(p,
		"These runs do not show what is to be found (too little of it, other load on the "
		"machine, or nothing counts it here): ",
		" or ", flag);
}

static const struct sd_finding *expected(const struct sd_lesson *l, const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (sd_lesson_expects(l, a->finding[i].cause) &&
			a->finding[i].verdict <= SD_VERDICT_POSSIBLE)
			return &a->finding[i];
	return NULL;
}

static void put_found(struct sd_page *p, const struct sd_lesson *l, const struct sd_finding *found)
{
	if (found) {
		sd_page_wrap(p, "", 0, "The diagnosis of broken.c is the one to find: %s, %s.",
			sd_cause_info[found->cause].label, sd_verdict_name[found->verdict]);
	} else if (names(l, "none")) {
		sd_page_wrap(p, "", 0,
			"It need not scale badly to be slow: look at the times, also at one core.");
	} else {
		put_expected(p, l);
	}
}

static void put_gain(struct sd_page *p, const struct sd_compared_point *last)
{
	if (last->time == SD_CHANGE_UNKNOWN)
		sd_page_wrap(p, "", 0,
			"Too few runs to say what the fix brings: a larger --budget, or a quieter "
			"machine.");
	else if (last->time != SD_CHANGE_LESS)
		sd_page_wrap(p, "", 0,
			"No faster here beyond noise: --notes says which machines do not show the "
			"effect.");
}

int sd_lesson_view_verdict(struct sd_page *p, const struct sd_lesson *l,
	const struct sd_diagnosis *broken, const struct sd_comparison *c)
{
	const struct sd_finding *const found = expected(l, &broken->analysis);
	const struct sd_compared_point *const last = c->n_point ? &c->point[c->n_point - 1] : NULL;

	if (!found && l->need == SD_LESSON_NEEDS_SIMULATED) {
		sd_page_wrap(p, "", 0,
			"The times of a machine seldom show it; the simulated one counts it.");
	} else {
		put_found(p, l, found);
		if (last)
			put_gain(p, last);
	}
	return (found || names(l, "none")) && last && last->time == SD_CHANGE_LESS;
}

/* The end of a paragraph: an empty line, a list's next item, or the end of the text. */
static const char *paragraph_end(const char *at)
{
	const char *end = at + line_length(at);

	while (end > at && *end && end[1] && end[1] != '\n' && end[1] != '-' &&
		strncmp(end + 1, "    ", 4) != 0)
		end += 1 + line_length(end + 1);
	return end;
}

static char *joined(const char *from, const char *to)
{
	char *const text = strndup(from, (size_t)(to - from));

	for (char *c = text; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	return text;
}

void sd_lesson_view_chapter(struct sd_page *p, const char *title, const char *text)
{
	sd_page_put(p, SD_TONE_BOLD, "%s\n", title);
	for (const char *at = text; *at;) {
		const char *const end =
			strncmp(at, "    ", 4) == 0 ? at + line_length(at) : paragraph_end(at);
		char *const paragraph = joined(at, end);

		if (!paragraph)
			p->failed = 1;
		else if (*at == ' ')
			sd_page_put(p, SD_TONE_PLAIN, "  %s\n", paragraph);
		else if (strncmp(paragraph, "- ", 2) == 0)
			sd_page_wrap(p, "  - ", 4, "%s", paragraph + 2);
		else if (*paragraph)
			sd_page_wrap(p, "  ", 2, "%s", paragraph);
		else
			sd_page_put(p, SD_TONE_PLAIN, "\n");
		free(paragraph);
		at = end + (*end == '\n');
	}
	sd_page_put(p, SD_TONE_PLAIN, "\n");
}
