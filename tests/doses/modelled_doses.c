/*
 * True amounts on machines that are modelled whole (--events model): the dose program (dose.c) at
 * many cores, where a cause needs them. What the report says is held against arithmetic where the
 * dose has one, else against the good form of the same work on the same machine; that form is given
 * no cause. Prints a row a dose; never passes or fails.
 *
 *   modelled_doses FOLDER    of the built program, and of its records and files
 * In the environment:
 *   SCALEDIAG                the program under test
 *   DOSES                    "serial lock": these only
 *   DOSES_MODEL              "epyc-genoa"; a machine of configs/machines
 *   DOSES_CORES              "8 16"
 *   DOSES_SECONDS            of work on one core at 3 GHz for each 8 cores; .2
 * What starting the threads costs (50 us each, which is more than the work of short programs on
 * many cores) the good form has as well: it is a part of the amount.
 */
#include <unistd.h>

#include "doses/dose_table.h"

#define MOST_COUNTS 8

/* Core-s that a dose of share s costs n cores, of work that takes one core `alone` s: the others
 * wait for, or do again, what one of them does. */
static double one_of_them(double s, double n, double alone)
{
	return (n - 1) * s * alone;
}

/* clang-format off */
static const struct modelled {
	const char *name;
	double (*cost)(double share, double n, double alone); /* NULL: by the good form */
	const char *components, *causes;
} modelled[] = {
	{"serial", one_of_them, "serial",                                     "serial-code"},
	{"late",   one_of_them, "imbalance",                                  "load-imbalance"},
	{"extra",  one_of_them, "instructions growth",                        "extra-work"},
	{"lock",   NULL,        "lock",                                       "lock-contention"},
	{"false",  NULL,        "cpi-sharing cpi-numa cpi-other growth",      "false-sharing"},
	{"true",   NULL,        "cpi-sharing cpi-numa cpi-other growth",      "true-sharing"},
};
/* clang-format on */

static const double modelled_share[] = {.1, .25, .5};

struct bench {
	char folder[512], program[600], record[600], errors[600];
	const char *machine;
	double seconds; /* of work, for each 8 cores */
};

static json_t *diagnose(const struct bench *b, const char *count, const char *dose)
{
	char cores[32], seconds[32];
	struct command c = {0};

	snprintf(cores, sizeof cores, "1,%s", count);
	snprintf(seconds, sizeof seconds, "%g", b->seconds * strtod(count, NULL) / 8);

	remove(b->record);
	add(&c, scalediag());
	add(&c, "--events");
	add(&c, "model");
	add(&c, "--machine");
	add(&c, b->machine);
	add(&c, "--cores");
	add(&c, cores);
	add(&c, "--json");
	add(&c, "--cwd");
	add(&c, b->folder);
	add(&c, "-o");
	add(&c, b->record);
	add(&c, "--");
	add(&c, b->program);
	add(&c, seconds);
	add(&c, dose);
	return run(c.argv, b->errors);
}

/* s at the first count and at the last; NAN where there is none. */
static void walls(const json_t *root, double wall[2])
{
	const json_t *const points = json_object_get(root, "points");
	const size_t n = json_array_size(points);

	for (size_t i = 0; i < 2; i++)
		wall[i] = gain_number(
			json_object_get(json_array_get(points, i ? n - 1 : 0), "wall_s"), "value",
			NAN);
}

/* Core-s of the components in a run at the last count. */
static double core_seconds(const json_t *root, const char *components, const double wall[2])
{
	return dose_components(root, components).value * wall[1];
}

/* Cores that are lost in core-s, those of one core taken off. */
static double lost(const double wall[2], double n)
{
	return n * wall[1] - wall[0];
}

static void one(const struct bench *b, const struct modelled *m, double share, const char *count,
	struct dose_errors *e)
{
	const double n = strtod(count, NULL);
	double bad[2], good[2], truth;
	struct sd_interval component;
	char dose[48];
	json_t *broken, *fixed;
	struct answer a, other;

