/*
 * The open file, its statements, and what SQLite says when one fails. For this room alone.
 */
#ifndef SD_STORE_STATEMENTS_H
#define SD_STORE_STATEMENTS_H

#include <sqlite3.h>
#include <stdint.h>

#include "store/fleet_store.h"

/* The tables (id, text). */
enum sd_store_table { SD_STORE_NODE, SD_STORE_KIND, SD_STORE_FACTS, SD_STORE_TABLES };

struct sd_fleet_store {
	sqlite3 *db;
	char *path;
	const struct sd_sink *sink;
	/* Statements of sd_fleet_store_add(), prepared once: a prepared statement takes ten times
	 * as long to make as to run. */
	sqlite3_stmt *add, *newest;
	struct sd_store_texts {
		sqlite3_stmt *find, *insert;
	} texts[SD_STORE_TABLES];
	uint64_t steps;
};

/* Says what SQLite says; -EIO, -ENOSPC, -EACCES, -ENOMEM, -EBUSY or -EINVAL by its code. */
int sd_store_failed(struct sd_fleet_store *s, const char *what);

/* Runs statements without a result. 0 or -errno, said. */
int sd_store_run(struct sd_fleet_store *s, const char *sql);

/* NULL after a message. The caller finalizes it by sd_store_finish(). */
sqlite3_stmt *sd_store_prepare(struct sd_fleet_store *s, const char *sql);

/* 1: a row; 0: no more; -errno, said. */
int sd_store_step(struct sd_fleet_store *s, sqlite3_stmt *q);

/* Adds its steps to the store's; accepts NULL. */
void sd_store_finish(struct sd_fleet_store *s, sqlite3_stmt *q);

/* The id of the row with this text, which is added when it is new. 0 or -errno, said. */
int sd_store_text_id(
	struct sd_fleet_store *s, enum sd_store_table table, const char *text, int64_t *id);

/* Finalizes what was prepared once. */
void sd_store_release(struct sd_fleet_store *s);

/* The columns of a calibration's numbers, for SQL: "\"triad\", \"triad low\", …". NULL: out of
 * memory. The caller frees it. */
char *sd_store_columns(const char *prefix, const char *each);

#endif
