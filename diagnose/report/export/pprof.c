#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "export/viewer_functions.h"
#include "export/viewers.h"
#include "page/page.h"
#include "page/sanitize.h"

/* Fields of profile.proto by message, as github.com/google/pprof has them. */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4 };
enum { PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_COMMENT = 13, PROFILE_DEFAULT_TYPE = 14 };
enum { TYPE_NAME = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILE = 4 };

/* The table of strings: the first is empty by its rules; names of values follow, two a core count,
 * then name and file of each function. */
enum { STRING_NONE, STRING_UNIT, STRING_COMMENT, STRING_PROGRAM, STRING_VALUES };

/* A message that lies in another one: its length is written before it. */
struct message {
	unsigned char *byte;
	size_t n;
};

struct pprof {
	FILE *f;
	struct sd_viewer_functions functions;
	const struct sd_stack_profile *stacks;
	struct message part; /* room for the longest */
};

/* ---- protobuf's wire format ------------------------------------------------------------------ */

#define LONGEST_NUMBER 11 /* bytes: a field's, and ten of seven bits each */

static size_t varint(unsigned char *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (unsigned char)(v | 0x80);
	to[n++] = (unsigned char)v;
	return n;
}

static void add(struct message *m, unsigned field, uint64_t v)
{
	m->n += varint(m->byte + m->n, field << 3);
	m->n += varint(m->byte + m->n, v);
}

static void put_bytes(FILE *f, unsigned field, const void *bytes, size_t n)
{
	unsigned char head[2 * LONGEST_NUMBER];
	size_t used = varint(head, field << 3 | 2);

	used += varint(head + used, n);
	fwrite(head, 1, used, f);
	fwrite(bytes, 1, n, f);
}

static void put_number(FILE *f, unsigned field, uint64_t v)
{
	unsigned char bytes[2 * LONGEST_NUMBER] = {0};
	struct message m = {bytes, 0};

	add(&m, field, v);
	fwrite(m.byte, 1, m.n, f);
}

static void put_part(struct pprof *x, unsigned field)
{
	put_bytes(x->f, field, x->part.byte, x->part.n);
	x->part.n = 0;
}

static void put_string(struct pprof *x, const char *text)
{
	put_bytes(x->f, PROFILE_STRING, text, strlen(text));
}

/* ---- what is in a profile -------------------------------------------------------------------- */

/* Functions behind the program's: one an activity, in brackets, and the last for no function. */
static size_t n_functions(const struct pprof *x)
{
	return x->functions.n + SD_ACTIVITY_COUNT + 1;
}

static size_t n_values(const struct pprof *x)
{
	return x->stacks ? 2 * x->stacks->n : 0;
}

static int waits(enum sd_activity a)
{
	return sd_activity_info[a].group == SD_GROUP_WAITING;
}

/* Two values a core count: time on a CPU, and time of waiting, of all threads. */
static void put_types(struct pprof *x)
{
	for (size_t i = 0; i < n_values(x); i++) {
		add(&x->part, TYPE_NAME, STRING_VALUES + i);
		add(&x->part, TYPE_UNIT, STRING_UNIT);
		put_part(x, PROFILE_SAMPLE_TYPE);
	}
	/* first shown: what ran at the largest count */
	if (n_values(x))
		put_number(x->f, PROFILE_DEFAULT_TYPE, STRING_VALUES + n_values(x) - 2);
}

/* A stack from its innermost function, with what the thread did there before it. */
static void put_sample(struct pprof *x, const struct sd_stack_profile_row *row, size_t point)
{
	const struct sd_viewer_functions *const v = &x->functions;
	const int waited = waits(row->activity);
	const int shown = waited || sd_activity_info[row->activity].group == SD_GROUP_SPINNING;
	unsigned path[SD_STACKS_DEPTH];
	size_t n = sd_viewer_functions_path(v, row->node, path);

	if (shown)
		add(&x->part, SAMPLE_LOCATION, v->n + row->activity + 1);
	else if (n == 0)
		add(&x->part, SAMPLE_LOCATION, n_functions(x));
	while (n-- > 0)
		add(&x->part, SAMPLE_LOCATION, v->of[v->stacks->node[path[n]].frame] + 1);
	for (size_t i = 0; i < n_values(x); i++)
		add(&x->part, SAMPLE_VALUE,
			i == 2 * point + (size_t)waited ? (uint64_t)llround(1e9 * row->seconds)
							: 0);
	put_part(x, PROFILE_SAMPLE);
}