	snprintf(dose, sizeof dose, "%s=%g", m->name, share);
	broken = diagnose(b, count, dose);
	*strchr(dose, '=') = ':';
	fixed = diagnose(b, count, dose);
	printf("%-7s %3.0f %% at %2.0f", m->name, 100 * share, n);
	walls(broken, bad);
	walls(fixed, good);
	truth = m->cost ? m->cost(share, n, good[0]) + core_seconds(fixed, m->components, good)
			: lost(bad, n) - lost(good, n);
	truth /= bad[1];
	if (!broken || !fixed || isnan(truth)) {
		printf("  failed\n");
	} else {
		component = dose_components(broken, m->components);
		read_answer(broken, &a);
		read_answer(fixed, &other);
		printf("  %7.3f: %7.3f in the stack (%+.1f %%); first: %s%s%s; really %.2fx\n",
			truth, component.value, 100 * (component.value - truth) / n,
			found_name(a.found),
			a.found < SD_CAUSE_COUNT && !listed(m->causes, found_name(a.found))
				? " WRONG"
				: "",
			other.found < SD_CAUSE_COUNT ? "; good form ACCUSED" : "",
			bad[1] / good[1]);
		if (truth >= .005 * n && e->n < DOSE_TOLD)
			e->error[e->n++] = fabs(component.value - truth) / n;
		e->right += a.found < SD_CAUSE_COUNT && listed(m->causes, found_name(a.found));
		e->controls++;
		e->accused += other.found < SD_CAUSE_COUNT;
	}
	fflush(stdout);
	json_decref(broken);
	json_decref(fixed);
}

static void put_errors(const char *name, const struct dose_errors *e)
{
	double sum = 0;

	for (size_t i = 0; i < e->n; i++)
		sum += e->error[i];
	if (!e->controls)
		return;
	printf("%-7s %2zu doses: ", name, e->controls);
	if (e->n)
		printf("mean error of %zu amounts %.1f %% of the cores, ", e->n,
			100 * sum / (double)e->n);
	printf("first cause right %zu, good forms accused %zu\n", e->right, e->accused);
}

static size_t words_of(char *text, const char *word[MOST_COUNTS])
{
	char *save = NULL;
	size_t n = 0;

	for (char *w = strtok_r(text, " ", &save); w && n < MOST_COUNTS;
		w = strtok_r(NULL, " ", &save))
		word[n++] = w;
	return n;
}

int main(int argc, char **argv)
{
	static struct dose_errors each[sizeof modelled / sizeof *modelled];
	const char *const machine = getenv("DOSES_MODEL"), *const seconds = getenv("DOSES_SECONDS"),
			  *const given = getenv("DOSES_CORES"), *count[MOST_COUNTS];
	char *const full = argc == 2 ? realpath(argv[1], NULL) : NULL, counts[128];
	struct bench b = {.machine = machine ? machine : "epyc-genoa",
		.seconds = seconds ? strtod(seconds, NULL) : .2};
	size_t n;

	if (!full) {
		fprintf(stderr, "usage: modelled_doses FOLDER, of the built programs\n");
		return 2;
	}
	snprintf(b.folder, sizeof b.folder, "%s", full);
	free(full);
	snprintf(b.program, sizeof b.program, "%s/dose", b.folder);
	snprintf(b.record, sizeof b.record, "%s/modelled.json", b.folder);
	snprintf(b.errors, sizeof b.errors, "%s/errors", b.folder);
	snprintf(counts, sizeof counts, "%s", given ? given : "8 16");
	n = words_of(counts, count);
	printf("%s, modelled; %% are of its cores\n", b.machine);
	for (size_t i = 0; i < sizeof modelled / sizeof *modelled; i++)
		for (size_t k = 0; listed(getenv("DOSES"), modelled[i].name) && k < 3; k++)
			for (size_t j = 0; j < n; j++)
				one(&b, &modelled[i], modelled_share[k], count[j], &each[i]);
	printf("\n");
	for (size_t i = 0; i < sizeof modelled / sizeof *modelled; i++)
		put_errors(modelled[i].name, &each[i]);
	return 0;
}
