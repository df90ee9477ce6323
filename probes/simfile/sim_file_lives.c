#include "simfile/sim_file_lives.h"

#include <errno.h>

int sd_sim_file_lives_life(struct sd_sim_file_words *r)
{
	struct sd_sim_file_life *l;
	int rc;

	l = sd_sim_file_words_append(r, &r->f->life, &r->f->n_life, sizeof *l, r->f->n_thread, &rc);
	if (!l)
		return rc;
	if (sd_sim_file_words_count(r, &l->begun) || sd_sim_file_words_count(r, &l->ended))
		return -EBADMSG;
	return l->ended < l->begun ? sd_sim_file_words_bad(r, "a thread that ends before it begins")
				   : 0;
}

int sd_sim_file_lives_wait(struct sd_sim_file_words *r)
{
	struct sd_sim_file_wait *w;
	int rc;

	w = sd_sim_file_words_append(
		r, &r->f->wait, &r->f->n_wait, sizeof *w, SD_SIM_FILE_WAITS, &rc);
	if (!w)
		return rc;
	if (!r->f->n_life)
		return sd_sim_file_words_bad(r, "a wait of no thread");
	if (sd_sim_file_words_unsigned(r, r->f->n_life - 1, &w->thread) ||
		sd_sim_file_words_count(r, &w->from) || sd_sim_file_words_count(r, &w->to) ||
		sd_sim_file_words_u64(r, &w->address) ||
		sd_sim_file_words_below(r, UINT32_MAX, &w->operation) ||
		sd_sim_file_words_below(r, UINT32_MAX, &w->value))
		return -EBADMSG;
	return w->from > w->to || w->from < r->f->life[w->thread].begun ||
			       w->to > r->f->event[SD_MODELLED_CLOCK]
		       ? sd_sim_file_words_bad(r, "a wait outside its thread's life")
		       : 0;
}
