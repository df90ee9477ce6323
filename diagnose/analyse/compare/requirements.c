#include "analysis/requirement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/counted_work.h"
#include "base/nearest.h"
#include "base/number.h"

/* The numbers of a point that may be asked for, besides the components of its stack. */
static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{"wall", offsetof(struct sd_point, wall)},
	{"speedup", offsetof(struct sd_point, speedup)},
	{"efficiency", offsetof(struct sd_point, efficiency)},
	{"parallelism", offsetof(struct sd_point, parallelism)},
	{"karp-flatt", offsetof(struct sd_point, karp_flatt)},
};
#define NUMBERS (sizeof numbers / sizeof *numbers)

static int component_named(const char *name)
{
	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (strcmp(sd_component_info[k].name, name) == 0)
			return k;
	return -1;
}

static int number_named(const char *name)
{
	for (size_t i = 0; i < NUMBERS; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return 1;
	return component_named(name) >= 0;
}

const char *sd_requirements_number(size_t i)
{
	if (i < NUMBERS)
		return numbers[i].name;
	i -= NUMBERS;
	if (i < SD_COMPONENT_COUNT)
		return sd_component_info[i].name;
	i -= SD_COMPONENT_COUNT;
	return i < SD_COUNTED_WORK_COUNT ? sd_counted_work_info[i].name : NULL;
}

static int refuse(char *why, size_t size, const char *text, const char *what)
{
	snprintf(why, size, "'%.80s': %s", text, what);
	return -EINVAL;
}

/* With those there are: what was meant may be called otherwise here. */
static int refuse_cause(char *why, size_t size, const char *text)
{
	int used = snprintf(why, size, "'%.80s': no cause of that name; there are ", text);

	for (int i = 0; i < SD_CAUSE_COUNT && used >= 0 && (size_t)used < size; i++)
		used += snprintf(why + used, size - (size_t)used, "%s%s", i ? ", " : "",
			sd_cause_info[i].name);
	return -EINVAL;
}

static int parse_cause(
	const char *text, const char *name, struct sd_requirement *out, char *why, size_t size)
{
	struct sd_nearest n;

	out->kind = SD_REQUIREMENT_NO_CAUSE;
	sd_nearest_begin(&n, name, strlen(name));
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		if (strcmp(sd_cause_info[i].name, name) == 0) {
			out->cause = (enum sd_cause)i;
			return 0;
		}
		sd_nearest_try(&n, sd_cause_info[i].name);
	}
	if (!n.best)
		return refuse_cause(why, size, text);
	snprintf(why, size, "'%.80s': no cause of that name; did you mean 'no %s'?", text, n.best);
	return -EINVAL;
}

static int refuse_number(const char *name, const char *text, char *why, size_t size)
{
	char hint[SD_NEAREST_HINT];
	const char *known;
	struct sd_nearest n;

	sd_nearest_begin(&n, name, strlen(name));
	for (size_t i = 0; (known = sd_requirements_number(i)); i++)
		sd_nearest_try(&n, known);
	snprintf(why, size,
		"'%.80s': begins with none of wall, speedup, efficiency, parallelism, karp-flatt, "
		"a component of the stack or counted work%s",
		text, sd_nearest_hint(&n, hint));
	return -EINVAL;
}

/* Without the blanks around it and around its signs and units. */
static void pack(const char *text, char *out, size_t size)
{
	static const char signs[] = "@<>=%sx";
	size_t n = 0;

	while (*text && n + 1 < size) {
		const size_t blanks = strspn(text, " ");
		const char next = text[blanks];

		if (blanks && next && n && !strchr(signs, next) && !strchr(signs, out[n - 1]))
			out[n++] = ' ';
		else if (!blanks)
			out[n++] = next;
		text += blanks ? blanks : 1;
	}
	out[n] = '\0';
}

