#include "options/option_values.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "launch/command_words.h"
#include "record/experiment.h"
#include "record/region_run.h"
#include "base/nearest.h"
#include "base/number.h"

#include "options/common_values.h"
#include "options/core_list.h"
#include "options/rank_list.h"

static int refuse(
	const struct sd_sink *sink, const char *option, const char *value, const char *allowed)
{
	sd_say(sink, SD_LEVEL_ERROR, "--%s '%s': %s", option, value, allowed);
	return -EINVAL;
}

int sd_option_cores(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	a->has_cores = 1;
	return sd_core_list_parse(v, &a->options, "--cores", sink);
}

int sd_option_ranks(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	return sd_rank_list_parse_ranks(v, &a->options, sink);
}

int sd_option_points(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	return sd_rank_list_parse_points(v, &a->options, sink);
}

int sd_option_repeats(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	uint64_t n;

	if (sd_number_u64(v, 1, 10000, &n) < 0)
		return refuse(sink, "repeats", v, "must be a whole number of runs from 1 to 10000");
	a->options.repeats = (unsigned)n;
	return 0;
}

static int set_seconds(const char *option, const char *v, const struct sd_sink *sink, double *out)
{
	return -sd_common_values_seconds(sink, option, v, 0.001, 1e8, out);
}

int sd_option_budget(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	a->has_budget = 1;
	return set_seconds("budget", v, sink, &a->options.budget_s);
}

int sd_option_timeout(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	a->has_timeout = 1;
	return set_seconds("timeout", v, sink, &a->options.timeout_s);
}

