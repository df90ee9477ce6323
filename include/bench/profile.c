#include "bench/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/statistics.h"

#define SPREAD 0.03     /* quartiles of a quiet machine lie within this fraction of the median */
#define STEAL_MAX 0.001 /* one tick in ten seconds of a CPU is one too many */
#define PSI_MAX 0.05
#define ROWS_MAX 0.1

void sd_profile_free(struct sd_profile *p)
{
	sd_bench_rows_free(&p->rows);
	sd_texts_free(&p->names);
	*p = (struct sd_profile){0};
}

/* FNV-1a, 64 bits. */
static uint64_t digest(uint64_t h, uint64_t v)
{
	for (int i = 0; i < 8; i++, v >>= 8)
		h = (h ^ (v & 0xff)) * 0x100000001b3u;
	return h;
}

static uint64_t digest_value(uint64_t h, struct sd_value v)
{
	return digest(h, sd_has(v) ? (uint64_t)v.value : UINT64_MAX);
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
	for (char *p = to; *p; p++)
		if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			*p = '?';
}

void sd_profile_key_of(struct sd_profile_key *key, const struct sd_topology *t)
{
	uint64_t h = 0xcbf29ce484222325u;
	struct utsname u;

	*key = (struct sd_profile_key){0};
	if (uname(&u) == 0) {
		copy_text(key->host, sizeof key->host, u.nodename);
		copy_text(key->kernel, sizeof key->kernel, u.release);
	}
	copy_text(key->cpu, sizeof key->cpu, t->cpu_model);
	for (size_t i = 0; i < t->n_pu; i++) {
		const struct sd_pu *p = &t->pu[i];
		const unsigned part[] = {
			p->os, p->core, p->smt_rank, p->llc, p->numa, p->package, p->kind};

		for (size_t k = 0; k < sizeof part / sizeof *part; k++)
			h = digest(h, part[k]);
	}
	h = digest(h, t->granted);
	h = digest_value(h, t->llc_bytes);
	h = digest_value(h, t->l2_bytes);
	h = digest_value(h, t->l1d_bytes);
	snprintf(key->topology, sizeof key->topology, "%016" PRIx64, h);
	h = digest(0xcbf29ce484222325u, t->n_online);
	for (const char *p = key->cpu; *p; p++)
		h = digest(h, (unsigned char)*p);
	h = digest_value(h, t->llc_bytes);
	h = digest_value(h, t->l2_bytes);
	h = digest_value(h, t->l1d_bytes);
	snprintf(key->machine, sizeof key->machine, "%016" PRIx64, h);
}

const char *sd_profile_differs(
	const struct sd_profile_key *profile, const struct sd_profile_key *here)
{
	if (strcmp(profile->host, here->host) != 0)
		return "host";
	if (strcmp(profile->cpu, here->cpu) != 0)
		return "CPU model";
	if (strcmp(profile->kernel, here->kernel) != 0)
		return strcmp(profile->topology, here->topology) ? "topology" : "kernel";
	if (strcmp(profile->topology, here->topology) == 0)
		return NULL;
	return profile->machine[0] && strcmp(profile->machine, here->machine) == 0
		       ? SD_PROFILE_OTHER_CPUS
		       : "topology";
}

static int has_number(const struct sd_bench_row *r)
{
	return r->n > 0 && (r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY);
}

void sd_profile_count(struct sd_profile *p)
{
	struct sd_quiet *q = &p->quiet;

	q->spread = q->noisy = q->dropped = 0;
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];

		q->dropped += r->dropped;
		q->noisy += r->status == SD_STATUS_NOISY;
		q->spread += has_number(r) && r->n > 2 && r->q3 - r->q1 > SPREAD * r->median;
	}
}

int sd_profile_was_quiet(const struct sd_profile *p)
{
	const struct sd_quiet *q = &p->quiet;

	return !(sd_has(q->steal) && q->steal.value > STEAL_MAX) &&
	       !(sd_has(q->psi_cpu) && q->psi_cpu.value > PSI_MAX) &&
	       (double)(q->spread + q->noisy) <= ROWS_MAX * (double)p->rows.n;
}

int sd_bench_row_key(const struct sd_bench_row *row, const char *key, char *out, size_t size)
{
	const size_t n = strlen(key);

	for (const char *p = row->variant; *p;) {
		const size_t word = strcspn(p, " ");

		if (word > n && strncmp(p, key, n) == 0 && p[n] == '=') {
			const size_t value = word - n - 1;

			snprintf(out, size, "%.*s", (int)value, p + n + 1);
			return 0;
		}
		p += word + strspn(p + word, " ");
	}
	return -ENOENT;
}

