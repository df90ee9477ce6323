#include "views/events_view.h"

#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

enum { ROLE, EVENT, CODE, QUALITY, SCOPE, COUNTERS, MAP, NOTE, COLUMNS };
static const struct {
	const char *name;
	int flags;
} columns[] = {
	[ROLE] = {"ROLE", 0},
	/* the few that are very long do not push the other columns out of sight */
	[EVENT] = {"EVENT", SCOLS_FL_NOEXTREMES},
	[CODE] = {"CODE", 0},
	[QUALITY] = {"QUALITY", 0},
	[SCOPE] = {"SCOPE", 0},
	[COUNTERS] = {"COUNTERS", 0},
	[MAP] = {"MAP", 0},
	[NOTE] = {"NOTE", SCOLS_FL_RIGHT},
};

/* A table in the making, and the notes below it, each once. */
struct table {
	struct libscols_table *t;
	struct sd_texts notes;
	const struct sd_events_view *v;
};

/* Formats into a cell; a failure is kept in *rc. */
static void put(struct libscols_line *line, size_t column, int *rc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void put(struct libscols_line *line, size_t column, int *rc, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	if (*rc < 0)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0 || scols_line_refer_data(line, column, text) < 0)
		*rc = -ENOMEM;
}

static void put_counters(struct libscols_line *line, const struct sd_map_role *role, int *rc)
{
	char text[128] = "";
	size_t n = 0;

	if (role->fixed >= 0)
		n = (size_t)snprintf(text, sizeof text, "fixed %d", role->fixed);
	for (unsigned i = 0; i < 32 && n < sizeof text - 8; i++)
		if (role->counters >> i & 1)
			n += (size_t)snprintf(text + n, sizeof text - n, n ? ",%u" : "%u", i);
	put(line, COUNTERS, rc, "%s", n ? text : "any");
}

/* Each event of a role has a line; what holds for the role stands in the first. */
static void put_event(struct libscols_line *line, const struct sd_event_map *map,
	const struct sd_map_event *e, int first, int *rc)
{
	const struct sd_events_code c = sd_events_code_of(map, e);
	const char *const type = sd_events_type(e, &c.code);
	const char *const name = e->event ? e->event : e->name;
	char code[64];

	if (e->weight == 1)
		put(line, EVENT, rc, "%s%s", first ? "" : "+ ", name);
	else
		put(line, EVENT, rc, "%s%g x %s", first ? "" : "+ ", e->weight, name);
	snprintf(code, sizeof code, "%s%s0x%llx", strcmp(type, "raw") == 0 ? "" : type,
		strcmp(type, "raw") == 0 ? "" : " ", (unsigned long long)c.code.config);
	if (c.code.config1)
		put(line, CODE, rc, "%s config1=0x%llx", code, (unsigned long long)c.code.config1);
	else
		put(line, CODE, rc, "%s", code);
}

static void put_note(struct libscols_line *line, struct table *t, const char *text, int *rc)
{
	size_t i = 0;

	if (!text || *rc < 0)
		return;
	*rc = sd_texts_add_once(&t->notes, text);
	while (i < t->notes.n && strcmp(t->notes.text[i], text) != 0)
		i++;
	put(line, NOTE, rc, "%zu", i + 1);
}

static struct libscols_line *new_line(struct libscols_table *t, int *rc)
{
	struct libscols_line *const line = *rc == 0 ? scols_table_new_line(t, NULL) : NULL;

	if (!line)
		*rc = -ENOMEM;
	return line;
}

/* The role as `map` has it, headed by `head`. */
static int add_role(
	struct table *t, const struct sd_event_map *map, enum sd_role id, const char *head)
{
	const struct sd_event_map *from;
	const struct sd_map_role *const role = sd_event_map_set_role(&t->v->maps, map, id, &from);
	struct libscols_line *line;
	int rc = 0;

	if (!role)
		return 0;
	line = new_line(t->t, &rc);
	if (!line)
		return rc;
	put(line, ROLE, &rc, "%s", head);
	put(line, MAP, &rc, "%s", from->family);
	if (role->none) {
		put(line, EVENT, &rc, "none");
		put_note(line, t, role->none, &rc);
		return rc;
	}
	put(line, QUALITY, &rc, "%s", sd_quality_name(role->quality));
	put(line, SCOPE, &rc, "%s", sd_scope_name(role->scope));
	put_counters(line, role, &rc);
	put_note(line, t, role->note, &rc);
	for (size_t i = 0; i < role->n && rc == 0; i++) {
		if (i > 0)
			line = new_line(t->t, &rc);
		if (line)
			put_event(line, from, &role->events[i], i == 0, &rc);
	}
	return rc;
}

static int add_rows(struct table *t)
{
	const struct sd_events_view *const v = t->v;
	int rc = 0;

	if (v->map) {
		for (unsigned r = 0; r < SD_ROLE_COUNT && rc == 0; r++)
			if (v->role == SD_ROLE_COUNT || v->role == r)
				rc = add_role(
					t, v->map, (enum sd_role)r, sd_role_name((enum sd_role)r));
		return rc;
	}
	for (size_t i = 0; i < v->maps.n && rc == 0; i++)
		rc = add_role(t, &v->maps.map[i], v->role, v->maps.map[i].family);
	return rc;
}

/* As wide as it needs: a line that is cut has lost what was asked for. */
static struct libscols_table *new_table(FILE *f)
{
	struct libscols_table *const t = scols_new_table();

	if (!t)
		return NULL;
	scols_table_set_stream(t, f);
	scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
	return t;
}

static void print_notes(struct sd_page *page, const struct sd_texts *notes)
{
	char first[24];

	for (size_t i = 0; i < notes->n; i++) {
		if (i == 0)
			fputc('\n', page->f);
		snprintf(first, sizeof first, "%4zu  ", i + 1);
		sd_page_wrap(page, first, 6, "%s", notes->text[i]);
	}
}

