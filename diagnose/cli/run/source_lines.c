#include "run/source_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX (16 << 20)

/* How many functions are shown, and how many lines before and after the worst one. */
#define FUNCTIONS 2u
#define AROUND 2u
#define ALL_FUNCTIONS 8u
#define ALL_AROUND 5u

/* Cores that a line must cost to be worth looking at. */
#define LEAST .05

/* The file, open for reading, when it is what the program was made from. */
static FILE *open_source(
	const struct sd_where *at, const char *cwd, double measured, enum sd_source_state *state)
{
	struct stat file, module;
	char *path = NULL;
	FILE *f = NULL;
	int fd;

	*state = SD_SOURCE_MISSING;
	if (at->file[0] != '/' && cwd) {
		if (asprintf(&path, "%s/%s", cwd, at->file) < 0)
			return NULL;
	} else {
		path = strdup(at->file);
	}
	/* not blocking: a name from a record may be that of a pipe */
	fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	free(path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_size <= FILE_MAX) {
		*state = SD_SOURCE_READ;
		if (at->module && stat(at->module, &module) == 0 ? file.st_mtime > module.st_mtime
								 : (double)file.st_mtime > measured)
			*state = SD_SOURCE_NEWER;
	}
	if (*state == SD_SOURCE_READ)
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static int add_line(struct sd_source *s, char *text, ssize_t n)
{
	char **grown = realloc(s->line, (s->n + 1) * sizeof *grown);

	if (!grown)
		return -ENOMEM;
	s->line = grown;
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		text[--n] = '\0';
	s->line[s->n] = strdup(text);
	if (!s->line[s->n])
		return -ENOMEM;
	s->n++;
	return 0;
}

static int read_lines(FILE *f, unsigned hot, unsigned around, struct sd_source *s)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t n;
	int rc = 0;

	s->first = hot > around ? hot - around : 1;
	for (unsigned line = 1; rc == 0 && line <= hot + around; line++) {
		n = getline(&text, &size, f);
		if (n < 0)
			break;
		if (line >= s->first)
			rc = add_line(s, text, n);
	}
	free(text);
	/* a file that ends before the line is not what the program was made from */
	if (rc == 0 && s->first + s->n <= hot)
		s->state = SD_SOURCE_MISSING;
	return rc;
}

int sd_source_lines_read(const struct sd_analysis *a, const char *cwd, double measured, int all,
	struct sd_source_lines *out)
{
	const size_t most = all ? ALL_FUNCTIONS : FUNCTIONS;
	int rc = 0;

	*out = (struct sd_source_lines){.source = calloc(most, sizeof *out->source)};
	if (!out->source)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < a->losses.n_row && out->n < most; i++) {
		const struct sd_loss_row *r = &a->losses.row[i];
		struct sd_source *s = &out->source[out->n];
		FILE *f;

		if (r->total.value < LEAST)
			break;
		if (!r->own || !r->at.file || !r->at.line)
			continue;
		*s = (struct sd_source){.row = i};
		out->n++;
		f = open_source(&r->at, cwd, measured, &s->state);
		if (!f)
			continue;
		rc = read_lines(f, r->at.line, all ? ALL_AROUND : AROUND, s);
		fclose(f);
	}
	return rc;
}

void sd_source_lines_free(struct sd_source_lines *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->source[i].n; k++)
			free(s->source[i].line[k]);
		free(s->source[i].line);
	}
	free(s->source);
	*s = (struct sd_source_lines){0};
}
