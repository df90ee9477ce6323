#include "loops/stream_team.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "loops/reuse.h"

#define TOUCH_CHUNK ((size_t)16 << 20) /* between two looks at the stop flag */
#define GRAIN_BYTES (SD_STREAM_GRAIN * sizeof(double))

/* The next task of the members: the same for all, each on its own slice. */
struct sd_stream_work {
	sd_stream_fn fn;
	unsigned char *base; /* of member 0 */
	size_t slice;
	unsigned arrays;
	size_t length; /* doubles of one array */
	size_t at, n;  /* doubles: where to begin, how many */
	struct sd_arena arena;
	struct sd_value reuse;
	char why[96];
};

int sd_stream_fill(const struct sd_member *m, unsigned char *p, size_t bytes)
{
	const struct sd_stream_isa *const *isa;

	sd_stream_isas(&isa);
	for (size_t i = 0; i < bytes; i += TOUCH_CHUNK) {
		const size_t n = bytes - i < TOUCH_CHUNK ? bytes - i : TOUCH_CHUNK;

		if (sd_member_stopped(m))
			return -EINTR;
		/* not zero: some CPUs do not write zeros back over zeros */
		isa[0]->fn[SD_STREAM_WRITE][SD_STORES_REGULAR](
			(double *)(void *)(p + i), NULL, NULL, n / sizeof(double));
	}
	return 0;
}

static int touch(struct sd_member *m, void *arg)
{
	const struct sd_stream_work *w = arg;

	return sd_stream_fill(m, w->base + m->rank * w->slice, w->slice);
}

static int verify(struct sd_member *m, void *arg)
{
	struct sd_stream_work *w = arg;
	char why[96];
	const int rc = sd_arena_verify(&w->arena, why, sizeof why);

	(void)m;
	if (rc)
		memcpy(w->why, why, sizeof why);
	return rc;
}

static int stream(struct sd_member *m, void *arg)
{
	const struct sd_stream_work *w = arg;
	double *const first = (double *)(void *)(w->base + m->rank * w->slice);
	double *const second = w->arrays > 1 ? first + w->length : first;
	double *const third = w->arrays > 2 ? second + w->length : second;
	size_t at = w->at, left = w->n;

	m->value = 0;
	while (left > 0) {
		const size_t n = left < w->length - at ? left : w->length - at;

		m->value += w->fn(first + at, second + at, third + at, n);
		at = at + n == w->length ? 0 : at + n;
		left -= n;
	}
	return 0;
}

int sd_stream_team_start(struct sd_stream_team *out, enum sd_team_kind kind,
	const struct sd_cpulist *cpus, enum sd_pages pages, size_t bytes,
	const volatile sig_atomic_t *stop)
{
	struct sd_stream_work *w;
	int rc;

	*out = (struct sd_stream_team){0};
	rc = sd_arena_map(&out->arena, bytes, pages);
	if (rc)
		return rc;
	rc = sd_team_start(&out->team, kind, cpus, sizeof *w);
	if (rc)
		goto out;
	/* whole huge pages, so that no page has two owners */
	out->slice = out->arena.bytes / cpus->n;
	out->slice -= out->slice % (sd_pages_bytes(pages) ? sd_pages_bytes(pages) : 1);
	out->slice -= out->slice % GRAIN_BYTES;
	out->work = w = out->team.shared;
	*w = (struct sd_stream_work){
		.base = out->arena.base, .slice = out->slice, .arena = out->arena};
	rc = out->slice < 3 * GRAIN_BYTES ? -ENOMEM : 0;
	if (rc == 0)
		rc = sd_team_run(&out->team, (struct sd_team_job){touch, w}, 0, stop);
	if (rc == 0)
		rc = sd_team_run(&out->team, (struct sd_team_job){verify, w},
			kind == SD_TEAM_THREADS ? 1 : 0, stop);
	memcpy(out->why, w->why, sizeof out->why);
out:
	if (rc) {
		char why[sizeof out->why];

		memcpy(why, out->why, sizeof why);
		sd_stream_team_end(out);
		memcpy(out->why, why, sizeof why);
	}
	return rc;
}

int sd_stream_team_run(struct sd_stream_team *s, enum sd_stream_op op, enum sd_stores stores,
	const struct sd_stream_isa *isa, double bytes, const volatile sig_atomic_t *stop,
	double *rate)
{
	struct sd_stream_work *w = s->work;
	const unsigned arrays = sd_stream_info[op].arrays;
	const double grains = bytes / sd_stream_bytes(op, SD_STREAM_GRAIN);
	size_t length = s->slice / sizeof(double) / arrays;
	double elapsed;
	int rc;

	length -= length % SD_STREAM_GRAIN;
	if (length == 0)
		return -EINVAL;
	if (w->length != length)
		w->at = 0;
	w->fn = isa->fn[op][stores];
	w->arrays = arrays;
	w->length = length;
	w->n = (grains < 1 ? 1 : (size_t)grains) * SD_STREAM_GRAIN;
	rc = w->fn ? sd_team_run(&s->team, (struct sd_team_job){stream, w}, 0, stop) : -ENOTSUP;
	if (rc)
		return rc;
	w->at = (w->at + w->n) % length;
	elapsed = sd_team_elapsed(&s->team);
	*rate = elapsed > 0 ? sd_stream_bytes(op, w->n) * s->team.n / elapsed : 0;
	return elapsed > 0 ? 0 : -EAGAIN;
}

static int reuse(struct sd_member *m, void *arg)
{
	struct sd_stream_work *w = arg;

	(void)m;
	w->reuse = sd_reuse_ratio(w->base, w->slice / 4, 1);
	return 0;
}

int sd_stream_team_reuse(
	struct sd_stream_team *s, const volatile sig_atomic_t *stop, struct sd_value *ratio)
{
	const struct sd_stream_isa *const *isa;
	double rate;
	int rc;

	sd_stream_isas(&isa);
	s->work->length = 0; /* begin at the beginning */
	rc = sd_stream_team_run(
		s, SD_STREAM_READ, SD_STORES_REGULAR, isa[0], (double)s->slice, stop, &rate);
	if (rc == 0)
		rc = sd_team_run(&s->team, (struct sd_team_job){reuse, s->work}, 1, stop);
	*ratio = rc == 0 ? s->work->reuse : SD_NOT(ABSENT);
	return rc;
}

void sd_stream_team_end(struct sd_stream_team *s)
{
	sd_team_end(&s->team);
	sd_arena_free(&s->arena);
	*s = (struct sd_stream_team){0};
}