int sd_option_env(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	struct sd_options *const o = &a->options;
	char **env;

	if (!*v || !strchr(first, *v) ||
		v[strspn(v, "0123456789"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz_")] != '=')
		return refuse(sink, "env", v,
			"must be NAME=VALUE, the name of letters, digits and _, not beginning with "
			"a digit");
	env = reallocarray(o->env, o->n_env + 1, sizeof *env);
	if (!env)
		return -ENOMEM;
	o->env = env;
	/* main's own string, which argp made const on the way here */
	memcpy(&o->env[o->n_env++], &v, sizeof v);
	return 0;
}

int sd_option_cwd(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	struct stat st;

	if (stat(v, &st) < 0)
		return refuse(sink, "cwd", v, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return refuse(sink, "cwd", v, "must be a folder");
	a->options.cwd = v;
	return 0;
}

int sd_option_prepare(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	char **words = NULL;
	int rc;

	if (!v[strspn(v, " \t\n")])
		return refuse(sink, "prepare", v, "must be a command");
	rc = sd_command_words_split(v, "--prepare", &words, sink);
	sd_command_words_free(words);
	a->options.prepare = v;
	return rc;
}

int sd_option_rate(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	regex_t re;
	char why[256];
	const int rc = regcomp(&re, v, REG_EXTENDED | REG_NEWLINE);

	if (rc != 0) {
		regerror(rc, &re, why, sizeof why);
		return refuse(sink, "rate", v, why);
	}
	if (re.re_nsub < 1) {
		regfree(&re);
		return refuse(sink, "rate", v,
			"must have a group around the number, such as 'ops/s: ([0-9.]+)'");
	}
	regfree(&re);
	a->options.rate = v;
	return 0;
}

int sd_option_region(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (!*v || strlen(v) >= SD_REGION_NAME)
		return refuse(sink, "region", v, "must be the name that the program gives it");
	a->options.region = v;
	return 0;
}

int sd_option_latency(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (!*v || strlen(v) >= SD_REGION_NAME)
		return refuse(sink, "latency", v, "must be the name that the program gives it");
	a->options.latency = v;
	return 0;
}

int sd_option_output(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (!*v || v[strlen(v) - 1] == '/')
		return refuse(sink, "output", v, "must be the name of a file");
	if (strcmp(v, "-") == 0)
		return refuse(sink, "output", v,
			"must be the name of a file, since runs are added to it; --json prints the "
			"report");
	a->options.record = v;
	return 0;
}

int sd_option_html(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (!*v || v[strlen(v) - 1] == '/')
		return refuse(sink, "html", v, "must be the name of a file");
	a->options.html = v;
	return 0;
}

int sd_option_resume(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	a->options.resume = 1;
	return sd_option_output(a, v, sink);
}

int sd_option_seed(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (sd_number_u64(v, 0, UINT32_MAX, &a->options.seed) < 0)
		return refuse(sink, "seed", v, "must be a whole number from 0 to 4294967295");
	return 0;
}

int sd_option_machine(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (!*v || strlen(v) > 4000)
		return refuse(sink, "machine", v, "must be host, the name of a machine, or a file");
	a->options.machine = v;
	return 0;
}

/* Seconds of the emulated run, or a function: a name that the plugin's options can carry. */
static int set_part(
	const char *v, const char *expected, const struct sd_sink *sink, const char **out)
{
	double s;

	if (v[0] == '@' ? !v[1] || strlen(v) > 255 || strpbrk(v, "= \t\n") != NULL
			: sd_number_double(v, 0, 1e8, &s) < 0)
		return refuse(sink, "sim", v, expected);
	*out = v;
	return 0;
}

static int set_from(struct sd_options *o, const char *v, const struct sd_sink *sink)
{
	return set_part(v,
		"from= must be a number of seconds from 0 to 1e8, or @ and the name of a function",
		sink, &o->sim_from);
}

static int set_for(struct sd_options *o, const char *v, const struct sd_sink *sink)
{
	char *end;
	const long share = strtol(v, &end, 10);

	if (strcmp(v, "all") != 0 && (*v < '0' || *v > '9' || strcmp(end, "%") != 0))
		return set_part(v,
			"for= must be a number of seconds from 0 to 1e8, a share such as 10%, all, "
			"or @ and the name of a function",
			sink, &o->sim_for);
	if (*v != 'a' && (share < 1 || share > 50))
		return refuse(sink, "sim", v, "for= must be from 1% to 50% of the instructions");
	o->sim_for = v;
	return 0;
}

static int set_repeats(struct sd_options *o, const char *v, const struct sd_sink *sink)
{
	uint64_t n;

	if (sd_number_u64(v, 1, 1000, &n) < 0)
		return refuse(
			sink, "sim", v, "repeats= must be a whole number of runs from 1 to 1000");
	o->sim_repeats = (unsigned)n;
	return 0;
}

/* from=, for=, repeats=, with commas between. */
int sd_option_sim(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	static const struct {
		const char *key;
		int (*set)(struct sd_options *o, const char *v, const struct sd_sink *sink);
	} row[] = {{"from=", set_from}, {"for=", set_for}, {"repeats=", set_repeats}};
	char *rest;
	int rc = 0;

	free(a->sim);
	a->sim = rest = strdup(v);
	if (!rest)
		return -ENOMEM;
	for (char *word; !rc && (word = strsep(&rest, ","));) {
		size_t i = 0;

		while (i < sizeof row / sizeof *row &&
			strncmp(word, row[i].key, strlen(row[i].key)) != 0)
			i++;
		rc = i < sizeof row / sizeof *row
			     ? row[i].set(&a->options, word + strlen(row[i].key), sink)
			     : refuse(sink, "sim", word,
				       "must be from=WHERE, for=LENGTH or repeats=RUNS, with commas "
				       "between them");
	}
	return rc;
}

int sd_option_keep_samples(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	if (v && !*v)
		return refuse(sink, "keep-samples", v, "must be the name of a folder");
	a->options.keep_samples = 1;
	a->options.keep_folder = v;
	return 0;
}

/* auto, none, all, or names with commas between them. */
static void nearest_experiment(const char *name, struct sd_nearest *n)
{
	sd_nearest_begin(n, name, strlen(name));
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		sd_nearest_try(n, sd_experiment_info[i].name);
}

int sd_option_experiments(struct sd_run_options *a, const char *v, const struct sd_sink *sink)
{
	struct sd_options *const o = &a->options;
	char known[512] = "", *list, *rest = NULL;
	struct sd_nearest near = {0};
	int rc = 0;

	o->experiment = 0;
	o->experiments = strcmp(v, "auto") == 0   ? SD_EXPERIMENTS_AUTO
			 : strcmp(v, "none") == 0 ? SD_EXPERIMENTS_NONE
						  : SD_EXPERIMENTS_LIST;
	if (o->experiments != SD_EXPERIMENTS_LIST)
		return 0;
	if (strcmp(v, "all") == 0) {
		o->experiment = (1ul << SD_EXPERIMENT_COUNT) - 1;
		return 0;
	}
	list = strdup(v);
	if (!list)
		return -ENOMEM;
	for (const char *name = strtok_r(list, ",", &rest); name;
		name = strtok_r(NULL, ",", &rest)) {
		enum sd_experiment e;

		rc = sd_experiment_parse(name, &e);
		if (rc) {
			nearest_experiment(name, &near);
			break;
		}
		o->experiment |= 1ul << e;
	}
	free(list);
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		snprintf(known + strlen(known), sizeof known - strlen(known), ", %s",
			sd_experiment_info[i].name);
	if (near.best) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--experiments '%s': no such experiment; did you mean '%s'?", v, near.best);
		return -EINVAL;
	}
	if (rc || !o->experiment) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--experiments '%s': must be auto, none, all or a list of%s", v, known + 1);
		return -EINVAL;
	}
	return 0;
}
