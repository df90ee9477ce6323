#include "threads/pipe_stages.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/one_more.h"

static uint64_t pipe_of(const char *root, int pid, int fd)
{
	char path[PATH_MAX], text[64];
	uint64_t inode = 0;
	ssize_t n;

	snprintf(path, sizeof path, "%s/proc/%d/fd/%d", root, pid, fd);
	n = readlink(path, text, sizeof text - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return sscanf(text, "pipe:[%" SCNu64 "]", &inode) == 1 ? inode : 0;
}

static const struct sd_pipe_ends *ends_of(const struct sd_pipe_stages *p, int pid)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->process[i].pid == pid)
			return &p->process[i];
	return NULL;
}

int sd_pipe_stages_look(struct sd_pipe_stages *p, const char *root, int pid)
{
	const struct sd_pipe_ends now = {pid, pipe_of(root, pid, 0), pipe_of(root, pid, 1)},
				  *const before = ends_of(p, pid);
	struct sd_pipe_ends *to;

	if (!now.in && !now.out)
		return 0; /* none, or it is about to end and has closed them */
	if (before) {
		to = &p->process[before - p->process];
		to->in = now.in ? now.in : to->in;
		to->out = now.out ? now.out : to->out;
		return 0;
	}
	if (p->n == SD_PIPE_STAGES_MOST)
		return 0;
	return SD_APPEND(p->process, p->n, &now);
}

/* The process before or behind; NULL: it is at that end. */
static const struct sd_pipe_ends *next_to(
	const struct sd_pipe_stages *p, const struct sd_pipe_ends *of, int behind)
{
	const uint64_t pipe = behind ? of->out : of->in;

	for (size_t i = 0; pipe && i < p->n; i++)
		if (&p->process[i] != of && (behind ? p->process[i].in : p->process[i].out) == pipe)
			return &p->process[i];
	return NULL;
}

void sd_pipe_stages_place(
	const struct sd_pipe_stages *p, int pid, unsigned *stage, unsigned *stages)
{
	const struct sd_pipe_ends *const self = ends_of(p, pid), *at;
	unsigned before = 0, behind = 0;

	/* a ring has neither end */
	for (at = self; at && (at = next_to(p, at, 0)) != NULL && before < p->n;)
		before++;
	for (at = self; at && (at = next_to(p, at, 1)) != NULL && behind < p->n;)
		behind++;
	*stage = *stages = 0;
	if (before + behind == 0 || before == p->n || behind == p->n)
		return;
	*stage = before + 1;
	*stages = before + 1 + behind;
}

void sd_pipe_stages_free(struct sd_pipe_stages *p)
{
	free(p->process);
	*p = (struct sd_pipe_stages){0};
}
