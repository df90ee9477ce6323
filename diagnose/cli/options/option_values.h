/*
 * What the value of an option of `scalediag run` must be: one function an option. Each takes the
 * value into *a; 0, -EINVAL after one message that names the option, its value and what is allowed,
 * or -ENOMEM without one.
 */
#ifndef SD_SETTINGS_H
#define SD_SETTINGS_H

#include "options/run_options.h"
#include "base/sink.h"

int sd_set_cores(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_weak(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_place(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_repeats(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_budget(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_timeout(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_env(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_cwd(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_prepare(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_rate(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_output(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_html(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_resume(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_seed(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_events(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_machine(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_sim_from(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_sim_for(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_samples(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_keep_samples(struct sd_arguments *a, const char *v, const struct sd_sink *sink);
int sd_set_experiments(struct sd_arguments *a, const char *v, const struct sd_sink *sink);

#endif
