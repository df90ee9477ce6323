/*
 * Files of other tools, as large as they are asked for.
 */
#ifndef LARGE_IMPORTS_H
#define LARGE_IMPORTS_H

#include <stdio.h>

#include "bench/large_plan.h"

/* A table with a row a run, of every count in turn, and the CPU time of each thread, 200 at most.
 * *size: its bytes; to be freed. */
static inline char *large_table(const struct large *l, size_t *size)
{
	const unsigned n_thread = l->threads < 200 ? l->threads : 200;
	char *text = NULL;
	FILE *const f = open_memstream(&text, size);

	assert_non_null(f);
	fprintf(f, "cores,seconds");
	for (unsigned k = 0; k < n_thread; k++)
		fprintf(f, ",thread%u", k);
	for (unsigned i = 0; i < l->runs * l->counts; i++) {
		fprintf(f, "\n%u,%.3f", 1 + i % l->counts, 1 + 1e-3 * i);
		for (unsigned k = 0; k < n_thread; k++)
			fprintf(f, ",0.001");
	}
	assert_int_equal(fclose(f), 0);
	return text;
}

/* An export of hyperfine: a result a count, with a time a run. As above. */
static inline char *large_hyperfine(const struct large *l, size_t *size)
{
	char *text = NULL;
	FILE *const f = open_memstream(&text, size);

	assert_non_null(f);
	fprintf(f, "{\"results\":[");
	for (unsigned c = 0; c < l->counts; c++) {
		fprintf(f, "%s{\"parameters\":{\"threads\":\"%u\"},\"times\":[", c ? "," : "",
			c + 1);
		for (unsigned i = 0; i < l->runs; i++)
			fprintf(f, "%s%.3f", i ? "," : "", 1 + 1e-3 * i);
		fprintf(f, "]}");
	}
	fprintf(f, "]}");
	assert_int_equal(fclose(f), 0);
	return text;
}

#endif
