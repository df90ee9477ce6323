#include "commands/fix_try.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/leftover_note.h"
#include "fix/fix_apply.h"
#include "tree/source_copy.h"
#include "launch/command_words.h"
#include "learn/child_process.h"
#include "output/folder_removal.h"

#define SECONDS 30
#define NO_GAIN 1.05 /* surely less is none */

const char *const sd_fix_verdict_name[SD_FIX_OTHER + 1] = {[SD_FIX_GAIN] = "gain",
	[SD_FIX_NO_GAIN] = "no gain",
	[SD_FIX_UNDECIDED] = "undecided",
	[SD_FIX_OTHER] = "other output"};

struct trial {
	const struct sd_cli *cli;
	const struct sd_fix_sources *sources;
	struct sd_fix_trial *out;
	struct sd_leftover_note note; /* of the folder */
	char *folder;                 /* owned; of both copies */
	char *copy[2], *run[2];       /* owned; the copies, and where the program runs */
	char **argv[2];               /* owned */
};

static int join(char **out, const char *a, const char *b, const char *c)
{
	return asprintf(out, "%s%s%s", a, b, c) < 0 ? -ENOMEM : 0;
}

/* The rest of a path that lies in the sources' folder, with its slash; "" the folder; NULL: it does
 * not lie there. */
static const char *rest_of(const struct trial *t, const char *path)
{
	const size_t n = strlen(t->sources->folder);

	return strncmp(path, t->sources->folder, n) == 0 && (!path[n] || path[n] == '/') ? path + n
											 : NULL;
}

static unsigned largest(const struct sd_record *r)
{
	unsigned most = 1;

	for (size_t i = 0; i < r->plan.n_point; i++)
		most = r->plan.point[i].cores > most ? r->plan.point[i].cores : most;
	return most;
}

