#include "calibration/bench_report.h"

#include <errno.h>
#include <string.h>

/* A field, quoted where RFC 4180 asks for it. A leading sign that a spreadsheet would take for a
 * formula cannot occur: all texts come from tables of names, or were checked when read. */
static void put_text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, f);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

static void put_number(FILE *f, int has, double v)
{
	if (has)
		fprintf(f, ",%.12g", v);
	else
		fputc(',', f);
}

static void put_row(FILE *f, const struct sd_bench_row *r)
{
	const enum sd_status status = sd_bench_row_value(r).status;
	const int has = status == SD_STATUS_OK || status == SD_STATUS_NOISY;

	put_text(f, r->kernel);
	fputc(',', f);
	put_text(f, r->variant);
	fprintf(f, ",%u,", r->cores);
	put_text(f, r->cpus);
	fprintf(f, ",%.12g,", r->parameter);
	put_text(f, r->parameter_unit);
	fputc(',', f);
	put_text(f, r->unit);
	fprintf(f, ",%u,%zu,%zu", r->state, r->n, r->dropped);
	put_number(f, has, r->median);
	put_number(f, has, r->q1);
	put_number(f, has, r->q3);
	put_number(f, has, r->low);
	put_number(f, has, r->high);
	fprintf(f, ",%s,", sd_status_name(r->status));
	put_text(f, r->why);
	fputs("\r\n", f);
}

int sd_bench_csv(FILE *f, const struct sd_profile *p)
{
	fputs("kernel,variant,cores,cpus,parameter,parameter_unit,unit,state,samples,dropped,"
	      "median,"
	      "q1,q3,low,high,status,why\r\n",
		f);
	for (size_t i = 0; i < p->rows.n; i++)
		put_row(f, &p->rows.row[i]);
	return fflush(f) != 0 || ferror(f) ? -EIO : 0;
}
