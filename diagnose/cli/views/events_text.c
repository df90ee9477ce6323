#include "views/events_view.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/one_more.h"
#include "page/page.h"

enum { ROLE, EVENT, CODE, QUALITY, SCOPE, COUNTERS, MAP, NOTE, COLUMNS };
static const char *const columns[COLUMNS] = {
	"ROLE", "EVENT", "CODE", "QUALITY", "SCOPE", "COUNTERS", "MAP", "NOTE"};

struct row {
	char *cell[COLUMNS]; /* owned; NULL is empty */
};

/* A table in the making, and the notes below it, each once. A failure is kept in rc. */
struct table {
	struct row *row;
	size_t n;
	struct sd_texts notes;
	const struct sd_events_view *v;
	int rc;
};

/* Rows have their cells from put(). */
static void begin_row(struct table *t)
{
	if (!t->rc)
		t->rc = SD_APPEND(t->row, t->n, &(struct row){0});
}

/* Formats into a cell of the last row. */
static void put(struct table *t, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void put(struct table *t, size_t column, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	if (t->rc)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		t->rc = -ENOMEM;
	else
		t->row[t->n - 1].cell[column] = text;
}

static size_t width_of(const struct table *t, size_t column)
{
	size_t most = 0;

	for (size_t i = 0; i < t->n; i++) {
		const char *const text = t->row[i].cell[column];
		const size_t n = text ? sd_page_columns(text) : 0;

		most = n > most ? n : most;
	}
	return most;
}

/* As wide as it needs: a line that is cut has lost what was asked for. `right`: the column whose
 * cells stand at its right. */
static void print_table(struct sd_page *page, const struct table *t, size_t right)
{
	size_t width[COLUMNS];

	for (size_t c = 0; c < COLUMNS; c++)
		width[c] = width_of(t, c);
	for (size_t i = 0; i < t->n; i++) {
		char *const *const cell = t->row[i].cell;
		size_t last = COLUMNS;

		while (last > 0 && !cell[last - 1])
			last--;
		for (size_t c = 0; c < last; c++) {
			sd_page_cell(page, SD_TONE_PLAIN, cell[c] ? cell[c] : "",
				c + 1 < last || c == right ? width[c] : 0, c == right);
			fputs(c + 1 < last ? " " : "\n", page->f);
		}
	}
}

static void free_table(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t c = 0; c < COLUMNS; c++)
			free(t->row[i].cell[c]);
	free(t->row);
	sd_texts_free(&t->notes);
}

static void put_counters(struct table *t, const struct sd_map_role *role)
{
	char text[128] = "";
	size_t n = 0;

	if (role->fixed >= 0)
		n = (size_t)snprintf(text, sizeof text, "fixed %d", role->fixed);
	for (unsigned i = 0; i < 32 && n < sizeof text - 8; i++)
		if (role->counters >> i & 1)
			n += (size_t)snprintf(text + n, sizeof text - n, n ? ",%u" : "%u", i);
	put(t, COUNTERS, "%s", n ? text : "any");
}

/* Each event of a role has a line; what holds for the role stands in the first. */
static void put_event(
	struct table *t, const struct sd_event_map *map, const struct sd_map_event *e, int first)
{
	const struct sd_events_code c = sd_events_code_of(map, e);
	const char *const type = sd_events_type(e, &c.code);
	const char *const name = e->event ? e->event : e->name;
	char code[64];

	if (e->weight == 1)
		put(t, EVENT, "%s%s", first ? "" : "+ ", name);
	else
		put(t, EVENT, "%s%g x %s", first ? "" : "+ ", e->weight, name);
	snprintf(code, sizeof code, "%s%s0x%llx", strcmp(type, "raw") == 0 ? "" : type,
		strcmp(type, "raw") == 0 ? "" : " ", (unsigned long long)c.code.config);
	if (c.code.config1)
		put(t, CODE, "%s config1=0x%llx", code, (unsigned long long)c.code.config1);
	else
		put(t, CODE, "%s", code);
}

static void put_note(struct table *t, const char *text)
{
	size_t i = 0;

	if (!text || t->rc)
		return;
	t->rc = sd_texts_add_once(&t->notes, text);
	while (i < t->notes.n && strcmp(t->notes.text[i], text) != 0)
		i++;
	put(t, NOTE, "%zu", i + 1);
}

/* The role as `map` has it, headed by `head`. */
static void add_role(
	struct table *t, const struct sd_event_map *map, enum sd_role id, const char *head)
{
	const struct sd_event_map *from;
	const struct sd_map_role *const role = sd_event_map_set_role(&t->v->maps, map, id, &from);

