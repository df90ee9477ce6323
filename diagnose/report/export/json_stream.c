#include "export/json_stream.h"

#include <errno.h>
#include <math.h>

#include "render/json_values.h"
#include "page/json_text.h"

#define DUMP (JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))

static void begin(struct sd_json_stream *s, const char *name)
{
	if (s->many)
		fputc(',', s->f);
	s->many = 1;
	if (name)
		fprintf(s->f, "\n\"%s\":", name);
}

void sd_json_stream_open(struct sd_json_stream *s, const char *name, char bracket)
{
	begin(s, name);
	fputc(bracket, s->f);
	s->many = 0;
}

void sd_json_stream_close(struct sd_json_stream *s, char bracket)
{
	fputc(bracket, s->f);
	s->many = 1;
}

void sd_json_stream_put(struct sd_json_stream *s, const char *name, json_t *value)
{
	if (!s->rc && !value)
		s->rc = -ENOMEM;
	if (!s->rc) {
		begin(s, name);
		if (sd_json_text_dump(value, s->f, DUMP) != 0)
			s->rc = -EIO;
	}
	json_decref(value);
}

void sd_json_stream_number(struct sd_json_stream *s, const char *name, double value)
{
	/* whole numbers without a point: half of the bytes of a table */
	if (isfinite(value) && value == floor(value) && fabs(value) < 1e15)
		sd_json_stream_put(s, name, json_integer((json_int_t)value));
	else
		sd_json_stream_put(s, name, sd_json_real(value));
}

void sd_json_stream_text(struct sd_json_stream *s, const char *name, const char *text)
{
	sd_json_stream_put(s, name, sd_json_text(text));
}

int sd_json_stream_end(struct sd_json_stream *s)
{
	if (!s->rc && (fputc('\n', s->f) == EOF || fflush(s->f) != 0 || ferror(s->f)))
		s->rc = -EIO;
	return s->rc;
}
