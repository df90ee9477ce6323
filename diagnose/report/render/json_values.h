/*
 * The values in JSON reports: numbers with interval and quality, texts of any bytes. Each returns a
 * new reference; NULL: out of memory.
 */
#ifndef SD_JSON_VALUES_H
#define SD_JSON_VALUES_H

#include <jansson.h>
#include <stdio.h>

#include "base/status.h"
#include "base/texts.h"

/*
 * Numbers keep all digits, so that components still sum to N for the reader. ASCII only, so that no
 * byte of a record reaches a terminal this is printed on.
 */
#define SD_JSON_DUMP (JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII)

/* null if not finite. */
json_t *sd_json_real(double v);

/* null if not measured. */
json_t *sd_json_value(struct sd_value v);

/* A name or a sentence; invalid UTF-8 becomes \xNN; NULL becomes null. */
json_t *sd_json_text(const char *s);
json_t *sd_json_texts(const struct sd_texts *t);

/*
 * {"value", "low", "high"}, with "quality" if the number is missing or has a reservation. For a
 * single run low and high are null.
 */
json_t *sd_json_interval(struct sd_interval v, size_t runs);
void sd_json_put_interval(json_t **object, struct sd_interval v, size_t runs);

json_t *sd_json_name(const char *s);  /* null for "" as well */
json_t *sd_json_number(json_int_t n); /* null for 0 */

/* Puts an item into an array, a member into an object, and takes it over. Without memory the whole
 * is released, and NULL; a NULL stays one. */
void sd_json_add(json_t **array, json_t *item);
void sd_json_set(json_t **object, const char *key, json_t *member);

/*
 * sd_json("key", value, ...) makes an object, sd_json_list(value, ...) an array; sd_json_put adds
 * to an object, and takes its address as sd_json_set. A value is a number, a text, a struct
 * sd_value, a struct sd_texts *, or what a function of JSON returned, which is taken over: NULL
 * makes the whole NULL, but behind a key that begins with '?' it is left out.
 */
/* clang-format off */
#ifdef __cppcheck__ /* its preprocessor does not scan again */
json_t *sd_json(const char *key, ...), *sd_json_list();
void sd_json_put(json_t **object, const char *key, ...);
#else
#define sd_json(...) sd_json_object(SD_JSON_MEMBERS(SD_JSON_PAIR, __VA_ARGS__))
#define sd_json_put(object, ...) sd_json_members(object, SD_JSON_MEMBERS(SD_JSON_PAIR, __VA_ARGS__))
#define sd_json_list(...) sd_json_array(SD_JSON_MEMBERS(SD_JSON_ITEM, __VA_ARGS__))
#endif

struct sd_json_member {
	const char *key; /* "": of an array */
	json_t *value;
};
/* Up to a member without a key. */
json_t *sd_json_object(const struct sd_json_member *m);
void sd_json_members(json_t **object, const struct sd_json_member *m);
json_t *sd_json_array(const struct sd_json_member *m);
json_t *sd_json_whole(json_int_t n);
json_t *sd_json_same(json_t *j);

#define SD_JSON_OF(v) \
	_Generic((v), json_t *: sd_json_same, double: sd_json_real, int: sd_json_whole, \
		unsigned: sd_json_whole, size_t: sd_json_whole, json_int_t: sd_json_whole, \
		int64_t: sd_json_whole, char *: sd_json_text, const char *: sd_json_text, \
		struct sd_value: sd_json_value, struct sd_texts *: sd_json_texts, \
		const struct sd_texts *: sd_json_texts)(v)
/* Each expansion leaves the next one to be scanned again, 85 times at most. */
#define SD_JSON_MEMBERS(each, ...) (const struct sd_json_member[]){SD_JSON_64(each(__VA_ARGS__)) {NULL, NULL}}
#define SD_JSON_PAIR(k, v, ...) {k, SD_JSON_OF(v)}, __VA_OPT__(SD_JSON_PAIR_NEXT SD_JSON_NONE (__VA_ARGS__))
#define SD_JSON_ITEM(v, ...) {"", SD_JSON_OF(v)}, __VA_OPT__(SD_JSON_ITEM_NEXT SD_JSON_NONE (__VA_ARGS__))
#define SD_JSON_PAIR_NEXT() SD_JSON_PAIR
#define SD_JSON_ITEM_NEXT() SD_JSON_ITEM
#define SD_JSON_NONE ()
#define SD_JSON_64(...) SD_JSON_16(SD_JSON_16(SD_JSON_16(SD_JSON_16(__VA_ARGS__))))
#define SD_JSON_16(...) SD_JSON_4(SD_JSON_4(SD_JSON_4(SD_JSON_4(__VA_ARGS__))))
#define SD_JSON_4(...) SD_JSON_1(SD_JSON_1(SD_JSON_1(SD_JSON_1(__VA_ARGS__))))
#define SD_JSON_1(...) __VA_ARGS__
/* clang-format on */

/* Begins a document: schema 1, `kind` unless it is NULL, and the tool; the tool alone. */
json_t *sd_json_head(const char *kind);
json_t *sd_json_tool(void);

/* Prints and releases it; accepts NULL. 0, -EIO or -ENOMEM. */
int sd_json_print(FILE *f, json_t *root);

#endif
