/*
 * Parses the values of the options of `scalediag run`, one function an option. Each stores the
 * value in *a and returns 0; -EINVAL after a message that names the option, its value and what is
 * allowed; or -ENOMEM without a message.
 */
#ifndef SD_OPTION_VALUES_H
#define SD_OPTION_VALUES_H

#include "options/run_options.h"
#include "base/sink.h"

int sd_option_cores(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_ranks(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_points(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_repeats(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_budget(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_timeout(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_env(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_cwd(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_prepare(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_region(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_latency(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_rate(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_output(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_html(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_resume(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_seed(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_machine(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_sim(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_keep_samples(struct sd_run_options *a, const char *v, const struct sd_sink *sink);
int sd_option_experiments(struct sd_run_options *a, const char *v, const struct sd_sink *sink);

#endif