static int table_of_roles(struct sd_page *page, const struct sd_events_view *v)
{
	struct table t = {.t = new_table(page->f), .v = v};
	int rc = t.t ? 0 : -ENOMEM;

	for (size_t i = 0; i < COLUMNS && rc == 0; i++)
		if (!scols_table_new_column(t.t, i == ROLE && !v->map ? "CPU" : columns[i].name, 1,
			    columns[i].flags))
			rc = -ENOMEM;
	if (rc == 0)
		rc = add_rows(&t);
	if (rc == 0 && scols_print_table(t.t) < 0)
		rc = -EIO;
	if (rc == 0)
		print_notes(page, &t.notes);
	scols_unref_table(t.t);
	sd_texts_free(&t.notes);
	return rc;
}

static size_t with_events(const struct sd_event_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < SD_ROLE_COUNT; i++)
		n += map->roles[i].n > 0;
	return n;
}

static int table_of_maps(FILE *f, const struct sd_events_view *v)
{
	static const char *const names[] = {"CPU", "ROLES", "FALLBACK", "LIBPFM", "TITLE"};
	struct libscols_table *const t = new_table(f);
	int rc = t ? 0 : -ENOMEM;

	for (size_t i = 0; i < 5 && rc == 0; i++)
		if (!scols_table_new_column(t, names[i], 1, i == 1 ? SCOLS_FL_RIGHT : 0))
			rc = -ENOMEM;
	for (size_t i = 0; i < v->maps.n && rc == 0; i++) {
		const struct sd_event_map *const m = &v->maps.map[i];
		struct libscols_line *const line = new_line(t, &rc);

		if (!line)
			break;
		put(line, 0, &rc, "%s", m->family);
		put(line, 1, &rc, "%zu", with_events(m));
		put(line, 2, &rc, "%s", m->fallback ? m->fallback : "");
		put(line, 3, &rc, "%s", m->libpfm.n ? m->libpfm.text[0] : "");
		put(line, 4, &rc, "%s", m->title);
	}
	if (rc == 0 && scols_print_table(t) < 0)
		rc = -EIO;
	scols_unref_table(t);
	return rc;
}

static void print_machine(FILE *f, const struct sd_events_view *v)
{
	fprintf(f, "This machine: %s%s%s\n", *v->cpu ? v->cpu : "unknown CPU",
		*v->hypervisor ? ", under " : "", v->hypervisor);
	fprintf(f, "libpfm4 detects:");
	for (size_t i = 0; i < v->pmus.n; i++)
		fprintf(f, " %s", v->pmus.text[i]);
	fprintf(f, "%s\n", v->pmus.n ? "" : " no PMU of a core");
	switch (v->pmu) {
	case SD_STATUS_OK:
		fprintf(f, "PMU: usable here\n");
		break;
	case SD_STATUS_DENIED:
		fprintf(f, "PMU: denied to this user here; nothing of this can be counted now\n");
		break;
	case SD_STATUS_ABSENT:
		fprintf(f, "PMU: could not be tried: its counters are in use\n");
		break;
	default:
		fprintf(f, "PMU: none usable here%s; nothing of this can be counted\n",
			*v->hypervisor ? ": the virtual machine does not show one" : "");
	}
}

static void print_map(FILE *f, const struct sd_event_map *m)
{
	fprintf(f, "%s (%s)\n", m->title, m->file);
	if (m->programmable) {
		fprintf(f, "Counters: %u programmable", m->programmable);
		if (m->without_smt != m->programmable)
			fprintf(f, " (%u without SMT)", m->without_smt);
		fprintf(f, ", %u fixed\n", m->fixed);
	}
	fprintf(f, "Source: %s\n", m->source);
}

static int print_unmentioned(struct sd_page *page, const struct sd_events_view *v)
{
	char *list = NULL;
	size_t size = 0, n = 0;
	FILE *const f = open_memstream(&list, &size);

	if (!f)
		return -ENOMEM;
	for (unsigned r = 0; r < SD_ROLE_COUNT; r++) {
		const enum sd_role role = (enum sd_role)r;

		if (v->role != SD_ROLE_COUNT && v->role != role)
			continue;
		if (!sd_event_map_set_role(&v->maps, v->map, role, NULL))
			fprintf(f, "%s%s", n++ ? " " : "", sd_role_name(role));
	}
	if (fclose(f) == 0 && n > 0) {
		fputc('\n', page->f);
		sd_page_wrap(page, "", 2, "No map of this CPU has events for: %s", list);
	}
	free(list);
	return 0;
}

int sd_events_text(FILE *f, const struct sd_events_view *v, const struct sd_report_style *style)
{
	struct sd_page page;
	int rc;

	sd_page_begin(&page, f, style);
	if (v->map)
		print_map(f, v->map);
	if (v->here)
		print_machine(f, v);
	if (v->role != SD_ROLE_COUNT)
		fprintf(f, "%s%s: %s (%s)\n", v->map ? "\n" : "", sd_role_name(v->role),
			sd_role_meaning(v->role), sd_role_unit(v->role));
	if (v->map && v->role != SD_ROLE_COUNT &&
		!sd_event_map_set_role(&v->maps, v->map, v->role, NULL)) {
		rc = 0; /* a table without lines */
	} else if (v->map || v->role != SD_ROLE_COUNT) {
		fputc('\n', f);
		rc = table_of_roles(&page, v);
	} else {
		rc = table_of_maps(f, v);
	}
	if (rc == 0 && v->map)
		rc = print_unmentioned(&page, v);
	if (rc == 0)
		rc = sd_page_end(&page);
	return rc;
}
