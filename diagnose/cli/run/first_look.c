#include "run/first_look.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyse/analyse.h"
#include "page/sanitize.h"
#include "page/short_names.h"
#include "plan/schedule.h"
#include "run/config_tables.h"

/* Parts of the stack that fit a line of a terminal. */
#define PARTS 2
#define PLACE_COLUMNS 40
/* Share of the cores below which nobody is suspected. */
#define LEAST .05

static int is_known(struct sd_interval v)
{
	return v.status == SD_STATUS_OK || v.status == SD_STATUS_NOISY;
}

static double cores_of(const struct sd_point *p, int component)
{
	return is_known(p->stack[component]) ? p->stack[component].value : 0;
}

/* The largest losses, then the rest. */
static void put_stack(FILE *f, const struct sd_point *p)
{
	double rest = p->n - cores_of(p, SD_COMPONENT_USEFUL);
	unsigned char shown[SD_COMPONENT_COUNT] = {[SD_COMPONENT_USEFUL] = 1};

	fprintf(f, "  %u core%s so far: %.2f %s", p->n, p->n == 1 ? "" : "s",
		cores_of(p, SD_COMPONENT_USEFUL), sd_component_info[SD_COMPONENT_USEFUL].label);
	for (int i = 0; i < PARTS; i++) {
		int most = SD_COMPONENT_USEFUL;

		for (int k = 0; k < SD_COMPONENT_COUNT; k++)
			if (!shown[k] && (shown[most] || cores_of(p, k) > cores_of(p, most)))
				most = k;
		if (shown[most] || cores_of(p, most) < LEAST * p->n)
			break;
		shown[most] = 1;
		rest -= cores_of(p, most);
		fprintf(f, ", %.2f %s", cores_of(p, most), sd_component_info[most].label);
	}
	if (rest > LEAST * p->n / 2)
		fprintf(f, ", %.2f other", rest);
	fputc('\n', f);
}

static int is_suspect(const struct sd_finding *f)
{
	return f->verdict <= SD_VERDICT_POSSIBLE && is_known(f->share) && f->share.value >= LEAST;
}

static void put_suspect(FILE *f, const struct sd_analysis *a)
{
	for (size_t i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const x = &a->finding[i];
		char *const name = is_suspect(x) && x->n_where
					   ? sd_name_chain(&x->where[0], PLACE_COLUMNS)
					   : NULL;
		char *const clean = name ? sd_sanitize(name) : NULL;

		if (is_suspect(x))
			fprintf(f, "  first suspect: %s%s%s · Ctrl-C reports now\n",
				sd_cause_info[x->cause].label, clean ? " in " : "",
				clean ? clean : "");
		free(name);
		free(clean);
		if (is_suspect(x))
			return;
	}
	fputs("  no suspect yet · Ctrl-C reports now\n", f);
}

char *sd_first_look(void *ctx, const struct sd_record *record)
{
	const struct sd_config_tables *const tables = ctx;
	struct sd_analysis a = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *f = NULL;

	if (sd_analyse(record, &tables->formulas, &tables->advice, &a) == 0 && a.n_point > 1)
		f = open_memstream(&text, &size);
	if (f) {
		put_stack(f, &a.point[a.n_point - 1]);
		put_suspect(f, &a);
		if (fclose(f) != 0) {
			free(text);
			text = NULL;
		}
	}
	sd_analysis_free(&a);
	return text;
}

int sd_first_look_is_enough(const struct sd_record *r)
{
	size_t counts = 0;

	for (size_t p = 0; p < r->plan.n_point; p++)
		counts += sd_schedule_runs(r, p) > 0;
	return counts > 1;
}
