/*
 * The streaming kernels: one long loop over doubles, for every vector width this build supports.
 */
#ifndef SD_STREAM_H
#define SD_STREAM_H

#include <stddef.h>

/* name, arrays, doubles read and written an element, what it computes */
#define SD_STREAM_OPS(X)                                   \
	X(TRIAD, "triad", 3, 2, 1, "a[i] = b[i] + s c[i]") \
	X(COPY, "copy", 2, 1, 1, "a[i] = b[i]")            \
	X(SCALE, "scale", 2, 1, 1, "a[i] = s b[i]")        \
	X(ADD, "add", 3, 2, 1, "a[i] = b[i] + c[i]")       \
	X(READ, "read", 1, 1, 0, "sum of a[i]")            \
	X(WRITE, "write", 1, 0, 1, "a[i] = s")

enum sd_stream_op {
#define X(id, name, arrays, reads, writes, text) SD_STREAM_##id,
	SD_STREAM_OPS(X)
#undef X
		SD_STREAM_OPS_COUNT
};

struct sd_stream_info {
	const char *name;
	unsigned arrays, reads, writes;
	const char *text;
};
extern const struct sd_stream_info sd_stream_info[SD_STREAM_OPS_COUNT];

/* How results are stored. A regular store first reads the line that it overwrites. */
enum sd_stores { SD_STORES_REGULAR, SD_STORES_NT, SD_STORES_COUNT };

/* "regular", "nt"; "none" for an op without stores. Static. */
const char *sd_stores_name(enum sd_stream_op op, enum sd_stores stores);

/*
 * Processes n doubles, a multiple of SD_STREAM_GRAIN, in arrays aligned to 64 bytes; arrays an op
 * does not use are ignored. Returns the sum of a[] for read, 0 otherwise.
 */
#define SD_STREAM_GRAIN 512u
#define SD_STREAM_FACTOR 0.5
typedef double (*sd_stream_fn)(double *a, const double *b, const double *c, size_t n);

/* The loops of a vector unit. */
struct sd_stream_isa {
	const char *name; /* "scalar", "sse2", "avx2", "avx512", "neon" */
	unsigned bits;
	/* NULL if there is no such store, or nothing to prefetch */
	sd_stream_fn fn[SD_STREAM_OPS_COUNT][SD_STORES_COUNT];
};

/*
 * The vector units of this CPU, widest first, scalar last, each SD_STREAM_LOOPS times: its plain
 * loops, then those with prefetches. Returns how many. The table and its rows are static.
 */
#define SD_STREAM_LOOPS 2u
size_t sd_stream_isas(const struct sd_stream_isa *const **out);

/* Bytes an op moves for n elements: those the loop names; and including the read of every line that
 * a regular store writes. */
double sd_stream_bytes(enum sd_stream_op op, size_t n);
double sd_stream_bytes_allocated(enum sd_stream_op op, enum sd_stores stores, size_t n);

#endif