/* Replaces every "{n}" by the count. The caller frees it; NULL: no memory. */
static char *with_count(const char *word, unsigned count)
{
	char *out = NULL;
	size_t size;
	FILE *const f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (const char *hit; (hit = strstr(word, "{n}")); word = hit + 3)
		fprintf(f, "%.*s%u", (int)(hit - word), word, count);
	fputs(word, f);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

/* The words of the record's program in copy i, and its folder there. */
static enum sd_exit place_words(struct trial *t, unsigned i, const char *program)
{
	const struct sd_program *const p = &t->sources->record->program;
	const unsigned count = largest(t->sources->record);
	const char *const cwd = p->cwd ? rest_of(t, p->cwd) : NULL;

	t->argv[i] = calloc(p->argv.n + 1, sizeof *t->argv[i]);
	if (!t->argv[i] || join(&t->argv[i][0], t->copy[i], program, "") != 0 ||
		join(&t->run[i],
			cwd      ? t->copy[i]
			: p->cwd ? p->cwd
				 : ".",
			cwd ? cwd : "", "") != 0)
		return SD_EXIT_MEASURE;
	for (size_t k = 1; k < p->argv.n; k++)
		if (!(t->argv[i][k] = with_count(p->argv.text[k], count)))
			return SD_EXIT_MEASURE;
	return SD_EXIT_DONE;
}

static enum sd_exit place_program(struct trial *t, unsigned i)
{
	const struct sd_program *const p = &t->sources->record->program;
	const int absolute = p->argv.n && *p->argv.text[0] == '/';
	char *path = NULL, *full;
	const char *program;
	enum sd_exit status = SD_EXIT_USAGE;

	if (!p->argv.n || join(&path, absolute || !p->cwd ? "" : p->cwd,
				  absolute || !p->cwd ? "" : "/", p->argv.text[0]) != 0)
		return SD_EXIT_MEASURE;
	full = realpath(path, NULL);
	program = full ? rest_of(t, full) : NULL;
	if (program && *program)
		status = place_words(t, i, program);
	else
		sd_say(t->cli->sink, SD_LEVEL_ERROR,
			"%s does not lie in %s, where its copy would be built", path,
			t->sources->folder);
	free(path);
	free(full);
	return status;
}

static enum sd_exit build(struct trial *t, unsigned i, char **words)
{
	const char *const program = t->argv[i][0];
	const char *const which = i == SD_PAIR_AFTER ? "with" : "without";
	const int rc =
		sd_source_copy(t->sources->folder, t->copy[i], program + strlen(t->copy[i]) + 1);
	enum sd_exit status;

	if (rc) {
		sd_say(t->cli->sink, SD_LEVEL_ERROR, "%s: cannot be copied to %s: %s",
			t->sources->folder, t->copy[i], strerror(-rc));
		return SD_EXIT_MEASURE;
	}
	if (i == SD_PAIR_AFTER && sd_fix_apply_copy(t->sources, t->copy[i], t->cli->sink) != 0)
		return SD_EXIT_MEASURE;
	status = sd_child_process_into(t->cli, words[0], words, t->copy[i], STDERR_FILENO);
	if (status == SD_EXIT_INTERRUPTED)
		return status;
	if (status != SD_EXIT_DONE)
		sd_say(t->cli->sink, SD_LEVEL_ERROR,
			"'%s' fails in a copy of the sources %s the changes; what git ignores, or a "
			"compiler made, is not in it",
			words[0], which);
	else if (access(program, X_OK) != 0)
		sd_say(t->cli->sink, SD_LEVEL_ERROR,
			"'%s' does not build %s in a copy of the sources %s the changes", words[0],
			program + strlen(t->copy[i]) + 1, which);
	else
		return status;
	return SD_EXIT_PROGRAM;
}

/* Sets what was set in the environment of the program. 0 or -ENOMEM. */
static int set_environment(const struct sd_record *r)
{
	const struct sd_texts *const lists[] = {&r->program.set, &r->program.env};

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < lists[k]->n; i++) {
			char *const one = with_count(lists[k]->text[i], largest(r));
			char *const value = one ? strchr(one, '=') : NULL;
			int rc = one ? 0 : -ENOMEM;

			if (value) {
				*value = '\0';
				rc = setenv(one, value + 1, 1) ? -ENOMEM : 0;
			}
			free(one);
			if (rc)
				return rc;
		}
	return 0;
}

/* Copies the environment; NULL: no memory. */
static char **copy_environment(void)
{
	size_t n = 0;
	char **out;

	while (environ[n])
		n++;
	out = calloc(n + 1, sizeof *out);
	for (size_t i = 0; out && i < n; i++)
		if (!(out[i] = strdup(environ[i]))) {
			while (i-- > 0)
				free(out[i]);
			free(out);
			return NULL;
		}
	return out;
}

/* Gives the process a copied environment, whose strings it keeps: git, which --apply asks, is none
 * of the program. */
static void restore_environment(char **copy)
{
	clearenv();
	for (size_t i = 0; copy[i]; i++)
		(void)putenv(copy[i]);
	free(copy);
}

static enum sd_fix_verdict judge(const struct sd_timed_pairs *p)
{
	if (!p->same && p->steady)
		return SD_FIX_OTHER;
	return p->gain.low > 1          ? SD_FIX_GAIN
	       : p->gain.high < NO_GAIN ? SD_FIX_NO_GAIN
					: SD_FIX_UNDECIDED;
}

static enum sd_exit time_both(struct trial *t)
{
	struct sd_timed_pairs *const p = &t->out->pairs;
	enum sd_exit status = SD_EXIT_MEASURE;
	char **const before = copy_environment();

	*p = (struct sd_timed_pairs){.side = {{"the program", t->argv[0], t->run[0], 0},
					     {"the changed program", t->argv[1], t->run[1], 0}}};
	if (before && set_environment(t->sources->record) == 0)
		status = sd_timed_pairs_run(t->cli, p, SECONDS);
	else
		sd_say(t->cli->sink, SD_LEVEL_ERROR, "out of memory");
	if (before)
		restore_environment(before);
	t->out->verdict = judge(p);
	return status;
}