int sd_bench_row_is(const struct sd_bench_row *row, const char *key, const char *value)
{
	char word[32];

	return sd_bench_row_key(row, key, word, sizeof word) == 0 &&
	       (!value || strcmp(word, value) == 0);
}

unsigned sd_profile_main_state(const struct sd_profile *p)
{
	unsigned best = 0;

	for (unsigned i = 1; i < p->states.n; i++)
		if (p->states.seen[i] > p->states.seen[best])
			best = i;
	return best;
}

struct sd_interval sd_bench_row_value(const struct sd_bench_row *r)
{
	/* ok and noisy promise a number: a row refused as noisy has none */
	if (!has_number(r))
		return (struct sd_interval){
			.status = r->status == SD_STATUS_OK || r->status == SD_STATUS_NOISY
					  ? SD_STATUS_ABSENT
					  : r->status};
	if (r->calibrations > 1 && r->between > 0 && r->median > 0) {
		const double by = exp(sd_statistics_t(r->calibrations - 1) * r->between *
				      sqrt(1 + 1.0 / r->calibrations));

		return (struct sd_interval){r->median, r->median / by, r->median * by, r->status};
	}
	return (struct sd_interval){r->median, r->q1, r->q3, r->status};
}

int sd_profile_state(const struct sd_profile *p, struct sd_value line)
{
	if (p->states.n <= 1 && !sd_has(line))
		return 0;
	for (unsigned i = 0; sd_has(line) && i < p->states.n; i++)
		if (sd_kernel_states_same(line.value, p->states.line[i]))
			return (int)i;
	/* a profile without labels, of one CPU, holds for what it is */
	return p->states.n == 0 ? 0 : -1;
}

/* The first row with a number of this kernel and state for which `key` is `value`. */
static struct sd_interval find(const struct sd_profile *p, const char *kernel, unsigned cores,
	const char *const key[2], const char *const value[2], struct sd_value line)
{
	const int state = sd_profile_state(p, line);

	for (size_t i = 0; state >= 0 && i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];
		char word[64];
		int fits = r->state == (unsigned)state && strcmp(r->kernel, kernel) == 0 &&
			   (cores == 0 || r->cores == cores) && has_number(r);

		for (int k = 0; fits && k < 2; k++)
			fits = !key[k] || (sd_bench_row_key(r, key[k], word, sizeof word) == 0 &&
						  strcmp(word, value[k]) == 0);
		if (fits)
			return sd_bench_row_value(r);
	}
	return (struct sd_interval){.status = SD_STATUS_ABSENT};
}

struct sd_interval sd_profile_bandwidth(
	const struct sd_profile *p, unsigned cores, struct sd_value line)
{
	const char *const none[2] = {NULL, NULL};

	return find(p, "ceiling", cores, none, none, line);
}

struct sd_interval sd_profile_latency(
	const struct sd_profile *p, const char *level, struct sd_value line)
{
	const char *const key[2] = {"level", NULL};
	const char *const value[2] = {level, NULL};
	const char *const both[2] = {"level", "pages"};
	const char *const base[2] = {level, "4KiB"};
	const struct sd_interval v = find(p, "latency", 0, both, base, line);

	return v.status == SD_STATUS_ABSENT ? find(p, "latency", 0, key, value, line) : v;
}

struct sd_interval sd_profile_walk(const struct sd_profile *p)
{
	struct sd_interval out = {.status = SD_STATUS_ABSENT};
	char outermost[64] = "";

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct sd_bench_row *r = &p->rows.row[i];
		char pages[64], quantity[64], level[64];

		if (strcmp(r->kernel, "tlb") != 0 || !has_number(r) ||
			sd_bench_row_key(r, "pages", pages, sizeof pages) < 0 ||
			sd_bench_row_key(r, "quantity", quantity, sizeof quantity) < 0 ||
			sd_bench_row_key(r, "level", level, sizeof level) < 0 ||
			strcmp(pages, "4KiB") != 0 || strcmp(quantity, "miss") != 0 ||
			strcmp(level, outermost) < 0) /* levels are single digits */
			continue;
		memcpy(outermost, level, sizeof outermost);
		out = sd_bench_row_value(r);
	}
	return out;
}
