#include "record/record.h"

#include <stdlib.h>
#include <string.h>

void sd_options_free(struct sd_options *o)
{
	free(o->count);
	free(o->shape);
	free(o->env);
	*o = (struct sd_options){0};
}

void sd_plan_free(struct sd_plan *p)
{
	for (size_t i = 0; i < p->n_point; i++)
		sd_cpulist_free(&p->point[i].cpus);
	for (size_t i = 0; i < p->n_pass; i++)
		free(p->pass[i].role);
	for (size_t i = 0; i < p->n_experiment; i++) {
		sd_cpulist_free(&p->experiment[i].cpus);
		free(p->experiment[i].skipped);
	}
	free(p->point);
	free(p->experiment);
	free(p->pass);
	free(p->skipped);
	free(p->simulation);
	*p = (struct sd_plan){0};
}

void sd_calibration_free(struct sd_calibration *c)
{
	free(c->statement);
	free(c->ceiling);
	*c = (struct sd_calibration){0};
}

int sd_program_gives_count(const struct sd_program *p)
{
	static const char *const word[] = {"{n}", "{threads}", "{ranks}"};
	const struct sd_texts *const from[] = {&p->argv, &p->env};

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < from[k]->n; i++)
			for (size_t w = 0; w < sizeof word / sizeof *word; w++)
				if (strstr(from[k]->text[i], word[w]))
					return 1;
	return 0;
}

unsigned sd_record_counted(const struct sd_record *r, size_t point, unsigned pass)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].kind == SD_RUN_BLOCK && r->run[i].point == point &&
		     r->run[i].pass == pass && sd_run_ended_well(&r->run[i]);
	return n;
}

void sd_source_text_free(struct sd_source_text *s)
{
	free(s->file);
	sd_texts_free(&s->line);
	*s = (struct sd_source_text){0};
}

void sd_record_free(struct sd_record *r)
{
	sd_texts_free(&r->program.argv);
	free(r->program.cwd);
	free(r->program.region);
	free(r->program.attached);
	free(r->program.rate);
	free(r->program.latency);
	sd_texts_free(&r->program.env);
	sd_texts_free(&r->program.set);
	free(r->program.prepare);
	free(r->program.source.root);
	free(r->program.build);
	sd_calibration_free(&r->calibration);
	sd_machine_layout_free(&r->layout);
	sd_plan_free(&r->plan);
	for (size_t i = 0; i < r->n_run; i++)
		sd_run_free(&r->run[i]);
	free(r->run);
	sd_stacks_free(&r->stacks);
	for (size_t i = 0; i < r->n_source; i++)
		sd_source_text_free(&r->source[i]);
	free(r->source);
	sd_texts_free(&r->warnings);
	*r = (struct sd_record){0};
}