/* NAME[@CORES](>=|<=)NUMBER[%|s|x] */
static int parse_number(const char *given, struct sd_requirement *out, char *why, size_t size)
{
	char text[sizeof out->text], value[64];
	const char *at, *sign;
	uint64_t cores;
	size_t n, name;

	pack(given, text, sizeof text);
	name = strcspn(text, "@<>=");
	at = text + name;
	sign = text + strcspn(text, "<>");
	if (name == 0 || name >= sizeof out->name || (*sign != '<' && *sign != '>') ||
		sign[1] != '=')
		return refuse(why, size, given,
			"must be like efficiency@8>=0.8, 'no lock-contention' or scales");
	memcpy(out->name, text, name);
	out->name[name] = '\0';
	if (sd_counted_work_named(out->name) < SD_COUNTED_WORK_COUNT)
		out->kind = SD_REQUIREMENT_COUNT;
	else if (!number_named(out->name))
		return refuse_number(out->name, text, why, size);
	if (*at == '@') {
		n = (size_t)(sign - at - 1);
		if (n == 0 || n >= sizeof value)
			return refuse(why, size, given, "a core count must stand behind the @");
		memcpy(value, at + 1, n);
		value[n] = '\0';
		if (sd_number_u64(value, 1, 1000000, &cores) < 0)
			return refuse(why, size, given, "a core count must stand behind the @");
		out->cores = (unsigned)cores;
	} else if (at != sign) {
		return refuse(why, size, given, "has no >= or <=");
	}
	n = strlen(sign + 2);
	if (n == 0 || n >= sizeof value)
		return refuse(why, size, given, "has no number behind >= or <=");
	memcpy(value, sign + 2, n + 1);
	if (value[n - 1] == 'x' && out->kind == SD_REQUIREMENT_COUNT)
		out->factor = 1;
	if (out->factor || value[n - 1] == '%' ||
		(value[n - 1] == 's' && strcmp(out->name, "wall") == 0))
		value[n - 1] = '\0';
	if (sd_number_double(value, -1e18, 1e18, &out->bound) < 0)
		return refuse(why, size, given, "has no number behind >= or <=");
	if (sign[1 + n] == '%')
		out->bound /= 100;
	out->least = *sign == '>';
	return 0;
}

int sd_requirements_parse(const char *text, struct sd_requirement *out, char *why, size_t size)
{
	*out = (struct sd_requirement){.kind = SD_REQUIREMENT_NUMBER};
	if (strlen(text) >= sizeof out->text)
		return refuse(why, size, text, "is too long");
	memcpy(out->text, text, strlen(text) + 1);
	if (strcmp(text, "scales") == 0) {
		out->kind = SD_REQUIREMENT_SCALES;
		return 0;
	}
	if (strncmp(text, "no ", 3) == 0)
		return parse_cause(text, text + 3, out, why, size);
	return parse_number(text, out, why, size);
}

static void undecided(struct sd_requirement_result *out, const char *why)
{
	out->outcome = SD_REQUIREMENT_UNDECIDED;
	snprintf(out->why, sizeof out->why, "%s", why);
}

static void judge_bounds(double low, double high, struct sd_requirement_result *out)
{
	const struct sd_requirement *g = out->gate;
	const int met = g->least ? low >= g->bound : high <= g->bound;
	const int violated = g->least ? high < g->bound : low > g->bound;

	out->outcome = met        ? SD_REQUIREMENT_MET
		       : violated ? SD_REQUIREMENT_VIOLATED
				  : SD_REQUIREMENT_UNDECIDED;
	if (!met && !violated)
		snprintf(out->why, sizeof out->why,
			"the bound lies within the 95 %% interval: more --repeats would decide");
}

static struct sd_interval number_of(const struct sd_point *p, const char *name)
{
	for (size_t i = 0; i < NUMBERS; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return *(const struct sd_interval *)(const void *)((const char *)p +
									   numbers[i].offset);
	return p->stack[component_named(name)];
}

#define ONE_RUN "one run has no interval: more --repeats would decide"

static void judge_number(const struct sd_analysis *a, struct sd_requirement_result *out)
{
	const struct sd_requirement *g = out->gate;
	const struct sd_point *p = NULL;

	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].cores == g->cores || (!g->cores && i + 1 == a->n_point))
			p = &a->point[i];
	if (!p) {
		undecided(out, "the record has no such core count");
		return;
	}
	out->cores = p->cores;
	out->seen = number_of(p, g->name);
	if (!sd_status_measured(out->seen)) {
		snprintf(out->why, sizeof out->why, "not measured (%s)",
			sd_status_name(out->seen.status));
		out->outcome = SD_REQUIREMENT_UNDECIDED;
		return;
	}
	if (!sd_status_bounded(out->seen))
		undecided(out, ONE_RUN);
	else if (a->no_verdict)
		undecided(out, a->no_verdict);
	else
		judge_bounds(out->seen.low, out->seen.high, out);
}

