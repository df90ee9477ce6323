#include "launch/command_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\n";

/* Reads what a shell would, and remembers what it would not have taken as text. */
struct reader {
	const char *p;
	char *to;          /* end of the word being made */
	const char *fault; /* what is wrong, or NULL */
};

static void put(struct reader *r)
{
	*r->to++ = *r->p++;
}

static void single_quoted(struct reader *r)
{
	for (r->p++; *r->p && *r->p != '\'';)
		put(r);
	if (*r->p)
		r->p++;
	else
		r->fault = "a ' is not closed";
}

static void double_quoted(struct reader *r)
{
	for (r->p++; *r->p && *r->p != '"' && !r->fault;) {
		if (*r->p == '\\' && r->p[1] && strchr("$`\"\\", r->p[1]))
			r->p++;
		else if (*r->p == '$' || *r->p == '`')
			r->fault = "$ and ` mean nothing without a shell";
		put(r);
	}
	if (*r->p)
		r->p++;
	else if (!r->fault)
		r->fault = "a \" is not closed";
}

static void escaped(struct reader *r)
{
	r->p++;
	if (*r->p)
		put(r);
	else
		r->fault = "it ends in a backslash";
}

/* One word at r->p, which is not blank, to r->to. */
static void word(struct reader *r)
{
	const char *start = r->p;

	while (*r->p && !strchr(blanks, *r->p) && !r->fault) {
		if (*r->p == '\'')
			single_quoted(r);
		else if (*r->p == '"')
			double_quoted(r);
		else if (*r->p == '\\')
			escaped(r);
		else if (strchr("|&;<>()$`*?[", *r->p) || (r->p == start && strchr("~#", *r->p)))
			r->fault = "it is run without a shell, and holds what only a shell "
				   "understands";
		else
			put(r);
	}
}

int sd_command_words_split(
	const char *text, const char *option, char ***words, const struct sd_sink *sink)
{
	const size_t room = strlen(text) + 1;
	char **list = calloc(room / 2 + 2, sizeof *list), *buffer = malloc(room);
	struct reader r = {.p = text, .to = buffer};
	size_t n = 0;
	int rc = -ENOMEM;

	*words = NULL;
	while (list && buffer) {
		char *begin = r.to = buffer;

		r.p += strspn(r.p, blanks);
		if (!*r.p || r.fault)
			break;
		word(&r);
		*r.to = '\0';
		list[n] = strdup(begin);
		if (!list[n++])
			goto out;
	}
	if (!list || !buffer)
		goto out;
	rc = 0;
	if (!r.fault && n == 0)
		r.fault = "it is empty";
	if (r.fault) {
		sd_say(sink, SD_LEVEL_ERROR, "%s '%s': %s; quote it, or use sh -c '...'", option,
			text, r.fault);
		rc = -EINVAL;
	}
out:
	free(buffer);
	if (rc)
		sd_command_words_free(list);
	else
		*words = list;
	return rc;
}

int sd_command_words_prepend(char ***words, const char *const *front)
{
	size_t n = 0, m = 0;
	char **all;

	while (front[m])
		m++;
	while ((*words)[n])
		n++;
	all = calloc(m + n + 1, sizeof *all);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < m; i++) {
		all[i] = strdup(front[i]);
		if (!all[i]) {
			sd_command_words_free(all);
			return -ENOMEM;
		}
	}
	memcpy(all + m, *words, n * sizeof *all);
	free(*words);
	*words = all;
	return 0;
}

void sd_command_words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}
