#include "trace/trace_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_state.h"
#include "base/cpulist.h"
#include "output/output_file.h"

#define MAGIC "SDTRAIL3"
#define MOST_BYTES (UINT64_C(4) << 30)

#if defined(__x86_64__)
#define MACHINE 62 /* EM_X86_64 */
#elif defined(__aarch64__)
#define MACHINE 183 /* EM_AARCH64 */
#else
#define MACHINE 0
#endif

struct kept_facts {
	uint64_t machine;
	uint64_t samples, switches, switch_stacks, kernel, wakes;
	double hz;
	uint64_t n_samples, n_switches, n_lost, bytes, cpus_covered, cpus_wanted, together, thinned;
	double cpu_s, strangers_s;
};

struct block {
	uint32_t cpu, size;
	uint64_t base;
};

static struct kept_facts pack(const struct sd_trace_facts *f)
{
	return (struct kept_facts){.machine = MACHINE,
		.samples = f->samples,
		.switches = f->switches,
		.switch_stacks = f->switch_stacks,
		.kernel = f->kernel,
		.wakes = f->wakes,
		.hz = f->hz,
		.n_samples = f->n_samples,
		.n_switches = f->n_switches,
		.n_lost = f->n_lost,
		.bytes = f->bytes,
		.cpus_covered = f->cpus_covered,
		.cpus_wanted = f->cpus_wanted,
		.together = (uint64_t)f->together,
		.thinned = (uint64_t)f->thinned,
		.cpu_s = f->cpu_s,
		.strangers_s = f->strangers_s};
}

static enum sd_status status(uint64_t v)
{
	return v < SD_STATUS_COUNT ? (enum sd_status)v : SD_STATUS_ABSENT;
}

static struct sd_trace_facts unpack(const struct kept_facts *k)
{
	return (struct sd_trace_facts){.samples = status(k->samples),
		.switches = status(k->switches),
		.switch_stacks = status(k->switch_stacks),
		.kernel = status(k->kernel),
		.wakes = status(k->wakes),
		.hz = k->hz,
		.n_samples = k->n_samples,
		.n_switches = k->n_switches,
		.n_lost = k->n_lost,
		.bytes = k->bytes,
		.cpus_covered = (unsigned)k->cpus_covered,
		.cpus_wanted = (unsigned)k->cpus_wanted,
		.together = k->together != 0,
		.thinned = k->thinned != 0,
		.cpu_s = k->cpu_s,
		.strangers_s = k->strangers_s};
}

static int write_stream(FILE *f, const struct sd_stream *s)
{
	for (const struct sd_chunk *c = s->first; c; c = c->next) {
		const struct block b = {.cpu = s->cpu, .size = c->n, .base = c->base};

		if (fwrite(&b, sizeof b, 1, f) != 1 || fwrite(c->bytes, 1, c->n, f) != c->n)
			return -EIO;
	}
	return 0;
}

static int put(FILE *f, const void *data)
{
	const struct sd_capture *const c = data;
	const struct kept_facts facts = pack(&c->facts);
	int rc = 0;

	if (fwrite(MAGIC, 1, 8, f) != 8 || fwrite(&facts, sizeof facts, 1, f) != 1)
		rc = -EIO;
	for (size_t i = 0; rc == 0 && i < c->spool.n; i++)
		rc = write_stream(f, &c->spool.stream[i]);
	return rc;
}

int sd_capture_write(const struct sd_capture *c, const char *path)
{
	return sd_output_file_write(path, SD_OUTPUT_SAMPLES, put, c, NULL);
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

static int read_block(FILE *f, struct sd_trace_buffer *s, const struct block *b)
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
	struct block b;
	size_t got;
	int rc = 0;

	while (rc == 0 && (got = fread(&b, 1, sizeof b, f)) == sizeof b) {
		if (b.size > 2u << 20 || b.cpu >= SD_CPU_MAX)
			return -EINVAL;
		if (s->used + b.size > MOST_BYTES)
			return -EFBIG;
		rc = read_block(f, s, &b);
	}
	return rc ? rc : got ? -EINVAL : ferror(f) ? -EIO : 0;
}

int sd_capture_from_file(struct sd_capture **out, const char *path)
{
	struct sd_capture *const c = calloc(1, sizeof *c);
	struct kept_facts facts;
	char magic[8];
	FILE *f = NULL;
	int rc = -ENOMEM;

	*out = NULL;
	if (!c)
		goto out;
	f = fopen(path, "re");
	rc = -errno;
	if (!f)
		goto out;
	rc = -EINVAL;
	if (fread(magic, 1, 8, f) != 8 || memcmp(magic, MAGIC, 8) != 0 ||
		fread(&facts, sizeof facts, 1, f) != 1)
		goto out;
	rc = -ENOEXEC;
	if (facts.machine != MACHINE)
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
