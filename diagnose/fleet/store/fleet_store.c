#include "store/fleet_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/store_statements.h"

#define APPLICATION 0x53444c46 /* "SDLF", in the file's header */
#define SCHEMA 1

static const char tables[] =
	"CREATE TABLE kind(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE facts(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE node(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, newest INTEGER, "
	"newest_start REAL, pairs TEXT);"
	"CREATE TABLE sweep(id INTEGER PRIMARY KEY, name TEXT NOT NULL, begun REAL NOT NULL, "
	"ended REAL);"
	"CREATE TABLE swept(sweep INTEGER NOT NULL, host TEXT NOT NULL, PRIMARY KEY(sweep, host)) "
	"WITHOUT ROWID;";

static int make_tables(struct sd_fleet_store *s)
{
	char *const columns = sd_store_columns("", " REAL"), *sql = NULL;
	int rc = -ENOMEM;

	if (columns &&
		asprintf(&sql,
			"%s CREATE TABLE calibration(id INTEGER PRIMARY KEY, node INTEGER NOT "
			"NULL, start REAL NOT NULL, quick INTEGER NOT NULL, kind INTEGER NOT NULL, "
			"model_length INTEGER NOT NULL, facts INTEGER NOT NULL, %s, UNIQUE(node, "
			"start)); PRAGMA application_id = %d; PRAGMA user_version = %d;",
			tables, columns, APPLICATION, SCHEMA) >= 0)
		rc = sd_store_run(s, sql);
	free(columns);
	free(sql);
	return rc;
}

/* A whole number that the file's header or its list of tables has; -errno, said. */
static int64_t ask(struct sd_fleet_store *s, const char *sql)
{
	sqlite3_stmt *const q = sd_store_prepare(s, sql);
	int64_t v = -EINVAL;

	if (q) {
		const int rc = sd_store_step(s, q);

		v = rc == 1 ? sqlite3_column_int64(q, 0) : rc < 0 ? rc : 0;
	}
	sd_store_finish(s, q);
	return v;
}

/* Another process may make it at the same time: looked at again under the lock. */
static int check_file(struct sd_fleet_store *s, int create)
{
	const int64_t made = ask(s, "SELECT count(*) FROM sqlite_master");
	const int64_t application = made < 0 ? made : ask(s, "PRAGMA application_id");
	const int64_t schema = application < 0 ? application : ask(s, "PRAGMA user_version");

	if (schema < 0)
		return (int)schema;
	if (made == 0 && application == 0 && create)
		return make_tables(s);
	if (made == 0 || application != APPLICATION) {
		sd_say(s->sink, SD_LEVEL_ERROR,
			"%s: is no store of 'scalediag fleet'; it is left as it is", s->path);
		return -EEXIST;
	}
	if (schema != SCHEMA) {
		sd_say(s->sink, SD_LEVEL_ERROR,
			"%s: was written by another version of scalediag (schema %d, not %d)",
			s->path, (int)schema, SCHEMA);
		return -EINVAL;
	}
	return 0;
}

/* The file may come from anywhere: its own triggers, views and functions are not trusted. */
static int set_up(struct sd_fleet_store *s, int create)
{
	int rc;

	sqlite3_busy_timeout(s->db, SD_FLEET_STORE_WAIT_MS);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	if (!create) {
		rc = sd_store_run(s, "PRAGMA query_only = 1");
		return rc ? rc : check_file(s, 0);
	}
	rc = sd_store_run(s, "BEGIN IMMEDIATE");
	if (rc)
		return rc;
	rc = check_file(s, 1);
	sqlite3_exec(s->db, rc ? "ROLLBACK" : "COMMIT", NULL, NULL, NULL);
	return rc;
}

int sd_fleet_store_open(
	struct sd_fleet_store **out, const char *path, int create, const struct sd_sink *sink)
{
	struct sd_fleet_store *const s = calloc(1, sizeof *s);
	char *file = NULL;
	int rc = -ENOMEM;

	*out = NULL;
	/* ":memory:" and "" are names of files here, as everywhere. Also who only reads undoes what
	 * a writer that was killed, or whose disk was full, has left: SQLite does where it may
	 * write, and reads alone where the file is write-protected. */
	if (s && (s->path = strdup(path)) &&
		asprintf(&file, "%s%s", path[0] == '/' ? "" : "./", path) >= 0) {
		s->sink = sink;
		if (!create && access(file, F_OK) != 0 && errno == ENOENT) {
			sd_say(sink, SD_LEVEL_ERROR,
				"%s: there is no store of a fleet here: scalediag fleet calibrate "
				"or import makes one, and --db names another",
				path);
			rc = -ENOENT;
			goto out;
		}
		rc = sqlite3_open_v2(file, &s->db,
			     SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0) |
				     SQLITE_OPEN_NOMUTEX,
			     NULL) == SQLITE_OK
			     ? set_up(s, create)
			     : sd_store_failed(s, "cannot open the store of the fleet");
	}
