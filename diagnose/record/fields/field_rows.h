/*
 * One row of a table of fields: FIELD(struct, member, key, type, …), where the last ones add what
 * their type needs, as designated initialisers.
 */
#ifndef SD_FIELD_ROWS_H
#define SD_FIELD_ROWS_H

#include "fields/fields.h"

#define F(s, m, k, t) .key = (k), .type = SD_FIELD_##t, .offset = offsetof(struct s, m)
#define SIZE_OF(s, m) sizeof(((struct s *)0)->m)

/* clang-format off */
#define FIELD(s, m, k, t, ...) {F(s, m, k, t), __VA_ARGS__}
#define TEXT(s, m, k, ...) {F(s, m, k, TEXT), .size = SIZE_OF(s, m), __VA_ARGS__}
#define NUMBER(s, m, k, t, lo, hi, ...) {F(s, m, k, t), .low = (lo), .high = (hi), __VA_ARGS__}
#define COUNT(s, m) NUMBER(s, m, #m, REAL, 0, DBL_MAX)
#define NAME(s, m, k, table) {F(s, m, k, NAME), .names = (table), .size = sizeof(table) / sizeof *(table)}
#define BOOL(s, m, k, ...) {F(s, m, k, BOOL), __VA_ARGS__}
#define STRUCT(s, m, k, table, ...) {F(s, m, k, STRUCT), .fields = &(table), __VA_ARGS__}
/* Members of the struct itself that stand together under a key. */
#define GROUP(k, table, ...) {.key = (k), .type = SD_FIELD_STRUCT, .fields = &(table), __VA_ARGS__}
#define OWNED(s, m, k, table) \
	{F(s, m, k, OWNED), .size = sizeof *((struct s *)0)->m, .fields = &(table), .need = SD_FIELD_SPARSE}
/* n_m is its count. */
#define ARRAY(s, m, k, table, max, ...) \
	{F(s, m, k, ARRAY), .count = offsetof(struct s, n_##m), .size = sizeof *((struct s *)0)->m, \
		.fields = &(table), .most = (max), __VA_ARGS__}
#define FIXED(s, m, k, table) \
	{F(s, m, k, FIXED), .size = sizeof *((struct s *)0)->m, \
		.most = SIZE_OF(s, m) / sizeof *((struct s *)0)->m, .fields = &(table)}
#define TABLE(name, ...) {.field = name, .n = sizeof(name) / sizeof *(name), __VA_ARGS__}
/* clang-format on */

/* Names of enums that stand in more than one table. */
extern const char *const sd_field_rows_status[SD_STATUS_COUNT];
extern const char *const sd_field_rows_role[SD_ROLE_COUNT];
extern const char *const sd_field_rows_activity[SD_ACTIVITY_COUNT];

#endif