static void put_samples(struct pprof *x)
{
	for (size_t i = 0; x->stacks && i < x->stacks->n; i++)
		for (size_t k = 0; k < x->stacks->point[i].n; k++)
			put_sample(x, &x->stacks->point[i].row[k], i);
}

/* A location a function, which names it: nothing is left to be looked up in a file. */
static void put_functions(struct pprof *x)
{
	const size_t first = STRING_VALUES + n_values(x);
	unsigned char bytes[2 * LONGEST_NUMBER] = {0};

	add(&x->part, MAPPING_ID, 1);
	add(&x->part, MAPPING_FILE, STRING_PROGRAM);
	add(&x->part, MAPPING_HAS_FUNCTIONS, 1);
	put_part(x, PROFILE_MAPPING);
	for (size_t i = 0; i < n_functions(x); i++) {
		struct message line = {bytes, 0};

		add(&x->part, FUNCTION_ID, i + 1);
		add(&x->part, FUNCTION_NAME, first + 2 * i);
		add(&x->part, FUNCTION_FILE, first + 2 * i + 1);
		put_part(x, PROFILE_FUNCTION);
		add(&x->part, LOCATION_ID, i + 1);
		add(&x->part, LOCATION_MAPPING, 1);
		add(&line, LINE_FUNCTION, i + 1);
		x->part.n += varint(x->part.byte + x->part.n, LOCATION_LINE << 3 | 2);
		x->part.n += varint(x->part.byte + x->part.n, line.n);
		memcpy(x->part.byte + x->part.n, line.byte, line.n);
		x->part.n += line.n;
		put_part(x, PROFILE_LOCATION);
	}
}

static void put_strings(struct pprof *x, const char *command, const char *program)
{
	char name[128];

	put_string(x, "");
	put_string(x, "nanoseconds");
	put_string(x, command);
	put_string(x, program);
	for (size_t i = 0; i < n_values(x); i++) {
		const unsigned cores = x->stacks->point[i / 2].cores;

		snprintf(name, sizeof name, "%s_%u_core%s", i % 2 ? "waiting" : "cpu", cores,
			cores == 1 ? "" : "s");
		put_string(x, name);
	}
	for (size_t i = 0; i < x->functions.n; i++) {
		const struct sd_viewer_function *const f = &x->functions.function[i];

		put_string(x, f->name);
		put_string(x, f->file ? f->file : f->module);
	}
	for (int i = 0; i <= SD_ACTIVITY_COUNT; i++) {
		snprintf(name, sizeof name, "[%s]",
			i < SD_ACTIVITY_COUNT ? sd_activity_info[i].label : "unknown");
		put_string(x, name);
		put_string(x, "");
	}
	put_number(x->f, PROFILE_COMMENT, STRING_COMMENT);
}

int sd_viewers_pprof(FILE *f, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_report_style *s)
{
	struct pprof x = {.f = f, .stacks = s->stacks};
	char *const command = sd_page_command(&r->program.argv);
	char *const clean = command ? sd_sanitize(command) : NULL;
	char *const program = r->program.argv.n ? sd_sanitize(r->program.argv.text[0]) : NULL;
	int rc = sd_viewer_functions_begin(&x.functions, r);

	(void)a;
	if (!rc) {
		sd_viewer_functions_use_all(&x.functions, s->stacks, NULL);
		rc = sd_viewer_functions_end(&x.functions);
	}
	x.part.byte = malloc(2 * LONGEST_NUMBER * (SD_STACKS_DEPTH + 2 + n_values(&x)));
	if (!rc && !x.part.byte)
		rc = -ENOMEM;
	if (!rc) {
		put_types(&x);
		put_samples(&x);
		put_functions(&x);
		put_strings(&x, clean ? clean : "program", program ? program : "program");
		rc = fflush(f) != 0 || ferror(f) ? -EIO : 0;
	}
	free(x.part.byte);
	sd_viewer_functions_free(&x.functions);
	free(program);
	free(clean);
	free(command);
	return rc;
}
