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

/* The place of the first cause, if it is in the program's own file and has no line; or NULL. */
static const struct sd_where *without_line(const struct sd_view *v)
{
	const struct sd_where *const at = v->n_cause ? v->cause[0].at : NULL;
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

static const struct {
	is_missing *is;
	const char *text;
} row[] = {
	{lacks_emulator, "qemu-user, which tells sharing, caches and extra work apart (apt-get "
			 "install qemu-user)"},
	{lacks_samples, "samples, which name the line (as root: sysctl -w "
			"kernel.perf_event_paranoid=1; in a container, allow perf_event_open)"},
	{lacks_names, "names of its functions (it is stripped: leave out -s and strip, and compile "
		      "with -g)"},
	{lacks_lines, "line numbers (compile with -g)"},
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
