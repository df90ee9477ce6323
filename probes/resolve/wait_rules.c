#include "resolve/wait_rules.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/configs.h"

#define PATTERN_MOST 200 /* characters */

#define bad(r, s, ...) \
	sd_config_fields_bad((r)->sink, (r)->name, sd_config_fields_line(s), __VA_ARGS__)

struct reader {
	struct sd_wait_rules *rules;
	const char *name;
	const struct sd_sink *sink;
	int kernel, first;
};

static void free_rule(struct sd_waitrule *rule)
{
	free(rule->function);
	free(rule->module);
	free(rule->caller);
	*rule = (struct sd_waitrule){0};
}

static int take_pattern(
	const struct reader *r, config_setting_t *group, const char *key, char **out)
{
	config_setting_t *const s = config_setting_get_member(group, key);
	const char *text;

	if (!s)
		return 0;
	text = config_setting_get_string(s);
	if (!text || strlen(text) > PATTERN_MOST)
		return bad(r, s, "%s: must be a pattern in quotes, at most %d characters", key,
			PATTERN_MOST);
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

static int take_activity(
	const struct reader *r, config_setting_t *group, const char *key, enum sd_activity *out)
{
	config_setting_t *const s = config_setting_get_member(group, key);
	const int waits = strcmp(key, "blocked") == 0;
	const char *text;

	*out = SD_ACTIVITY_COUNT;
	if (!s)
		return 0;
	text = config_setting_get_string(s);
	for (int i = 0; text && i < SD_ACTIVITY_COUNT; i++)
		if (strcmp(text, sd_activity_info[i].name) == 0 &&
			(sd_activity_info[i].group == SD_GROUP_WAITING) == waits)
			*out = (enum sd_activity)i;
	if (*out == SD_ACTIVITY_COUNT)
		return bad(r, s, "%s: '%.40s' is no activity of a thread that %s", key,
			text ? text : "", waits ? "waits" : "runs");
	return 0;
}

static int take_bool(const struct reader *r, config_setting_t *group, const char *key, int *out)
{
	config_setting_t *const s = config_setting_get_member(group, key);

	if (!s)
		return 0;
	if (config_setting_type(s) != CONFIG_TYPE_BOOL)
		return bad(r, s, "%s: must be true or false", key);
	*out = config_setting_get_bool(s);
	return 0;
}

static int take_within(const struct reader *r, config_setting_t *group, int *out)
{
	config_setting_t *const s = config_setting_get_member(group, "within");

	*out = SD_WAIT_RULES_NEAR;
	if (!s)
		return 0;
	*out = config_setting_get_int(s);
	if (config_setting_type(s) != CONFIG_TYPE_INT || *out < 1 || *out > SD_WAIT_RULES_NEAR)
		return bad(r, s, "within: must be a number of frames, 1 to %d", SD_WAIT_RULES_NEAR);
	return 0;
}

static int take_rule(const struct reader *r, config_setting_t *group, struct sd_waitrule *out)
{
	static const char *const keys[] = {"function", "module", "caller", "blocked", "running",
		"weak", "switches", "interprets", "within", NULL};
	int rc;

	*out = (struct sd_waitrule){.kernel = r->kernel, .first = r->first};
	if (!config_setting_is_group(group))
		return bad(r, group, "a rule is a group: { function = ...; ... }");
	rc = sd_config_fields_only(r->sink, r->name, group, keys);
	if (!rc)
		rc = take_pattern(r, group, "function", &out->function);
	if (!rc && !out->function)
		rc = bad(r, group, "a rule names a function");
	if (!rc)
		rc = take_pattern(r, group, "module", &out->module);
	if (!rc)
		rc = take_pattern(r, group, "caller", &out->caller);
	if (!rc)
		rc = take_within(r, group, &out->within);
	if (!rc)
		rc = take_activity(r, group, "blocked", &out->blocked);
	if (!rc)
		rc = take_activity(r, group, "running", &out->running);
	if (!rc)
		rc = take_bool(r, group, "weak", &out->weak);
	if (!rc)
		rc = take_bool(r, group, "switches", &out->switches);
	if (!rc)
		rc = take_bool(r, group, "interprets", &out->interprets);
	if (!rc && out->blocked == SD_ACTIVITY_COUNT && out->running == SD_ACTIVITY_COUNT &&
		!out->switches && !out->interprets)
		rc = bad(r, group, "a rule says what is blocked or running there");
	return rc;
}

static int take_rules(const struct reader *r, config_setting_t *root)
{
	static const char *const keys[] = {"kernel", "first", "rules", NULL};
	config_setting_t *const list = config_setting_get_member(root, "rules");
	struct sd_wait_rules *const rules = r->rules;
	const int n = list ? config_setting_length(list) : 0;
	struct sd_waitrule *grown;
	int rc = sd_config_fields_only(r->sink, r->name, root, keys);

	if (!rc && (!list || !config_setting_is_list(list)))
		rc = bad(r, list ? list : root, "rules = ( { ... }, ... ) is missing");
	if (!rc && rules->n + (size_t)n > SD_WAIT_RULES_MOST)
		rc = bad(r, list, "more than %d rules together", SD_WAIT_RULES_MOST);
	if (rc || n == 0)
		return rc;
	grown = reallocarray(rules->rule, rules->n + (size_t)n, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	rules->rule = grown;
	for (int i = 0; i < n && !rc; i++) {
		rc = take_rule(r, config_setting_get_elem(list, (unsigned)i),
			&grown[rules->n + (size_t)i]);
		if (rc)
			for (int k = 0; k <= i; k++)
				free_rule(&grown[rules->n + (size_t)k]);
	}
	rules->n += rc ? 0 : (size_t)n;
	return rc;
}

int sd_wait_rules_parse(struct sd_wait_rules *rules, const char *name, const char *text,
	size_t size, const struct sd_sink *sink)
{
	struct reader r = {.rules = rules, .name = name, .sink = sink};
	config_setting_t *root;
	config_t config;
	int rc = sd_config_fields_parse(&config, name, text, size, sink);

	if (rc)
		return rc;
	root = config_root_setting(&config);
	rc = take_bool(&r, root, "kernel", &r.kernel);
	if (!rc)
		rc = take_bool(&r, root, "first", &r.first);
	if (!rc)
		rc = take_rules(&r, root);
	config_destroy(&config);
	return rc;
}

int sd_wait_rules_load(struct sd_wait_rules *r, const char *dir, const struct sd_sink *sink)
{
	struct sd_texts names = {0};
	int rc = sd_configs_list(dir, "waits", &names, sink);

	*r = (struct sd_wait_rules){0};
	for (size_t i = 0; !rc && i < names.n; i++) {
		struct sd_config config;

		rc = sd_configs_get(dir, names.text[i], &config, sink);
		if (rc)
			break;
		rc = sd_wait_rules_parse(r, config.name, config.text, config.size, sink);
		sd_config_free(&config);
	}
	sd_texts_free(&names);
	if (rc)
		sd_wait_rules_free(r);
	return rc;
}

void sd_wait_rules_free(struct sd_wait_rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		free_rule(&r->rule[i]);
	free(r->rule);
	*r = (struct sd_wait_rules){0};
}
