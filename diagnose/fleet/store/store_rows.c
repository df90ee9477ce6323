#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/fleet_store.h"
#include "store/store_statements.h"

#define NUMBER_MAX 1e18

/* Columns of a calibration before its numbers, in both statements. */
enum { NODE, START, QUICK, KIND, MODEL_LENGTH, FACTS, NUMBERS };

/* ---- facts and pairs as texts ---------------------------------------------------------------- */

/* A line a fact that is known, "governor=performance\n": facts have no control characters. */
static char *facts_text(const struct sd_node_facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	for (int i = 0; f && i < SD_NODE_FACT_COUNT; i++)
		if (facts->text[i][0])
			fprintf(f, "%s=%s\n", sd_node_fact_name[i], facts->text[i]);
	if (!f || fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static void read_facts(const char *text, struct sd_node_facts *out)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		for (int i = 0; i < SD_NODE_FACT_COUNT; i++) {
			const size_t name = strlen(sd_node_fact_name[i]);

			if (n > name && text[name] == '=' &&
				strncmp(text, sd_node_fact_name[i], name) == 0)
				snprintf(out->text[i], sizeof out->text[i], "%.*s",
					(int)(n - name - 1), text + name + 1);
		}
	}
}

/* "61 60 62 0-1\n" */
static char *pairs_text(const struct sd_fleet_node *node)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < node->n_pair; i++)
		fprintf(f, "%.6g %.6g %.6g %s\n", node->pair[i].round_trip.value,
			node->pair[i].round_trip.low, node->pair[i].round_trip.high,
			node->pair[i].cpus);
	if (!f || fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static int is_interval(struct sd_interval v)
{
	return v.low >= 0 && v.low <= v.value && v.value <= v.high && v.high <= NUMBER_MAX;
}

static int read_pair(const char *text, size_t n, struct sd_fleet_pair *out)
{
	double v[3];
	char *end = NULL;
	const char *at = text;

	for (int i = 0; i < 3; i++, at = end) {
		v[i] = strtod(at, &end);
		if (end == at)
			return 0;
	}
	while (*at == ' ')
		at++;
	if (at >= text + n || (size_t)(text + n - at) >= sizeof out->cpus)
		return 0;
	snprintf(out->cpus, sizeof out->cpus, "%.*s", (int)(text + n - at), at);
	out->round_trip = (struct sd_interval){v[0], v[1], v[2], SD_STATUS_OK};
	return is_interval(out->round_trip);
}

static int read_pairs(const char *text, struct sd_fleet_node *out)
{
	size_t lines = 0;

	for (const char *at = text; (at = strchr(at, '\n')) && lines < SD_FLEET_PAIRS_MAX; at++)
		lines++;
	out->pair = lines ? calloc(lines, sizeof *out->pair) : NULL;
	if (lines && !out->pair)
		return -ENOMEM;
	for (size_t i = 0; i < lines; i++) {
		const size_t n = strcspn(text, "\n");

		out->n_pair += (size_t)read_pair(text, n, &out->pair[out->n_pair]);
		text += n + 1;
	}
	return 0;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int prepare_add(struct sd_fleet_store *s)
{
	char *const columns = sd_store_columns("", ""), *sql = NULL;
	char marks[3 * (NUMBERS + 3 * SD_NODE_NUMBERS) + 1];

	for (size_t i = 0; i < NUMBERS + 3 * SD_NODE_NUMBERS; i++)
		memcpy(marks + 3 * i, " ?,", 3);
	marks[sizeof marks - 2] = '\0';
	if (columns && asprintf(&sql,
			       "INSERT OR IGNORE INTO calibration(node, start, quick, kind, "
			       "model_length, facts, %s) VALUES(%s)",
			       columns, marks) >= 0)
		s->add = sd_store_prepare(s, sql);
	free(columns);
	free(sql);
	return s->add ? 0 : -EINVAL;
}

static int ids_of(struct sd_fleet_store *s, const struct sd_fleet_node *node, int64_t id[FACTS + 1])
{
	char *const facts = facts_text(node->facts);
	int rc = facts ? 0 : -ENOMEM;

	if (rc == 0)
		rc = sd_store_text_id(s, SD_STORE_NODE, node->host, &id[NODE]);
	if (rc == 0)
		rc = sd_store_text_id(s, SD_STORE_KIND, node->group, &id[KIND]);
	if (rc == 0)
		rc = sd_store_text_id(s, SD_STORE_FACTS, facts, &id[FACTS]);
	free(facts);
	return rc;
}

/* An older calibration that comes later leaves the newest where it is. */
static int set_newest(
	struct sd_fleet_store *s, int64_t id, int64_t calibration, const struct sd_fleet_node *node)
{
	char *const pairs = pairs_text(node);
	int rc;

	if (!s->newest)
		s->newest = sd_store_prepare(s,
			"UPDATE node SET newest = ?1, newest_start = ?2, pairs = ?3 WHERE id = ?4 "
			"AND (newest_start IS NULL OR newest_start < ?2)");
	if (!pairs || !s->newest) {
		free(pairs);
		return -ENOMEM;
	}
	sqlite3_bind_int64(s->newest, 1, calibration);
	sqlite3_bind_double(s->newest, 2, node->start);
	sqlite3_bind_text(s->newest, 3, pairs, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(s->newest, 4, id);
	rc = sd_store_step(s, s->newest);
	sqlite3_reset(s->newest);
	free(pairs);
	return rc;
}

static void bind_numbers(sqlite3_stmt *q, const struct sd_fleet_node *node)
{
	for (size_t i = 0; i < SD_NODE_NUMBERS; i++) {
		const struct sd_interval v = node->number[i];
		const double part[] = {v.value, v.low, v.high};

		for (int k = 0; k < 3; k++) {
			const int at = (int)(NUMBERS + 3 * i) + k + 1;

			if (sd_status_bounded(v))
				sqlite3_bind_double(q, at, part[k]);
			else
				sqlite3_bind_null(q, at);
		}
	}
}

static int add_row(struct sd_fleet_store *s, const struct sd_fleet_node *node)
{
	int64_t id[FACTS + 1] = {0};
	int rc = s->add ? 0 : prepare_add(s);

	if (rc == 0)
		rc = ids_of(s, node, id);
	if (rc)
		return rc;
	sqlite3_reset(s->add);
	sqlite3_bind_int64(s->add, NODE + 1, id[NODE]);
	sqlite3_bind_double(s->add, START + 1, node->start);
	sqlite3_bind_int(s->add, QUICK + 1, node->quick);
	sqlite3_bind_int64(s->add, KIND + 1, id[KIND]);
	sqlite3_bind_int64(s->add, MODEL_LENGTH + 1, node->model_length);
	sqlite3_bind_int64(s->add, FACTS + 1, id[FACTS]);
	bind_numbers(s->add, node);
	rc = sd_store_step(s, s->add);
	sqlite3_reset(s->add);
	if (rc)
		return rc;
	return sqlite3_changes(s->db) == 0
		       ? 1
		       : set_newest(s, id[NODE], sqlite3_last_insert_rowid(s->db), node);
}

int sd_fleet_store_add(struct sd_fleet_store *s, const struct sd_fleet_node *node)
{
	const int alone = sqlite3_get_autocommit(s->db);
	int rc = alone ? sd_fleet_store_begin(s) : 0;

	if (rc)
		return rc;
	rc = add_row(s, node);
	if (alone && sd_fleet_store_end(s, rc >= 0) != 0 && rc >= 0)
		rc = -EIO;
	return rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* host, kind's text, start, quick, model's length, facts, pairs, then the numbers */
enum { AT_HOST, AT_GROUP, AT_START, AT_QUICK, AT_MODEL, AT_FACTS, AT_PAIRS, AT_NUMBERS };

static int is_plain(const char *text, size_t size)
{
	if (!text || !text[0] || strlen(text) >= size)
		return 0;
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return 0;
	return 1;
}

/* A row whose texts are none of ours is damaged, and is said and left out: 1. */
static int read_row(struct sd_fleet_store *s, sqlite3_stmt *q, struct sd_fleet_node *out)
{
	const char *const host = (const char *)sqlite3_column_text(q, AT_HOST);
	const char *const group = (const char *)sqlite3_column_text(q, AT_GROUP);
	const char *const facts = (const char *)sqlite3_column_text(q, AT_FACTS);
	const char *const pairs = (const char *)sqlite3_column_text(q, AT_PAIRS);
	struct sd_node_facts *own;

	*out = (struct sd_fleet_node){.start = sqlite3_column_double(q, AT_START),
		.quick = sqlite3_column_int(q, AT_QUICK) != 0};
	if (!is_plain(host, sizeof out->host) || !is_plain(group, sizeof out->group)) {
		sd_say(s->sink, SD_LEVEL_WARNING, "%s: a damaged calibration is left out", s->path);
		return 1;
	}
	snprintf(out->host, sizeof out->host, "%s", host);
	snprintf(out->group, sizeof out->group, "%s", group);
	out->model_length = (unsigned)sqlite3_column_int(q, AT_MODEL);
	if (out->model_length > strlen(group))
		out->model_length = (unsigned)strlen(group);
	for (size_t i = 0; i < SD_NODE_NUMBERS; i++) {
		const int at = (int)(AT_NUMBERS + 3 * i);
		const struct sd_interval v = {sqlite3_column_double(q, at),
			sqlite3_column_double(q, at + 1), sqlite3_column_double(q, at + 2),
			SD_STATUS_OK};

		if (sqlite3_column_type(q, at) == SQLITE_FLOAT && is_interval(v))
			out->number[i] = v;
	}
	own = calloc(1, sizeof *own);
	out->facts = own;
	if (!own || (pairs && read_pairs(pairs, out) != 0)) {
		sd_fleet_node_free(out);
		return -ENOMEM;
	}
	read_facts(facts ? facts : "", own);
	return 0;
}

static sqlite3_stmt *prepare_read(struct sd_fleet_store *s, const char *pairs, const char *from)
{
	char *const columns = sd_store_columns("c.", ""), *sql = NULL;
	sqlite3_stmt *q = NULL;

	if (columns && asprintf(&sql,
			       "SELECT node.text, kind.text, c.start, c.quick, c.model_length, "
			       "facts.text, %s, %s FROM %s",
			       pairs, columns, from) >= 0)
		q = sd_store_prepare(s, sql);
	else
		sd_say(s->sink, SD_LEVEL_ERROR, "out of memory");
	free(columns);
	free(sql);
	return q;
}

#define KIND_AND_FACTS "JOIN kind ON kind.id = c.kind JOIN facts ON facts.id = c.facts"

static sqlite3_stmt *prepare_selection(
	struct sd_fleet_store *s, const struct sd_fleet_selection *which)
{
	const char *const host = which->host ? " WHERE node.text = ?3" : "";
	char from[600], fact[SD_NODE_FACT_SIZE + 64];
	sqlite3_stmt *q;

	if (!which->text && which->until <= 0) {
		snprintf(from, sizeof from,
			"node JOIN calibration AS c ON c.id = node.newest " KIND_AND_FACTS "%s",
			host);
		q = prepare_read(s, "node.pairs", from);
	} else {
		snprintf(from, sizeof from,
			"node JOIN calibration AS c ON c.id = (SELECT o.id FROM calibration AS o%s "
			"WHERE o.node = node.id AND o.start <= ?1%s ORDER BY o.start DESC LIMIT "
			"1) " KIND_AND_FACTS "%s",
			which->text ? " JOIN facts AS f ON f.id = o.facts" : "",
			which->text ? " AND instr(char(10) || f.text, char(10) || ?2) > 0" : "",
			host);
		q = prepare_read(s, "NULL", from);
	}
	if (!q)
		return NULL;
	sqlite3_bind_double(q, 1, which->until > 0 ? which->until : INFINITY);
	if (which->text) {
		snprintf(fact, sizeof fact, "%s=%s\n", sd_node_fact_name[which->fact], which->text);
		sqlite3_bind_text(q, 2, fact, -1, SQLITE_TRANSIENT);
	}
	if (which->host)
		sqlite3_bind_text(q, 3, which->host, -1, SQLITE_STATIC);
	return q;
}

int sd_fleet_store_read(
	struct sd_fleet_store *s, const struct sd_fleet_selection *which, struct sd_fleet *fleet)
{
	sqlite3_stmt *const q = prepare_selection(s, which);
	struct sd_fleet_node node;
	int rc = q ? 1 : -EINVAL;

	while (rc >= 0 && (rc = sd_store_step(s, q)) == 1) {
		rc = read_row(s, q, &node);
		if (rc == 0)
			rc = sd_fleet_add(fleet, &node);
		if (rc == -ENOMEM)
			sd_say(s->sink, SD_LEVEL_ERROR, "out of memory");
	}
	sd_store_finish(s, q);
	return rc;
}

int sd_fleet_store_each(struct sd_fleet_store *s, const char *host,
	int (*each)(void *ctx, const struct sd_fleet_node *node), void *ctx)
{
	char from[400];
	struct sd_fleet_node node;
	sqlite3_stmt *q;
	int rc = 1;

	snprintf(from, sizeof from,
		"node JOIN calibration AS c ON c.node = node.id " KIND_AND_FACTS
		"%s ORDER BY node.text, c.start",
		host ? " WHERE node.text = ?1" : "");
	q = prepare_read(s, "CASE WHEN c.id = node.newest THEN node.pairs END", from);
	if (!q)
		return -EINVAL;
	if (host)
		sqlite3_bind_text(q, 1, host, -1, SQLITE_STATIC);
	while (rc >= 0 && (rc = sd_store_step(s, q)) == 1) {
		rc = read_row(s, q, &node);
		if (rc == 0) {
			rc = each(ctx, &node);
			sd_fleet_node_free(&node);
			if (rc)
				break;
		}
	}
	sd_store_finish(s, q);
	return rc;
}
