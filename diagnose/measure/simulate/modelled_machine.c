#include "simulate/modelled_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/number.h"

static const char *const count_name[SD_MODELLED_COUNT] = {
#define X(id, name, meaning) [SD_MODELLED_##id] = (name),
	SD_MODELLED_COUNTS(X)
#undef X
};

struct reader {
	const char *file;
	const struct sd_sink *sink;
};

#define bad(r, s, ...) \
	sd_config_fields_bad((r)->sink, (r)->file, sd_config_fields_line(s), __VA_ARGS__)

/* A number in [low, high], whole or not. */
static int number(const struct reader *r, const config_setting_t *group, const char *key,
	double low, double high, double *out)
{
	const config_setting_t *const s = config_setting_get_member(group, key);

	if (!s)
		return bad(r, group, "%s is missing", key);
	if (config_setting_type(s) == CONFIG_TYPE_FLOAT)
		*out = config_setting_get_float(s);
	else if (config_setting_type(s) == CONFIG_TYPE_INT)
		*out = config_setting_get_int(s);
	else
		return bad(r, s, "%s: must be a number", key);
	return *out >= low && *out <= high ? 0
					   : bad(r, s, "%s: must be from %g to %g", key, low, high);
}

static int whole(const struct reader *r, const config_setting_t *group, const char *key,
	unsigned low, unsigned high, unsigned *out)
{
	double v = 0;
	const int rc = number(r, group, key, low, high, &v);

	*out = (unsigned)v;
	return rc;
}

static int text(
	const struct reader *r, const config_setting_t *group, const char *key, const char **out)
{
	const config_setting_t *const s = config_setting_get_member(group, key);

	*out = s ? config_setting_get_string(s) : NULL;
	return *out && **out ? 0 : bad(r, s ? s : group, "%s: must be a text", key);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The one word of a text, which is cut; NULL: there is another, or none. */
static char *word_of(char *text)
{
	char *const word = text + strspn(text, " ");
	char *const end = word + strcspn(word, " ");

	if (!*word || end[strspn(end, " ")])
		return NULL;
	*end = '\0';
	return word;
}

/* "2 * locked" or "locked"; `term` is overwritten. */
static int add_term(struct sd_modelled_event *e, char *term)
{
	char *const star = strchr(term, '*');
	const char *const name = word_of(star ? star + 1 : term);
	const char *factor;
	double weight = 1;

	if (star) {
		*star = '\0';
		factor = word_of(term);
		if (!factor || sd_number_double(factor, 0, 1e6, &weight))
			return -EINVAL;
	}
	if (!name)
		return -EINVAL;
	for (size_t i = 0; i < SD_MODELLED_COUNT; i++)
		if (strcmp(name, count_name[i]) == 0) {
			e->weight[i] += weight;
			return 0;
		}
	return -ENOENT;
}

static int read_sum(const struct reader *r, const config_setting_t *group, const char *sum,
	struct sd_modelled_event *e)
{
	char *const copy = sum ? strdup(sum) : NULL, *rest = copy, *term;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (term = strsep(&rest, "+")) != NULL) {
		term += strspn(term, " ");
		rc = add_term(e, term);
		if (rc)
			rc = bad(r, group, "sum: '%.40s' is no count of the model", term);
	}
	free(copy);
	return rc;
}

static int read_event(
	const struct reader *r, const config_setting_t *group, struct sd_modelled_event *e)
{
	static const char *const keys[] = {"event", "sum", NULL};
	const char *name = NULL, *sum = NULL;
	int rc = config_setting_type(group) == CONFIG_TYPE_GROUP
			 ? sd_config_fields_only(r->sink, r->file, group, keys)
			 : bad(r, group, "counts: must be a list of groups");

	if (!rc)
		rc = text(r, group, "event", &name);
	if (!rc)
		rc = text(r, group, "sum", &sum);
	if (!rc && (!name || !(e->name = strdup(name))))
		rc = -ENOMEM;
	return rc ? rc : read_sum(r, group, sum, e);
}

static int read_counts(
	const struct reader *r, const config_setting_t *group, struct sd_modelled_pmu *out)
{
	const config_setting_t *const list = config_setting_get_member(group, "counts");
	int rc = 0;

	if (!list || config_setting_type(list) != CONFIG_TYPE_LIST)
		return bad(r, list ? list : group, "counts = ( ... ) is missing");
	out->event = calloc((size_t)config_setting_length(list) + 1, sizeof *out->event);
	if (!out->event)
		return -ENOMEM;
	for (int i = 0; !rc && i < config_setting_length(list); i++)
		rc = read_event(
			r, config_setting_get_elem(list, (unsigned)i), &out->event[out->n++]);
	return rc;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static int read_cycles(
	const struct reader *r, const config_setting_t *group, struct sd_modelled_machine *out)
{
	static const char *const keys[] = {"l2", "llc", "memory", "peer", "far", "walk", NULL};
	unsigned *const to[] = {&out->costs.l2, &out->costs.llc, &out->costs.memory,
		&out->costs.transfer, &out->far, &out->costs.walk};
	const config_setting_t *const g = config_setting_get_member(group, "cycles");
	int rc;

	if (!g || config_setting_type(g) != CONFIG_TYPE_GROUP)
		return bad(r, g ? g : group, "cycles = { ... } is missing");
	rc = sd_config_fields_only(r->sink, r->file, g, keys);
	for (size_t i = 0; !rc && keys[i]; i++)
		rc = whole(r, g, keys[i], 1, 100000, to[i]);
	return rc;
}

int sd_modelled_machine_read(struct sd_modelled_machine *out, const char *file,
	const config_setting_t *group, const struct sd_sink *sink)
{
	static const char *const keys[] = {"family", "mhz", "cores", "sockets", "instructions",
		"ahead", "bus", "cycles", "counts", NULL};
	const struct reader r = {file, sink};
	const char *family = "";
	double mhz = 0, bus = 0;
	int rc = sd_config_fields_only(sink, file, group, keys);

	if (!rc)
		rc = text(&r, group, "family", &family);
	if (!rc)
		rc = number(&r, group, "mhz", 1, 100000, &mhz);
	if (!rc)
		rc = whole(&r, group, "cores", 1, 1024, &out->cores);
	if (!rc)
		rc = whole(&r, group, "sockets", 1, 64, &out->sockets);
	if (!rc)
		rc = whole(&r, group, "instructions", 1, 4096, &out->instructions);
	if (!rc)
		rc = whole(&r, group, "ahead", 0, 64, &out->ahead);
	if (!rc)
		rc = number(&r, group, "bus", 0, 10000, &bus);
	if (!rc)
		rc = read_cycles(&r, group, out);
	if (!rc && out->cores % out->sockets)
		rc = bad(&r, group, "cores: %u are no whole number a socket", out->cores);
	if (!rc)
		rc = read_counts(&r, group, &out->pmu);
	snprintf(out->pmu.family, sizeof out->pmu.family, "%s", family);
	out->costs.hz = mhz * 1e6;
	out->bus = (unsigned)(bus * 100 + .5);
	return rc;
}

void sd_modelled_machine_free(struct sd_modelled_machine *m)
{
	for (size_t i = 0; i < m->pmu.n; i++)
		free(m->pmu.event[i].name);
	free(m->pmu.event);
	*m = (struct sd_modelled_machine){0};
}