	if (!role)
		return;
	begin_row(t);
	put(t, ROLE, "%s", head);
	put(t, MAP, "%s", from->family);
	if (role->none) {
		put(t, EVENT, "none");
		put_note(t, role->none);
		return;
	}
	put(t, QUALITY, "%s", sd_quality_name(role->quality));
	put(t, SCOPE, "%s", sd_scope_name(role->scope));
	put_counters(t, role);
	put_note(t, role->note);
	for (size_t i = 0; i < role->n; i++) {
		if (i > 0)
			begin_row(t);
		put_event(t, from, &role->events[i], i == 0);
	}
}

static void add_rows(struct table *t)
{
	const struct sd_events_view *const v = t->v;

	for (unsigned r = 0; r < SD_ROLE_COUNT && v->map; r++)
		if (v->role == SD_ROLE_COUNT || v->role == r)
			add_role(t, v->map, (enum sd_role)r, sd_role_name((enum sd_role)r));
	for (size_t i = 0; i < v->maps.n && !v->map; i++)
		add_role(t, &v->maps.map[i], v->role, v->maps.map[i].family);
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
	struct table t = {.v = v};

	begin_row(&t);
	for (size_t c = 0; c < COLUMNS; c++)
		put(&t, c, "%s", c == ROLE && !v->map ? "CPU" : columns[c]);
	add_rows(&t);
	if (!t.rc) {
		print_table(page, &t, NOTE);
		print_notes(page, &t.notes);
	}
	free_table(&t);
	return t.rc;
}

/* A line for each role that matters. */
static int table_of_order(struct sd_page *page, const struct sd_events_view *v)
{
	struct table t = {.v = v};

	begin_row(&t);
	put(&t, 0, "ROLE");
	put(&t, 1, "WHAT IT COUNTS");
	put(&t, 2, "EVENT");
	for (size_t i = 0; i < v->n_order; i++) {
		const enum sd_role id = v->order[i];
		const struct sd_map_role *const role =
			sd_event_map_set_role(&v->maps, v->map, id, NULL);
		const struct sd_map_event *const e = &role->events[0];

		begin_row(&t);
		put(&t, 0, "%s", sd_role_name(id));
		put(&t, 1, "%s", sd_role_meaning(id));
		if (role->n > 1)
			put(&t, 2, "%s and %zu more", e->event ? e->event : e->name, role->n - 1);
		else
			put(&t, 2, "%s", e->event ? e->event : e->name);
	}
	if (!t.rc) {
		print_table(page, &t, COLUMNS);
		fputc('\n', page->f);
		sd_page_wrap(page, "", 2,
			"The first are counted first. Codes, scopes, notes, and what no metric uses: --all");
	}
	free_table(&t);
	return t.rc;
}

static size_t with_events(const struct sd_event_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < SD_ROLE_COUNT; i++)
		n += map->roles[i].n > 0;
	return n;
}

static int table_of_maps(struct sd_page *page, const struct sd_events_view *v)
{
	static const char *const names[] = {"CPU", "ROLES", "FALLBACK", "LIBPFM", "TITLE"};
	struct table t = {.v = v};

	begin_row(&t);
	for (size_t c = 0; c < sizeof names / sizeof *names; c++)
		put(&t, c, "%s", names[c]);
	for (size_t i = 0; i < v->maps.n; i++) {
		const struct sd_event_map *const m = &v->maps.map[i];

		begin_row(&t);
		put(&t, 0, "%s", m->family);
		put(&t, 1, "%zu", with_events(m));
		put(&t, 2, "%s", m->fallback ? m->fallback : "");
		put(&t, 3, "%s", m->libpfm.n ? m->libpfm.text[0] : "");
		put(&t, 4, "%s", m->title);
	}
	if (!t.rc)
		print_table(page, &t, 1);
	free_table(&t);
	return t.rc;
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
	} else if (v->n_order) {
		fputc('\n', f);
		rc = table_of_order(&page, v);
	} else if (v->map || v->role != SD_ROLE_COUNT) {
		fputc('\n', f);
		rc = table_of_roles(&page, v);
	} else {
		rc = table_of_maps(&page, v);
	}
	if (rc == 0 && v->map && !v->n_order)
		rc = print_unmentioned(&page, v);
	if (rc == 0)
		rc = sd_page_end(&page);
	return rc;
}
