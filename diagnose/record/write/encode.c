#include "write/encode.h"

#include <errno.h>

#include "fields/fields.h"
#include "write/encode_field.h"
#include "write/encode_layout.h"
#include "write/encode_stacks.h"
#include "write/encode_struct.h"

/* A member of the record: a line of its own. */
static int put_line(FILE *f, const char *key, const struct sd_fields *fields, const void *in)
{
	int rc = fprintf(f, "\"%s\":", key) < 0 ? -EIO : 0;

	rc = rc ? rc : sd_encode_struct(f, fields, in);
	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int put_tool(FILE *f, const struct sd_record *r)
{
	int rc = fputs("\"tool\":{\"name\":\"scalediag\",\"version\":", f) < 0 ? -EIO : 0;

	rc = rc ? rc : sd_encode_field_text(f, r->tool_version);
	if (!rc && fprintf(f, "},\n\"complete\":%s,\n", r->complete ? "true" : "false") < 0)
		rc = -EIO;
	return rc;
}

static int put_warnings(FILE *f, const struct sd_record *r)
{
	int rc = fputs("\"warnings\":", f) < 0 ? -EIO : sd_encode_field_texts(f, &r->warnings);

	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int put_stacks(FILE *f, const struct sd_record *r)
{
	int rc;

	if (!r->stacks.n_text)
		return 0;
	rc = fputs("\"stacks\":", f) < 0 ? -EIO : sd_encode_stacks(f, &r->stacks);
	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int put_source(FILE *f, const struct sd_record *r)
{
	int rc;

	if (!r->n_source)
		return 0;
	if (fputs("\"source_lines\":", f) < 0)
		return -EIO;
	rc = sd_encode_struct_list(
		f, &sd_fields_source, r->source, r->n_source, sizeof *r->source, ",");
	return !rc && fputs(",\n", f) < 0 ? -EIO : rc;
}

static int put_runs(FILE *f, const struct sd_record *r)
{
	int rc = fputs("\"runs\":[", f) < 0 ? -EIO : 0;

	for (size_t i = 0; !rc && i < r->n_run; i++) {
		rc = fputs(i ? ",\n" : "\n", f) < 0 ? -EIO : 0;
		rc = rc ? rc : sd_encode_struct(f, &sd_fields_run, &r->run[i]);
	}
	return !rc && fputs("\n]}\n", f) < 0 ? -EIO : rc;
}

int sd_encode(FILE *f, const struct sd_record *r)
{
	int rc = fprintf(f, "{\"kind\":\"%s\",\"schema\":%d,\n", SD_RECORD_KIND, SD_RECORD_SCHEMA) <
				 0
			 ? -EIO
			 : put_tool(f, r);

	rc = rc ? rc : put_line(f, "host", &sd_fields_host, &r->host);
	rc = rc ? rc : put_line(f, "program", &sd_fields_program, &r->program);
	if (!rc && r->calibration.statement)
		rc = put_line(f, "calibration", &sd_fields_calibration, &r->calibration);
	rc = rc ? rc : sd_encode_layout(f, &r->layout);
	rc = rc ? rc : put_line(f, "plan", &sd_fields_plan, &r->plan);
	rc = rc ? rc : put_warnings(f, r);
	rc = rc ? rc : put_stacks(f, r);
	rc = rc ? rc : put_source(f, r);
	return rc ? rc : put_runs(f, r);
}