/* Looks what is left of the causes in the changed program; without that the times stay told. */
static enum sd_exit look_after(struct trial *t)
{
	struct sd_fix_changed changed = {.program = &t->sources->record->program,
		.path = t->argv[SD_PAIR_AFTER][0],
		.cwd = t->run[SD_PAIR_AFTER],
		.cores = largest(t->sources->record),
		.simulated = t->out->simulated};
	enum sd_exit status = SD_EXIT_MEASURE;
	char *record = NULL;

	if (join(&record, t->folder, "/after.json", "") == 0) {
		changed.record = record;
		status = sd_fix_after_look(
			t->cli, &changed, t->out->plan, t->out->analysis, t->out->left);
	}
	free(record);
	return status == SD_EXIT_INTERRUPTED ? status : SD_EXIT_DONE;
}

static enum sd_exit try_in(struct trial *t, char **words)
{
	enum sd_exit status = SD_EXIT_DONE;

	for (unsigned i = 0; i < 2 && status == SD_EXIT_DONE; i++) {
		if (join(&t->copy[i], t->folder, i ? "/after" : "/before", "") != 0)
			return SD_EXIT_MEASURE;
		status = place_program(t, i);
		status = status == SD_EXIT_DONE ? build(t, i, words) : status;
	}
	status = status == SD_EXIT_DONE ? time_both(t) : status;
	status = status == SD_EXIT_DONE ? look_after(t) : status;
	if (status == SD_EXIT_DONE && t->out->verdict != SD_FIX_GAIN)
		status = SD_EXIT_CHECK;
	return status;
}

enum sd_exit sd_fix_try(const struct sd_cli *cli, struct sd_fix_trial *out)
{
	const char *const where = getenv("TMPDIR");
	struct trial t = {.cli = cli, .sources = out->sources, .out = out};
	enum sd_exit status = SD_EXIT_MEASURE;
	char **words = NULL;

	if (sd_command_words_split(out->command, "--try", &words, cli->sink) != 0)
		return SD_EXIT_USAGE;
	if (join(&t.folder, where && *where ? where : "/tmp", "/scalediag-fix.XXXXXX", "") != 0 ||
		!mkdtemp(t.folder)) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "no folder for copies of the sources: %s",
			strerror(errno));
	} else {
		sd_leftover_note_open(&t.note, SD_LEFTOVER_FOLDER, t.folder);
		status = try_in(&t, words);
		(void)sd_folder_removal_at(AT_FDCWD, t.folder);
		sd_leftover_note_close(&t.note);
	}
	for (unsigned i = 0; i < 2; i++) {
		sd_command_words_free(t.argv[i]);
		free(t.copy[i]);
		free(t.run[i]);
	}
	sd_command_words_free(words);
	free(t.folder);
	return status;
}

void sd_fix_try_put(struct sd_page *p, const struct sd_fix_trial *t)
{
	static const char *const words[SD_FIX_OTHER + 1] = {
		[SD_FIX_NO_GAIN] = "no gain: what they end is not what costs the time",
		[SD_FIX_UNDECIDED] = "undecided: the pairs differ too much, as on a busy machine",
		[SD_FIX_OTHER] = "the changed program is another one: do not take these changes"};
	char said[512], head[24];

	if (!t->pairs.pairs)
		return;
	sd_timed_pairs_say(&t->pairs, "with these changes the program", said, sizeof said);
	sd_page_wrap(p, "", 0, "%s", said);
	if (words[t->verdict])
		sd_page_wrap(p, "", 0, "%s", words[t->verdict]);
	for (size_t i = 0; i < t->plan->n; i++) {
		if (!*t->plan->entry[i].what)
			continue;
		sd_fix_after_say(&t->plan->entry[i], &t->left[i], said, sizeof said);
		snprintf(head, sizeof head, "%-3zu", i + 1);
		sd_page_wrap(p, head, 3, "%s", said);
	}
}