static void judge_cause(const struct sd_analysis *a, struct sd_requirement_result *out)
{
	const struct sd_finding *f = NULL;

	for (size_t i = 0; a->n_point && i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause == out->gate->cause)
			f = &a->finding[i];
	if (!f) {
		undecided(out, "nothing was diagnosed");
		return;
	}
	out->seen = f->cores;
	out->cores = a->point[a->n_point - 1].cores;
	if (a->no_verdict) {
		undecided(out, a->no_verdict);
		return;
	}
	if (f->verdict == SD_VERDICT_RULED_OUT) {
		out->outcome = SD_REQUIREMENT_MET;
		return;
	}
	if (f->verdict == SD_VERDICT_NOT_MEASURABLE) {
		undecided(out, f->next ? f->next : "not measurable here");
		return;
	}
	/* "possible" is a suspicion, not a finding */
	out->outcome = f->verdict == SD_VERDICT_POSSIBLE ? SD_REQUIREMENT_UNDECIDED
							 : SD_REQUIREMENT_VIOLATED;
	snprintf(out->why, sizeof out->why, "its verdict is %s", sd_verdict_label[f->verdict]);
}

static void judge_scales(const struct sd_analysis *a, struct sd_requirement_result *out)
{
	if (a->n_point) {
		out->seen = a->point[a->n_point - 1].efficiency;
		out->cores = a->point[a->n_point - 1].cores;
	}
	/* what is sure is so beyond all that disturbed the runs */
	if (a->n_point < 2 || a->scales == SD_SCALES_UNKNOWN)
		undecided(out, a->no_verdict ? a->no_verdict
					     : "the efficiency may be above 80 % or below");
	/* a curve of single runs shows how a program scales, and no gate is passed by chance */
	else if (a->scales == SD_SCALES_YES && !sd_status_bounded(out->seen))
		undecided(out, ONE_RUN);
	else
		out->outcome =
			a->scales == SD_SCALES_YES ? SD_REQUIREMENT_MET : SD_REQUIREMENT_VIOLATED;
}

void sd_requirements_judge(const struct sd_requirement *g, const struct sd_analysis *a,
	struct sd_requirement_result *out)
{
	*out = (struct sd_requirement_result){.gate = g, .seen = {.status = SD_STATUS_ABSENT}};
	if (g->kind == SD_REQUIREMENT_NO_CAUSE)
		judge_cause(a, out);
	else if (g->kind == SD_REQUIREMENT_SCALES)
		judge_scales(a, out);
	else if (g->kind == SD_REQUIREMENT_COUNT)
		undecided(out, "nothing was counted");
	else
		judge_number(a, out);
}

static struct sd_interval inverse_of(struct sd_interval gain)
{
	if (!sd_status_measured(gain))
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (!sd_status_bounded(gain))
		return sd_status_unbounded(1 / gain.value, gain.status);
	return (struct sd_interval){1 / gain.value, 1 / gain.high, 1 / gain.low, gain.status};
}

void sd_requirements_baseline(const struct sd_compared_point *p, double tolerance,
	struct sd_requirement *gate, struct sd_requirement_result *out)
{
	*gate = (struct sd_requirement){
		.kind = SD_REQUIREMENT_BASELINE, .cores = p->cores, .bound = 1 + tolerance};
	snprintf(gate->name, sizeof gate->name, "slowdown");
	snprintf(gate->text, sizeof gate->text, "time@%u within %g %% of the baseline's", p->cores,
		100 * tolerance);
	*out = (struct sd_requirement_result){
		.gate = gate, .cores = p->cores, .seen = inverse_of(p->gain)};
	if (!sd_status_measured(out->seen))
		undecided(out, "this core count was not timed in both records");
	else if (!sd_status_bounded(out->seen))
		undecided(out, ONE_RUN);
	else
		judge_bounds(out->seen.low, out->seen.high, out);
	out->unseen = out->outcome == SD_REQUIREMENT_UNDECIDED && sd_status_bounded(out->seen);
	if (out->unseen)
		snprintf(out->why, sizeof out->why,
			"no slowdown beyond the tolerance was seen, but the interval is too wide "
			"to "
			"exclude one: more --repeats narrow it");
}