out:
	free(file);
	if (rc) {
		sd_fleet_store_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

void sd_fleet_store_close(struct sd_fleet_store *s)
{
	if (!s)
		return;
	sd_store_release(s);
	sqlite3_close(s->db);
	free(s->path);
	free(s);
}

int sd_fleet_store_begin(struct sd_fleet_store *s)
{
	return sd_store_run(s, "BEGIN IMMEDIATE");
}

int sd_fleet_store_end(struct sd_fleet_store *s, int keep)
{
	/* of a full disk SQLite has undone it already */
	if (!keep && sqlite3_get_autocommit(s->db))
		return 0;
	return sd_store_run(s, keep ? "COMMIT" : "ROLLBACK");
}

uint64_t sd_fleet_store_steps(const struct sd_fleet_store *s)
{
	return s->steps;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* The unfinished one of that name, or a new one. */
static int find_sweep(struct sd_fleet_store *s, const char *name, double now, int64_t *sweep)
{
	sqlite3_stmt *q =
		sd_store_prepare(s, "SELECT max(id) FROM sweep WHERE name = ? AND ended IS NULL");
	int rc = -EINVAL;

	if (q) {
		sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
		rc = sd_store_step(s, q);
		*sweep = rc == 1 ? sqlite3_column_int64(q, 0) : 0;
	}
	sd_store_finish(s, q);
	if (rc < 0 || *sweep)
		return rc < 0 ? rc : 0;
	q = sd_store_prepare(s, "INSERT INTO sweep(name, begun) VALUES(?, ?)");
	if (!q)
		return -EINVAL;
	sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_double(q, 2, now);
	rc = sd_store_step(s, q);
	sd_store_finish(s, q);
	*sweep = sqlite3_last_insert_rowid(s->db);
	return rc;
}

int sd_fleet_store_sweep_begin(struct sd_fleet_store *s, const char *name,
	const struct sd_texts *hosts, double now, int64_t *sweep, struct sd_texts *left)
{
	int rc = sd_fleet_store_begin(s);
	sqlite3_stmt *q;

	if (rc)
		return rc;
	rc = find_sweep(s, name, now, sweep);
	rc = sd_fleet_store_end(s, rc == 0) ? -EIO : rc;
	q = rc ? NULL
	       : sd_store_prepare(s, "SELECT count(*) FROM swept WHERE sweep = ? AND host = ?");
	if (!rc && !q)
		rc = -EINVAL;
	for (size_t i = 0; rc == 0 && i < hosts->n; i++) {
		sqlite3_reset(q);
		sqlite3_bind_int64(q, 1, *sweep);
		sqlite3_bind_text(q, 2, hosts->text[i], -1, SQLITE_STATIC);
		rc = sd_store_step(s, q);
		if (rc == 1)
			rc = sqlite3_column_int(q, 0) ? 0 : sd_texts_add_once(left, hosts->text[i]);
	}
	sd_store_finish(s, q);
	return rc;
}

int sd_fleet_store_sweep_done(struct sd_fleet_store *s, int64_t sweep, const char *host)
{
	sqlite3_stmt *const q =
		sd_store_prepare(s, "INSERT OR IGNORE INTO swept(sweep, host) VALUES(?, ?)");
	int rc = -EINVAL;

	if (q) {
		sqlite3_bind_int64(q, 1, sweep);
		sqlite3_bind_text(q, 2, host, -1, SQLITE_STATIC);
		rc = sd_store_step(s, q);
	}
	sd_store_finish(s, q);
	return rc;
}

int sd_fleet_store_sweep_end(struct sd_fleet_store *s, int64_t sweep, double now)
{
	sqlite3_stmt *const q = sd_store_prepare(s, "UPDATE sweep SET ended = ? WHERE id = ?");
	int rc = -EINVAL;

	if (q) {
		sqlite3_bind_double(q, 1, now);
		sqlite3_bind_int64(q, 2, sweep);
		rc = sd_store_step(s, q);
	}
	sd_store_finish(s, q);
	return rc;
}
