#include "trace/trace_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/output_file.h"
#include "trace/trace_file_layout.h"
#include "trace/trace_state.h"

static struct sd_kept_facts pack(const struct sd_trace_facts *f)
{
	return (struct sd_kept_facts){.machine = SD_KEPT_MACHINE,
		.samples = f->samples,
		.switches = f->switches,
		.switch_stacks = f->switch_stacks,
		.kernel = f->kernel,
		.wakes = f->wakes,
		.programs = f->programs,
		.hz = f->hz,
		.n_samples = f->n_samples,
		.n_switches = f->n_switches,
		.n_lost = f->n_lost,
		.bytes = f->bytes,
		.cpus_covered = f->cpus_covered,
		.cpus_wanted = f->cpus_wanted,
		.together = (uint64_t)f->together,
		.thinned = (uint32_t)f->thinned,
		.stack_bytes = f->stack_bytes,
		.cpu_s = f->cpu_s,
		.strangers_s = f->strangers_s};
}

static int write_stream(FILE *f, const struct sd_stream *s)
{
	for (const struct sd_chunk *c = s->first; c; c = c->next) {
		const struct sd_kept_block b = {.cpu = s->cpu, .size = c->n, .base = c->base};

		if (fwrite(&b, sizeof b, 1, f) != 1 || fwrite(c->bytes, 1, c->n, f) != c->n)
			return -EIO;
	}
	return 0;
}

static int put(FILE *f, const void *data)
{
	const struct sd_capture *const c = data;
	const struct sd_kept_facts facts = pack(&c->facts);
	int rc = 0;

	if (fwrite(SD_KEPT_MAGIC, 1, 8, f) != 8 || fwrite(&facts, sizeof facts, 1, f) != 1)
		rc = -EIO;
	for (size_t i = 0; rc == 0 && i < c->spool.n; i++)
		rc = write_stream(f, &c->spool.stream[i]);
	return rc;
}

int sd_trace_keep(const struct sd_capture *c)
{
	return c->keep ? sd_output_file_write(c->keep, SD_OUTPUT_SAMPLES, put, c, NULL) : 0;
}
