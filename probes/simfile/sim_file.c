#include "simfile/sim_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "simfile/sim_file_lines.h"

static int take_lines(struct sd_sim_file_words *r, char *text)
{
	int rc = 0;

	while (rc == 0 && *text) {
		char *const newline = strchr(text, '\n');

		r->line++;
		if (!newline)
			return sd_sim_file_words_bad(r, "it is cut off");
		*newline = '\0';
		if (r->line > 1)
			rc = sd_sim_file_lines_take(r, text);
		else if (strcmp(text, "scalediag-sim 1") != 0)
			rc = sd_sim_file_words_bad(
				r, "not a file of this version of the simulation");
		text = newline + 1;
	}
	if (rc == 0 && (!r->ended || !r->f->machine.cores))
		return sd_sim_file_words_bad(r, "it is cut off");
	return rc;
}

/* Those that moved most first, the lowest address among equals. What was estimated of each was
 * rounded after the lines were put in order: two that are one move apart may have changed places.
 */
static int by_moves(const void *a, const void *b)
{
	const struct sd_sim_file_contested *const x = a, *const y = b;
	const double p = x->hitm_load + x->hitm_store, q = y->hitm_load + y->hitm_store;

	return p != q ? (p < q) - (p > q) : (x->address > y->address) - (x->address < y->address);
}

int sd_sim_file_parse(struct sd_sim_file *out, const char *text, size_t size, char *why, size_t n)
{
	struct sd_sim_file_words r = {.f = out, .why = why, .n = n};
	char *copy;
	int rc;

	memset(out, 0, sizeof *out);
	if (why && n)
		why[0] = '\0';
	if (memchr(text, '\0', size)) {
		r.line = 1;
		return sd_sim_file_words_bad(&r, "it holds zero bytes");
	}
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, size);
	copy[size] = '\0';
	rc = take_lines(&r, copy);
	free(copy);
	if (rc)
		sd_sim_file_free(out);
	else if (out->n_contested)
		qsort(out->contested, out->n_contested, sizeof *out->contested, by_moves);
	return rc;
}

int sd_sim_file_read(struct sd_sim_file *out, const char *path, char *why, size_t n)
{
	const int fd = sd_regular_file_open(path, O_NOFOLLOW, NULL);
	char *text = NULL;
	size_t size = 0;
	int rc = -EBADMSG;

	memset(out, 0, sizeof *out);
	if (why && n)
		why[0] = '\0';
	if (fd < 0 && fd != -EINVAL)
		return fd;
	if (fd >= 0)
		text = (char *)sd_regular_file_read(fd, SD_SIM_FILE_BYTES, &size);
	if (!text && why && n)
		snprintf(why, n, "line 0: not a file, or larger than %u bytes", SD_SIM_FILE_BYTES);
	if (fd >= 0)
		close(fd);
	if (text)
		rc = sd_sim_file_parse(out, text, size, why, n);
	free(text);
	return rc;
}

void sd_sim_file_free(struct sd_sim_file *f)
{
	for (size_t i = 0; i < f->n_contested; i++) {
		free(f->contested[i].sharer);
		free(f->contested[i].code);
	}
	for (size_t i = 0; i < f->n_map; i++)
		free(f->map[i].path);
	free(f->thread);
	free(f->stack);
	free(f->contested);
	free(f->loop);
	free(f->block);
	free(f->race);
	free(f->conflict);
	free(f->site);
	free(f->map);
	free(f->life);
	free(f->wait);
	memset(f, 0, sizeof *f);
}
