#include "simulate/machine_model.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/configs.h"
#include "simulate/host_machine.h"
#include "simulate/machine_limits.h"
#include "base/nearest.h"

#define MOST_L1_LINES 16384u
#define MOST_ENTRIES 65536u
#define MOST_SHARERS 4096u
#define MOST_NESTING 16

/* `s` NULL: the file as a whole */
#define bad(r, s, ...) \
	sd_config_fields_bad((r)->sink, (r)->file, (s) ? sd_config_fields_line(s) : 0, __VA_ARGS__)

struct reader {
	const char *file;
	const struct sd_sink *sink;
	struct sd_modelled_machine *model; /* NULL: not asked for */
};

/* A whole number in [low, high]; `needed` or left as it is. */
static int whole(const struct reader *r, const config_setting_t *group, const char *key,
	uint64_t low, uint64_t high, int needed, uint64_t *out)
{
	const config_setting_t *const s = config_setting_get_member(group, key);
	long long v;

	if (!s)
		return needed ? bad(r, group, "%s is missing", key) : 0;
	if (config_setting_type(s) == CONFIG_TYPE_INT)
		v = config_setting_get_int(s);
	else if (config_setting_type(s) == CONFIG_TYPE_INT64)
		v = config_setting_get_int64(s);
	else
		return bad(r, s, "%s: must be a whole number", key);
	if (v < 0 || (uint64_t)v < low || (uint64_t)v > high)
		return bad(r, s, "%s: must be from %llu to %llu", key, (unsigned long long)low,
			(unsigned long long)high);
	*out = (uint64_t)v;
	return 0;
}

static int flag(const struct reader *r, const config_setting_t *group, const char *key, int *out)
{
	const config_setting_t *const s = config_setting_get_member(group, key);

	if (s && config_setting_type(s) != CONFIG_TYPE_BOOL)
		return bad(r, s, "%s: must be true or false", key);
	if (s)
		*out = config_setting_get_bool(s);
	return 0;
}

static int text(const struct reader *r, const config_setting_t *group, const char *key, size_t most,
	const char **out)
{
	const config_setting_t *const s = config_setting_get_member(group, key);
	const char *v;

	if (!s)
		return bad(r, group, "%s is missing", key);
	v = config_setting_get_string(s);
	if (!v || !*v || strlen(v) > most)
		return bad(r, s, "%s: must be a text of 1 to %zu bytes", key, most);
	if (!sd_config_fields_prints(v))
		return bad(r, s, "%s: holds a character that does not print", key);
	*out = v;
	return 0;
}

static int group_of(const struct reader *r, const config_setting_t *root, const char *key,
	int needed, config_setting_t **out)
{
	*out = config_setting_get_member(root, key);
	if (!*out)
		return needed ? bad(r, root, "%s = { ... } is missing", key) : 0;
	if (config_setting_type(*out) != CONFIG_TYPE_GROUP)
		return bad(r, *out, "%s: must be a group { ... }", key);
	return 0;
}

static int read_level(const struct reader *r, const config_setting_t *root, const char *key,
	int needed, unsigned line, struct sd_sim_level *out)
{
	static const char *const keys[] = {"kib", "ways", "sharers", "inclusive", NULL};
	uint64_t kib = 0, ways = 1, sharers = 1;
	config_setting_t *g;
	int rc = group_of(r, root, key, needed, &g);

	if (rc || !g)
		return rc;
	rc = sd_config_fields_only(r->sink, r->file, g, keys);
	if (!rc)
		rc = whole(r, g, "kib", 1, SD_MACHINE_MOST_KIB, 1, &kib);
	if (!rc)
		rc = whole(r, g, "ways", 1, SD_MACHINE_MOST_WAYS, 1, &ways);
	if (!rc)
		rc = whole(r, g, "sharers", 1, MOST_SHARERS, 0, &sharers);
	if (!rc)
		rc = flag(r, g, "inclusive", &out->inclusive);
	if (!rc && (kib << 10) % (ways * line))
		rc = bad(r, g,
			"%s: %llu KiB in %llu ways of %u-byte lines is no whole number of sets",
			key, (unsigned long long)kib, (unsigned long long)ways, line);
	out->bytes = kib << 10;
	out->ways = (unsigned)ways;
	out->sharers = (unsigned)sharers;
	return rc;
}

static int read_tlb(const struct reader *r, const config_setting_t *root, const char *key,
	int needed, unsigned *entries, unsigned *ways)
{
	static const char *const keys[] = {"entries", "ways", NULL};
	uint64_t n = 0, w = 0;
	config_setting_t *g;
	int rc = group_of(r, root, key, needed, &g);

	if (rc || !g)
		return rc;
	rc = sd_config_fields_only(r->sink, r->file, g, keys);
	if (!rc)
		rc = whole(r, g, "entries", 1, MOST_ENTRIES, 1, &n);
	if (!rc)
		rc = whole(r, g, "ways", 1, MOST_ENTRIES, 1, &w);
	/* the bits of an address choose the set */
	if (!rc && (n % w || !sd_machine_is_power_of_two(n / w)))
		rc = bad(r, g, "%s: %llu entries in %llu ways are no power of two of sets", key,
			(unsigned long long)n, (unsigned long long)w);
	*entries = (unsigned)n;
	*ways = (unsigned)w;
	return rc;
}

