/*
 * One source for every vector unit: included once for each by stream.c with
 *   ISA        the suffix of the functions
 *   TARGET     the function attribute that allows the unit
 *   VEC, LANES a type of one vector of doubles, and how many
 *   KEEP(v)    keeps the compiler from vectorising scalar sums, and APART scalar stores
 *   STORE_NT   a store past the caches, and FENCE after the last one (or NO_NT)
 * Four vectors of every array a turn: enough loads in flight that the loop itself costs nothing.
 * No guard: it is meant to be included several times.
 */
#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)
#define FN(name) CAT(name, ISA)

#define AT(p, k) (*(VEC *)(void *)&(p)[i + (k)*LANES])
#define IN(p, k) (*(const VEC *)(const void *)&(p)[i + (k)*LANES])
#define STORE_REGULAR(p, v)        \
	*(VEC *)(void *)(p) = (v); \
	APART

/* Loads before stores, as written by hand: r0..r3 are what is stored. */
#define BODY(STORE, expression)               \
	{                                     \
		VEC r0, r1, r2, r3;           \
		r0 = expression(0);           \
		r1 = expression(1);           \
		r2 = expression(2);           \
		r3 = expression(3);           \
		KEEP(r0);                     \
		KEEP(r1);                     \
		KEEP(r2);                     \
		KEEP(r3);                     \
		STORE(&a[i], r0);             \
		STORE(&a[i + LANES], r1);     \
		STORE(&a[i + 2 * LANES], r2); \
		STORE(&a[i + 3 * LANES], r3); \
	}

#define TRIAD(k) (IN(b, k) + s * IN(c, k))
#define COPY(k) (IN(b, k))
#define SCALE(k) (s * IN(b, k))
#define ADD(k) (IN(b, k) + IN(c, k))
#define WRITE(k) (s)

/* The empty statement hides that the loop is a memcpy or a memset. */
#define KERNEL(name, STORE, expression, finish)                                              \
	TARGET static double FN(name)(double *a, const double *b, const double *c, size_t n) \
	{                                                                                    \
		const VEC s = (VEC){0} + SD_STREAM_FACTOR;                                   \
                                                                                             \
		(void)b, (void)c, (void)s;                                                   \
		for (size_t i = 0; i < n; i += 4 * LANES) {                                  \
			__asm__ volatile("" : "+r"(i));                                      \
			BODY(STORE, expression)                                              \
		}                                                                            \
		finish;                                                                      \
		return 0;                                                                    \
	}

KERNEL(triad, STORE_REGULAR, TRIAD, (void)0)
KERNEL(copy, STORE_REGULAR, COPY, (void)0)
KERNEL(scale, STORE_REGULAR, SCALE, (void)0)
KERNEL(add, STORE_REGULAR, ADD, (void)0)
KERNEL(write, STORE_REGULAR, WRITE, (void)0)
#ifndef NO_NT
KERNEL(triad_nt, STORE_NT, TRIAD, FENCE)
KERNEL(copy_nt, STORE_NT, COPY, FENCE)
KERNEL(scale_nt, STORE_NT, SCALE, FENCE)
KERNEL(add_nt, STORE_NT, ADD, FENCE)
KERNEL(write_nt, STORE_NT, WRITE, FENCE)
#define NT(name) FN(name)
#else
#define NT(name) NULL
#endif

/* one type for all ops: NOLINTNEXTLINE(readability-non-const-parameter) */
TARGET static double FN(read)(double *a, const double *b, const double *c, size_t n)
{
	VEC s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
	double part[LANES], sum = 0;

	(void)b, (void)c;
	for (size_t i = 0; i < n; i += 4 * LANES) {
		s0 += AT(a, 0);
		s1 += AT(a, 1);
		s2 += AT(a, 2);
		s3 += AT(a, 3);
		KEEP(s0);
		KEEP(s1);
		KEEP(s2);
		KEEP(s3);
	}
	s0 += s1 + s2 + s3;
	memcpy(part, &s0, sizeof part);
	for (size_t k = 0; k < LANES; k++)
		sum += part[k];
	return sum;
}

static const struct sd_stream_isa FN(isa) = {
	.name = NAME,
	.bits = 8 * sizeof(VEC),
	.fn =
		{
			[SD_STREAM_TRIAD] = {FN(triad), NT(triad_nt)},
			[SD_STREAM_COPY] = {FN(copy), NT(copy_nt)},
			[SD_STREAM_SCALE] = {FN(scale), NT(scale_nt)},
			[SD_STREAM_ADD] = {FN(add), NT(add_nt)},
			[SD_STREAM_READ] = {FN(read), NULL},
			[SD_STREAM_WRITE] = {FN(write), NT(write_nt)},
		},
};

#undef CAT2
#undef CAT
#undef FN
#undef LANES
#undef AT
#undef IN
#undef STORE_REGULAR
#undef BODY
#undef TRIAD
#undef COPY
#undef SCALE
#undef ADD
#undef WRITE
#undef KERNEL
#undef NT
#undef ISA
#undef NAME
#undef TARGET
#undef VEC
#undef KEEP
#undef APART
#undef STORE_NT
#undef FENCE
#undef NO_NT
