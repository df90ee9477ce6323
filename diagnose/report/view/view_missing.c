#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "view/view_parts.h"

typedef int is_missing(const struct sd_view *v);

/* An experiment was left out since the emulator is not installed, and causes are open. */
static int lacks_emulator(const struct sd_view *v)
{
	for (size_t i = 0; i < v->a->n_tested && !v->a->is_decided; i++)
		if (v->a->tested[i].skipped &&
			strstr(v->a->tested[i].skipped, "apt-get install qemu-user"))
			return 1;
	return 0;
}

/* The kernel lets nobody sample here; a program that may not be read has a warning of its own. */
static int lacks_samples(const struct sd_view *v)
{
	for (size_t i = 0; i < v->r->n_run; i++)
		if (v->r->run[i].sampled.status == SD_STATUS_DENIED &&
			!(v->r->run[i].flags & SD_RUN_UNREADABLE))
			return 1;
	return 0;
}

/* The place of the first cause; of a service that is looked at, where most of its cores go. NULL:
 * there is none. */
static const struct sd_where *first_place(const struct sd_view *v)
{
	if (v->n_cause)
		return v->cause[0].at;
	return v->r->program.attached && v->a->losses.n_row ? &v->a->losses.row[0].at : NULL;
}

/* The same, if it is in the program's own file and has no line; or NULL. */
static const struct sd_where *without_line(const struct sd_view *v)
{
	const struct sd_where *const at = first_place(v);
	const char *const program = v->r->program.argv.n ? v->r->program.argv.text[0] : "";

	return at && at->function && !at->file && !at->interpreter && at->module &&
			       strcmp(basename(at->module), basename(program)) == 0
		       ? at
		       : NULL;
}

/* A function without a name is the file and an offset in brackets: "[app+0x1220]". */
static int lacks_names(const struct sd_view *v)
{
	const struct sd_where *const at = without_line(v);

	return at && at->function[0] == '[';
}

static int lacks_lines(const struct sd_view *v)
{
	return without_line(v) && !lacks_names(v);
}

static int is_in_glibc(const char *function)
{
	return function &&
	       (strncmp(function, "[libc.so.6+", 11) == 0 || strncmp(function, "[libc-2.", 8) == 0);
}

/* The first cause is in a function of the C library that only its debug symbols name. */
static int lacks_libc_names(const struct sd_view *v)
{
	const struct sd_where *const at = first_place(v);

	return at && (is_in_glibc(at->function) || is_in_glibc(at->in));
}

static const struct {
	is_missing *is;
	const char *text;
} row[] = {
	{lacks_emulator, "qemu-user, which tells sharing, caches and extra work apart (apt-get "
			 "install qemu-user)"},
	{lacks_samples, "samples, which name the line (as root: sysctl -w "
			"kernel.perf_event_paranoid=1; in a container, allow perf_event_open)"},
	{lacks_names, "names of its functions (it is stripped: compile with -g, without -s and "
		      "strip, or install its -dbgsym package)"},
	{lacks_lines, "line numbers (compile with -g)"},
	{lacks_libc_names, "names in the C library (apt-get install libc6-dbg)"},
};

char *sd_view_missing(const struct sd_view *v)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	int n = 0;

	if (!f)
		return NULL;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].is(v))
			fprintf(f, "%s%s", n++ ? "; " : "", row[i].text);
	return sd_page_written(f, &text);
}