/* Checks L1: bits of an address choose its set, and its lines fit into the model's table. */
static int check_l1(
	const struct reader *r, const config_setting_t *root, const struct sd_sim_machine *m)
{
	const config_setting_t *const l1 = config_setting_get_member(root, "l1");
	const uint64_t sets = m->l1.bytes / ((uint64_t)m->l1.ways * m->line);

	if (!sd_machine_is_power_of_two(sets))
		return bad(r, l1, "l1: %llu sets are no power of two", (unsigned long long)sets);
	if (sets * m->l1.ways > MOST_L1_LINES)
		return bad(r, l1, "l1: has more than %u lines", MOST_L1_LINES);
	return 0;
}

/* Checks what only the levels together show. */
static int check_levels(
	const struct reader *r, const config_setting_t *root, const struct sd_sim_machine *m)
{
	if (m->l1.sharers > 1 || m->l2.sharers > 1)
		return bad(r, config_setting_get_member(root, m->l1.sharers > 1 ? "l1" : "l2"),
			"sharers: only the llc is shared; a shared L2 that is the last level is the llc");
	if (m->l2.bytes && m->l2.bytes < m->l1.bytes)
		return bad(r, config_setting_get_member(root, "l2"), "l2 is smaller than l1");
	if (m->llc.bytes < (m->l2.bytes ? m->l2.bytes : m->l1.bytes))
		return bad(r, config_setting_get_member(root, "llc"),
			"llc is smaller than the level before it");
	if (m->stlb_entries && m->stlb_entries < m->dtlb_entries)
		return bad(r, config_setting_get_member(root, "stlb"), "stlb is smaller than dtlb");
	return 0;
}

/* Reads a model; one that is not asked for is checked, too. */
static int read_model(const struct reader *r, const config_setting_t *group, const char *title)
{
	struct sd_modelled_machine mine = {0};
	struct sd_modelled_machine *const to = r->model ? r->model : &mine;
	const int rc = sd_modelled_machine_read(to, r->file, group, r->sink);

	snprintf(to->title, sizeof to->title, "%s", title);
	if (!r->model)
		sd_modelled_machine_free(&mine);
	return rc;
}

static int read_machine(
	const struct reader *r, const config_setting_t *root, struct sd_sim_machine *out)
{
	static const char *const keys[] = {"name", "title", "source", "line", "l1", "l2", "llc",
		"dtlb", "stlb", "page_kib", "adjacent", "model", NULL};
	const char *name = "", *title = "", *rest;
	config_setting_t *model = NULL;
	uint64_t line = 64, page = 4;
	int rc = sd_config_fields_only(r->sink, r->file, root, keys);

	if (!rc)
		rc = text(r, root, "name", sizeof out->name - 1, &name);
	if (!rc)
		rc = text(r, root, "title", 400, &title);
	if (!rc)
		rc = text(r, root, "source", 400, &rest);
	if (!rc)
		rc = whole(r, root, "line", 16, SD_SIM_LINE, 0, &line);
	if (!rc && !sd_machine_is_power_of_two(line))
		rc = bad(r, config_setting_get_member(root, "line"),
			"line: %llu bytes is no power of two", (unsigned long long)line);
	if (!rc)
		rc = read_level(r, root, "l1", 1, (unsigned)line, &out->l1);
	if (!rc)
		rc = read_level(r, root, "l2", 0, (unsigned)line, &out->l2);
	if (!rc)
		rc = read_level(r, root, "llc", 1, (unsigned)line, &out->llc);
	if (!rc)
		rc = read_tlb(r, root, "dtlb", 1, &out->dtlb_entries, &out->dtlb_ways);
	if (!rc)
		rc = read_tlb(r, root, "stlb", 0, &out->stlb_entries, &out->stlb_ways);
	if (!rc)
		rc = whole(r, root, "page_kib", 4, 2048, 0, &page);
	if (!rc && page != 4 && page != 2048)
		rc = bad(r, config_setting_get_member(root, "page_kib"),
			"page_kib: pages of 4 or 2048 KiB are modelled, not of %llu",
			(unsigned long long)page);
	if (!rc)
		rc = flag(r, root, "adjacent", &out->adjacent);
	snprintf(out->name, sizeof out->name, "%s", name);
	out->line = (unsigned)line;
	out->page = (unsigned)(page << 10);
	if (!rc)
		rc = check_l1(r, root, out);
	if (!rc)
		rc = group_of(r, root, "model", 0, &model);
	if (!rc && model)
		rc = read_model(r, model, title);
	return rc ? rc : check_levels(r, root, out);
}

