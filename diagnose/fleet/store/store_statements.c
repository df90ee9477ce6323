#include "store/store_statements.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int sd_store_failed(struct sd_fleet_store *s, const char *what)
{
	static const struct {
		int code, rc;
	} codes[] = {{SQLITE_NOMEM, -ENOMEM}, {SQLITE_FULL, -ENOSPC}, {SQLITE_READONLY, -EACCES},
		{SQLITE_CANTOPEN, -EACCES}, {SQLITE_BUSY, -EBUSY}, {SQLITE_LOCKED, -EBUSY},
		{SQLITE_IOERR, -EIO}};
	const int code = sqlite3_errcode(s->db),
		  system = code == SQLITE_CANTOPEN ? sqlite3_system_errno(s->db) : 0;

	sd_say(s->sink, SD_LEVEL_ERROR, "%s: %s: %s", s->path, what,
		system ? strerror(system) : sqlite3_errmsg(s->db));
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		if (codes[i].code == code)
			return codes[i].rc;
	return -EINVAL;
}

int sd_store_run(struct sd_fleet_store *s, const char *sql)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : sd_store_failed(s, "the store of the fleet");
}

sqlite3_stmt *sd_store_prepare(struct sd_fleet_store *s, const char *sql)
{
	sqlite3_stmt *q = NULL;

	if (sql && sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
		sd_store_failed(s, "the store of the fleet");
	return q;
}

int sd_store_step(struct sd_fleet_store *s, sqlite3_stmt *q)
{
	const int code = sqlite3_step(q);

	return code == SQLITE_ROW    ? 1
	       : code == SQLITE_DONE ? 0
				     : sd_store_failed(s, "the store of the fleet");
}

void sd_store_finish(struct sd_fleet_store *s, sqlite3_stmt *q)
{
	if (q)
		s->steps += (uint64_t)sqlite3_stmt_status(q, SQLITE_STMTSTATUS_VM_STEP, 1);
	sqlite3_finalize(q);
}

static int prepare_texts(struct sd_fleet_store *s, enum sd_store_table table)
{
	static const char *const name[SD_STORE_TABLES] = {
		[SD_STORE_NODE] = "node", [SD_STORE_KIND] = "kind", [SD_STORE_FACTS] = "facts"};
	struct sd_store_texts *const t = &s->texts[table];
	char sql[96];

	snprintf(sql, sizeof sql, "SELECT id FROM %s WHERE text = ?", name[table]);
	t->find = sd_store_prepare(s, sql);
	snprintf(sql, sizeof sql, "INSERT INTO %s(text) VALUES(?)", name[table]);
	t->insert = t->find ? sd_store_prepare(s, sql) : NULL;
	return t->insert ? 0 : -EINVAL;
}

int sd_store_text_id(
	struct sd_fleet_store *s, enum sd_store_table table, const char *text, int64_t *id)
{
	struct sd_store_texts *const t = &s->texts[table];
	int rc = t->insert ? 0 : prepare_texts(s, table);

	if (rc)
		return rc;
	sqlite3_bind_text(t->find, 1, text, -1, SQLITE_TRANSIENT);
	rc = sd_store_step(s, t->find);
	*id = rc == 1 ? sqlite3_column_int64(t->find, 0) : 0;
	sqlite3_reset(t->find);
	if (rc)
		return rc == 1 ? 0 : rc;
	sqlite3_bind_text(t->insert, 1, text, -1, SQLITE_TRANSIENT);
	rc = sd_store_step(s, t->insert);
	*id = sqlite3_last_insert_rowid(s->db);
	sqlite3_reset(t->insert);
	return rc;
}

void sd_store_release(struct sd_fleet_store *s)
{
	for (int i = 0; i < SD_STORE_TABLES; i++) {
		sqlite3_finalize(s->texts[i].find);
		sqlite3_finalize(s->texts[i].insert);
	}
	sqlite3_finalize(s->add);
	sqlite3_finalize(s->newest);
}

char *sd_store_columns(const char *prefix, const char *each)
{
	static const char *const parts[] = {"", " low", " high"};
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < SD_NODE_NUMBERS; i++)
		for (size_t k = 0; k < 3; k++)
			fprintf(f, "%s%s\"%s%s\"%s", i || k ? ", " : "", prefix,
				sd_node_numbers_name(i), parts[k], each);
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
