#include "render/json_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "page/json_text.h"
#include "page/sanitize.h"

json_t *sd_json_real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *sd_json_value(struct sd_value v)
{
	return sd_has(v) ? sd_json_real(v.value) : json_null();
}

json_t *sd_json_text(const char *s)
{
	char *clean;
	json_t *out;

	if (!s)
		return json_null();
	out = json_string(s);
	if (out)
		return out;
	clean = sd_sanitize(s);
	out = clean ? json_string(clean) : NULL;
	free(clean);
	return out;
}

json_t *sd_json_name(const char *s)
{
	return s && *s ? sd_json_text(s) : json_null();
}

json_t *sd_json_number(json_int_t n)
{
	return n ? json_integer(n) : json_null();
}

json_t *sd_json_texts(const struct sd_texts *t)
{
	json_t *out = json_array();

	for (size_t i = 0; out && i < t->n; i++)
		sd_json_add(&out, sd_json_text(t->text[i]));
	return out;
}

static void release(json_t **whole)
{
	json_decref(*whole);
	*whole = NULL;
}

void sd_json_add(json_t **array, json_t *item)
{
	if (!*array)
		json_decref(item);
	else if (json_array_append_new(*array, item) != 0)
		release(array);
}

void sd_json_set(json_t **object, const char *key, json_t *member)
{
	if (!*object)
		json_decref(member);
	else if (json_object_set_new(*object, key, member) != 0)
		release(object);
}

void sd_json_members(json_t **object, const struct sd_json_member *m)
{
	for (; m->key; m++)
		if (*m->key != '?')
			sd_json_set(object, m->key, m->value);
		else if (m->value)
			sd_json_set(object, m->key + 1, m->value);
}

json_t *sd_json_object(const struct sd_json_member *m)
{
	json_t *out = json_object();

	sd_json_members(&out, m);
	return out;
}

json_t *sd_json_array(const struct sd_json_member *m)
{
	json_t *out = json_array();

	for (; m->key; m++)
		sd_json_add(&out, m->value);
	return out;
}

json_t *sd_json_whole(json_int_t n)
{
	return json_integer(n);
}

json_t *sd_json_same(json_t *j)
{
	return j;
}

json_t *sd_json_tool(void)
{
	return sd_json("name", "scalediag", "version", SD_VERSION);
}

json_t *sd_json_head(const char *kind)
{
	return sd_json(
		"schema", 1, "?kind", kind ? sd_json_text(kind) : NULL, "tool", sd_json_tool());
}

void sd_json_put_interval(json_t **object, struct sd_interval v, size_t runs)
{
	const int has = sd_status_measured(v);
	/* a side that is not is null; one run of a modelled machine is exact */
	const int bounded = has && (runs > 1 || (sd_status_bounded(v) && !(v.high > v.low)));

	sd_json_put(object, "value", has ? v.value : NAN, "low", bounded ? v.low : NAN, "high",
		bounded ? v.high : NAN, "?quality",
		v.status != SD_STATUS_OK ? sd_json_text(sd_status_name(v.status)) : NULL);
}

json_t *sd_json_interval(struct sd_interval v, size_t runs)
{
	json_t *out = json_object();

	sd_json_put_interval(&out, v, runs);
	return out;
}

int sd_json_print(FILE *f, json_t *root)
{
	int rc = root ? 0 : -ENOMEM;

	if (!rc && (sd_json_text_dump(root, f, SD_JSON_DUMP) != 0 || fputc('\n', f) == EOF ||
			   fflush(f) != 0))
		rc = -EIO;
	json_decref(root);
	return rc;
}