/* libconfig's parser recurses without a limit, and a NUL would end the text for it in silence. */
static int check_text(const struct reader *r, const char *s, size_t size)
{
	unsigned depth = 0, most = 0;

	for (size_t i = 0; i < size; i++) {
		depth += s[i] == '{' || s[i] == '(' || s[i] == '[';
		most = depth > most ? depth : most;
		depth -= depth && (s[i] == '}' || s[i] == ')' || s[i] == ']');
	}
	return most > MOST_NESTING ? bad(r, NULL, "too many groups for a machine") : 0;
}

int sd_machine_parse(const char *file, const char *s, size_t size, struct sd_sim_machine *out,
	struct sd_modelled_machine *model, const struct sd_sink *sink)
{
	const struct reader r = {.file = file, .sink = sink, .model = model};
	config_t config;
	int rc = check_text(&r, s, size);

	*out = (struct sd_sim_machine){0};
	if (!rc)
		rc = sd_config_fields_parse(&config, file, s, size, sink);
	if (rc)
		return rc;
	rc = read_machine(&r, config_root_setting(&config), out);
	config_destroy(&config);
	if (rc)
		*out = (struct sd_sim_machine){0};
	return rc;
}

/* ---- by name --------------------------------------------------------------------------------- */

static int parse_config(const char *dir, const char *name, struct sd_sim_machine *out,
	struct sd_modelled_machine *model, const struct sd_sink *sink)
{
	struct sd_config c = {0};
	int rc = sd_configs_get(dir, name, &c, sink);

	if (!rc)
		rc = sd_machine_parse(c.name, c.text, c.size, out, model, sink);
	sd_config_free(&c);
	return rc;
}

static int refuse(const char *name, const struct sd_texts *names, const struct sd_sink *sink)
{
	char known[512] = "host", hint[SD_NEAREST_HINT];
	struct sd_nearest near;

	sd_nearest_begin(&near, name, strlen(name));
	sd_nearest_try(&near, "host"); /* of no file */
	for (size_t i = 0; i < names->n; i++) {
		const char *const base = strrchr(names->text[i], '/');
		const size_t used = strlen(known);

		snprintf(known + used, sizeof known - used, ", %s",
			base ? base + 1 : names->text[i]);
		known[strlen(known) - strlen(".conf")] = '\0';
		sd_nearest_try(&near, base ? base + 1 : names->text[i]);
	}
	if (near.best)
		snprintf(hint, sizeof hint, "; did you mean '%.*s'?", (int)strcspn(near.best, "."),
			near.best);
	sd_say(sink, SD_LEVEL_ERROR,
		"--machine '%s': no such machine and no such file; there are %s%s", name, known,
		near.best ? hint : "");
	return -ENOENT;
}

static int find_file(const char *name, struct sd_sim_machine *out,
	struct sd_modelled_machine *model, const struct sd_sink *sink)
{
	const char *const dir = sd_configs_dir();
	struct sd_texts names = {0};
	struct sd_config c = {0};
	char wanted[128];
	int rc, is_preset = 0;

	*out = (struct sd_sim_machine){0};
	snprintf(wanted, sizeof wanted, "machines/%.100s.conf", name);
	rc = sd_configs_list(dir, "machines", &names, sink);
	for (size_t i = 0; !rc && i < names.n; i++)
		is_preset |= strcmp(names.text[i], wanted) == 0;
	if (!rc && is_preset)
		rc = parse_config(dir, wanted, out, model, sink);
	else if (!rc && !strchr(name, '/') && !strchr(name, '.'))
		rc = refuse(name, &names, sink);
	else if (!rc) {
		rc = sd_config_read(name, &c, sink);
		if (!rc)
			rc = sd_machine_parse(c.name, c.text, c.size, out, model, sink);
		sd_config_free(&c);
	}
	sd_texts_free(&names);
	return rc;
}

int sd_machine_find(const char *name, const struct sd_topology *t, struct sd_sim_machine *out,
	const struct sd_sink *sink)
{
	if (name && strcmp(name, "host") != 0)
		return find_file(name, out, NULL, sink);
	*out = (struct sd_sim_machine){0};
	sd_host_machine(t, out, sink);
	return 0;
}

int sd_machine_find_whole(const char *name, struct sd_sim_machine *out,
	struct sd_modelled_machine *model, const struct sd_sink *sink)
{
	int rc;

	*model = (struct sd_modelled_machine){0};
	if (!name || strcmp(name, "host") == 0) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--events model: say which machine is to be modelled: --machine core2-quad");
		return -EINVAL;
	}
	rc = find_file(name, out, model, sink);
	if (!rc && !model->cores) {
		sd_say(sink, SD_LEVEL_ERROR,
			"--machine '%s': its caches can be modelled (--events sim), but not the whole of it: its file has no model = { ... }",
			name);
		rc = -EINVAL;
	}
	if (rc)
		sd_modelled_machine_free(model);
	return rc;
}
