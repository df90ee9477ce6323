#include "simfile/sim_file_contested.h"

#include <errno.h>

int sd_sim_file_contested_line(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;
	struct sd_sim_file_contested *c;
	double separated;
	unsigned sharing;
	int rc;

	c = sd_sim_file_words_append(
		r, &f->contested, &f->n_contested, sizeof *c, SD_SIM_LINES, &rc);
	if (!c)
		return rc;
	if (sd_sim_file_words_u64(r, &c->address) ||
		sd_sim_file_words_unsigned(r, SD_SIM_MIXED, &sharing))
		return -EBADMSG;
	c->sharing = (enum sd_sim_sharing)sharing;
	{
		double *const to[] = {
			&c->hitm_load, &c->hitm_store, &c->invalidations, &c->upgrades, &separated};

		if (sd_sim_file_words_counts(r, to, sizeof to / sizeof *to))
			return -EBADMSG;
	}
	if (c->sharing != SD_SIM_TRUE)
		c->separated = SD_OK(separated);
	return 0;
}

int sd_sim_file_contested_sharer(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;
	struct sd_sim_file_contested *const c =
		f->n_contested ? &f->contested[f->n_contested - 1] : NULL;
	struct sd_sim_sharer *s;
	int rc;

	if (!c)
		return sd_sim_file_words_bad(r, "a sharer of no line");
	s = sd_sim_file_words_append(r, &c->sharer, &c->n_sharer, sizeof *s, SD_SIM_SHARERS, &rc);
	if (!s)
		return rc;
	if (sd_sim_file_words_unsigned(r, SD_SIM_THREADS, &s->thread) ||
		sd_sim_file_words_u64(r, &s->read) || sd_sim_file_words_u64(r, &s->written))
		return -EBADMSG;
	if (s->thread >= f->n_thread)
		return sd_sim_file_words_bad(r, "a sharer that is no thread");
	{
		double *const to[] = {&s->loads, &s->stores, &s->locked, &s->hitm};

		return sd_sim_file_words_counts(r, to, sizeof to / sizeof *to);
	}
}

int sd_sim_file_contested_code(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;
	struct sd_sim_file_contested *const c =
		f->n_contested ? &f->contested[f->n_contested - 1] : NULL;
	struct sd_sim_file_code *x;
	int rc;

	if (!c)
		return sd_sim_file_words_bad(r, "code of no line");
	x = sd_sim_file_words_append(r, &c->code, &c->n_code, sizeof *x, SD_SIM_CODES, &rc);
	if (!x)
		return rc;
	if (sd_sim_file_words_u64(r, &x->pc) || sd_sim_file_words_count(r, &x->accesses) ||
		sd_sim_file_words_count(r, &x->hitm) || sd_sim_file_words_int(r, 1, &x->writes))
		return -EBADMSG;
	return sd_sim_file_words_int(r, 1, &x->locked);
}

/* A block that the last line moved with, and the callers that asked for it. */
int sd_sim_file_contested_site(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;
	struct sd_sim_file_contested *const c =
		f->n_contested ? &f->contested[f->n_contested - 1] : NULL;
	struct sd_sim_file_site *x;
	int rc;

	if (!c)
		return sd_sim_file_words_bad(r, "a block of no line");
	x = sd_sim_file_words_append(r, &f->site, &f->n_site, sizeof *x, SD_SIM_FILE_SITES, &rc);
	if (!x)
		return rc;
	if (c->n_site++ == 0)
		c->site = f->n_site - 1;
	if (sd_sim_file_words_u64(r, &x->start) || sd_sim_file_words_u64(r, &x->bytes))
		return -EBADMSG;
	while (*r->rest == ' ' && x->n_pc < SD_SIM_FILE_DEPTH)
		if (sd_sim_file_words_u64(r, &x->pc[x->n_pc++]))
			return -EBADMSG;
	return x->bytes <= UINT64_MAX - x->start
		       ? 0
		       : sd_sim_file_words_bad(r, "a block that ends before it begins");
}

int sd_sim_file_contested_frame(struct sd_sim_file_words *r)
{
	struct sd_sim_file *const f = r->f;

	if (!f->n_contested)
		return sd_sim_file_words_bad(r, "a frame of no line");
	return sd_sim_file_words_u64(r, &f->contested[f->n_contested - 1].frame);
}
