/* A profile from anywhere: what is taken must be written and read again to the same bytes, and
 * shown. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile_comparison.h"
#include "calibration/bench_report.h"
#include "profile/profile_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *encode(const struct sd_profile *p, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	if (!f || sd_profile_encode(f, p) != 0 || fclose(f) != 0)
		abort();
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_profile p, q;
	struct sd_bench_comparison c;
	char *once, *twice;
	size_t n, m;
	FILE *out;

	if (sd_profile_parse((const char *)data, size, "fuzz", &p, NULL) != 0)
		return 0;
	once = encode(&p, &n);
	if (sd_profile_parse(once, n, "again", &q, NULL) != 0)
		abort();
	twice = encode(&q, &m);
	if (n != m || memcmp(once, twice, n) != 0)
		abort();
	out = fopen("/dev/null", "w");
	if (out) {
		sd_bench_text(out, &p, 0, NULL);
		sd_bench_text(out, &p, 1, NULL);
		sd_bench_brief(out, &p, NULL, NULL);
		sd_bench_csv(out, &p);
		fclose(out);
	}
	if (sd_profile_compare(&p, &q, &c) == 0 && c.n > 0)
		abort(); /* a profile has not changed against itself */
	sd_bench_comparison_free(&c);
	sd_profile_free(&p);
	sd_profile_free(&q);
	free(once);
	free(twice);
	return 0;
}
