#include "trace/trace_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "trace/trace_file_layout.h"
#include "trace/trace_state.h"
#include "base/cpulist.h"

static enum sd_status status(uint64_t v)
{
	return v < SD_STATUS_COUNT ? (enum sd_status)v : SD_STATUS_ABSENT;
}

static struct sd_trace_facts unpack(const struct sd_kept_facts *k)
{
	return (struct sd_trace_facts){.samples = status(k->samples),
		.switches = status(k->switches),
		.switch_stacks = status(k->switch_stacks),
		.kernel = status(k->kernel),
		.wakes = status(k->wakes),
		.programs = status(k->programs),
		.hz = k->hz,
		.n_samples = k->n_samples,
		.n_switches = k->n_switches,
		.n_lost = k->n_lost,
		.bytes = k->bytes,
		.cpus_covered = (unsigned)k->cpus_covered,
		.cpus_wanted = (unsigned)k->cpus_wanted,
		.together = k->together != 0,
		.thinned = k->thinned != 0,
		.stack_bytes = k->stack_bytes,
		.cpu_s = k->cpu_s,
		.strangers_s = k->strangers_s};
}

static int stream_of(struct sd_trace_buffer *s, unsigned cpu, size_t *out)
{
	/* blocks of a CPU follow one another */
	if (s->n && s->stream[s->n - 1].cpu == cpu) {
		*out = s->n - 1;
		return 0;
	}
	*out = s->n;
	return sd_trace_buffer_add(s, cpu);
}

static int read_block(FILE *f, struct sd_trace_buffer *s, const struct sd_kept_block *b)
{
	unsigned char *const bytes = malloc(b->size ? b->size : 1);
	struct sd_chunk *c;
	size_t stream;
	int rc = -EINVAL;

	if (!bytes)
		return -ENOMEM;
	if (fread(bytes, 1, b->size, f) != b->size)
		goto out;
	rc = stream_of(s, b->cpu, &stream);
	if (rc)
		goto out;
	rc = -ENOMEM;
	c = sd_trace_buffer_fresh(s, stream, b->size, b->base);
	if (!c)
		goto out;
	memcpy(c->bytes, bytes, b->size);
	sd_trace_buffer_used(s, c, b->size);
	rc = 0;
out:
	free(bytes);
	return rc;
}

/* Sizes are checked before memory is asked for: a block is at most what a record needs. */
static int read_blocks(FILE *f, struct sd_trace_buffer *s)
{
	struct sd_kept_block b;
	size_t got;
	int rc = 0;

	while (rc == 0 && (got = fread(&b, 1, sizeof b, f)) == sizeof b) {
		if (b.size > 2u << 20 || b.cpu >= SD_CPU_MAX)
			return -EINVAL;
		if (s->used + b.size > SD_KEPT_MOST_BYTES)
			return -EFBIG;
		rc = read_block(f, s, &b);
	}
	return rc ? rc : got ? -EINVAL : ferror(f) ? -EIO : 0;
}

int sd_capture_from_file(struct sd_capture **out, const char *path)
{
	struct sd_capture *const c = calloc(1, sizeof *c);
	struct sd_kept_facts facts;
	char magic[8];
	FILE *f = NULL;
	int rc = -ENOMEM;

	*out = NULL;
	if (!c)
		goto out;
	rc = sd_regular_file_open(path, 0, NULL);
	if (rc < 0)
		goto out;
	f = fdopen(rc, "r");
	if (!f) {
		close(rc);
		rc = -ENOMEM;
		goto out;
	}
	rc = -EINVAL;
	if (fread(magic, 1, 8, f) != 8 || memcmp(magic, SD_KEPT_MAGIC, 8) != 0 ||
		fread(&facts, sizeof facts, 1, f) != 1)
		goto out;
	rc = -ENOEXEC;
	if (facts.machine != SD_KEPT_MACHINE)
		goto out;
	c->facts = unpack(&facts);
	rc = read_blocks(f, &c->spool);
out:
	if (f)
		fclose(f);
	if (rc)
		sd_trace_close(c);
	else
		*out = c;
	return rc;
}
