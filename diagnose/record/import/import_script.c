/* Reads `perf script` of a profile: samples, each with its time, its weight and its stack. */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/script_lines.h"
#include "import/script_profile.h"

struct reader {
	const struct sd_import_text *t;
	struct sd_import *im;
	struct sd_script_profile profile;
	struct sd_script_sample now; /* the sample whose frames follow; event "": none */
	struct sd_script_frame frame[SD_STACKS_DEPTH];
	size_t n_frame;
	unsigned other; /* lines that are neither */
};

static int end_sample(struct reader *r)
{
	int rc = 0;

	if (r->now.event[0])
		rc = sd_script_profile_add(
			&r->profile, &r->im->record.stacks, &r->now, r->frame, r->n_frame);
	r->now.event[0] = '\0';
	r->n_frame = 0;
	return rc;
}

/* "# cpuid : GenuineIntel,6,85,4" */
static int take_header(struct reader *r, unsigned line, const char *p, size_t length)
{
	const char *const colon = memchr(p, ':', length);
	char value[128];
	size_t n;

	if (!colon)
		return 0;
	n = length - (size_t)(colon + 1 - p);
	snprintf(value, sizeof value, "%.*s", (int)(n < sizeof value ? n : sizeof value - 1),
		colon + 1);
	if (length > 7 && memcmp(p, "# cpuid", 7) == 0)
		return sd_import_cpuid(r->im, r->t, line, value);
	if (length > 9 && memcmp(p, "# cpudesc", 9) == 0)
		sd_import_cpu_name(r->im, value);
	return 0;
}

static int take_line(struct reader *r, unsigned line, const char *p, size_t length)
{
	struct sd_script_sample sample;
	struct sd_script_frame frame;
	int rc;

	if (length == 0)
		return end_sample(r);
	if (*p == '#')
		return take_header(r, line, p, length);
	if (sd_script_lines_sample(p, length, &sample, &frame)) {
		rc = end_sample(r);
		r->now = sample;
		if (frame.module[0])
			r->frame[r->n_frame++] = frame;
		return rc;
	}
	if (r->now.event[0] && sd_script_lines_frame(p, length, &frame)) {
		if (r->n_frame < SD_STACKS_DEPTH) /* the outermost ones are cut */
			r->frame[r->n_frame++] = frame;
		return 0;
	}
	if (r->n_frame && sd_script_lines_place(p, length, &r->frame[r->n_frame - 1]))
		return 0;
	r->other++;
	return 0;
}

int sd_import_script(struct sd_import *im, const struct sd_import_text *t, unsigned cores)
{
	struct reader *const r = calloc(1, sizeof *r);
	struct sd_run run = {0};
	size_t at = 0, length;
	unsigned line = 0;
	const char *p;
	int rc = r ? sd_import_check(t) : -ENOMEM;

	if (rc)
		goto out;
	r->t = t;
	r->im = im;
	rc = sd_script_profile_open(&r->profile, t->sink);
	while (rc == 0 && (p = sd_import_line(t, &at, &length, &line)))
		rc = take_line(r, line, p, length);
	rc = rc ? rc : end_sample(r);
	if (rc == 0 && r->other)
		sd_say(t->sink, SD_LEVEL_WARNING, "%s: %u line%s not used: no sample and no frame",
			t->name, r->other, r->other == 1 ? "" : "s");
	if (rc == 0)
		rc = sd_script_profile_run(&r->profile, t, cores, &run, &im->unknown);
	rc = rc ? rc : sd_import_add(im, t, line, cores, &run);
out:
	sd_run_free(&run);
	if (r)
		sd_script_profile_close(&r->profile);
	free(r);
	return rc;
}
