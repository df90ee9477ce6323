#include "complete/value_words.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/requirement.h"
#include "base/configs.h"
#include "base/texts.h"
#include "help/topics.h"
#include "learn/lesson.h"
#include "learn/lesson_files.h"
#include "record/cause.h"
#include "record/experiment.h"
#include "record/role.h"
#include "report/formats.h"

typedef void list(const struct sd_value_words *w, const struct sd_cli *cli);

void sd_value_words_add(const struct sd_value_words *w, const char *word, const char *about)
{
	if (strncmp(word, w->typed, strlen(w->typed)) == 0)
		fprintf(w->f, "%s%s%s%s\n", w->before, word, about ? "\t" : "", about ? about : "");
}

static void add_configs(const struct sd_value_words *w, const char *folder)
{
	struct sd_texts names = {0};

	if (sd_configs_list(NULL, folder, &names, NULL) == 0)
		for (size_t i = 0; i < names.n; i++) {
			const char *const file = names.text[i] + strlen(folder) + 1;
			char name[64];

			snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".conf")),
				file);
			sd_value_words_add(w, name, NULL);
		}
	sd_texts_free(&names);
}

static void list_machines(const struct sd_value_words *w, const struct sd_cli *cli)
{
	(void)cli;
	sd_value_words_add(w, "host", "this machine");
	add_configs(w, "machines");
	fputs(":files\n", w->f);
}

static void list_cpus(const struct sd_value_words *w, const struct sd_cli *cli)
{
	(void)cli;
	add_configs(w, "events");
}

static void list_roles(const struct sd_value_words *w, const struct sd_cli *cli)
{
	(void)cli;
	for (int i = 0; i < SD_ROLE_COUNT; i++)
		sd_value_words_add(
			w, sd_role_name((enum sd_role)i), sd_role_meaning((enum sd_role)i));
}

/* A list with commas: what was typed last is completed. */
static void list_experiments(const struct sd_value_words *w, const struct sd_cli *cli)
{
	static const char *const alone[][2] = {{"auto", "those that can decide (the default)"},
		{"none", "none"}, {"all", "all that can run here"}};
	const char *const comma = strrchr(w->typed, ',');
	struct sd_value_words last = *w;
	char before[1024];

	(void)cli;
	if (comma) {
		snprintf(before, sizeof before, "%s%.*s", w->before, (int)(comma + 1 - w->typed),
			w->typed);
		last.before = before;
		last.typed = comma + 1;
	} else {
		for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
			sd_value_words_add(w, alone[i][0], alone[i][1]);
	}
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		sd_value_words_add(&last, sd_experiment_info[i].name, sd_experiment_info[i].does);
}

static void list_formats(const struct sd_value_words *w, const struct sd_cli *cli)
{
	(void)cli;
	for (const struct sd_report_format *f = sd_report_formats; f->name; f++)
		sd_value_words_add(w, f->name, f->summary);
}

static void list_requirements(const struct sd_value_words *w, const struct sd_cli *cli)
{
	char word[96];
	const char *name;

	(void)cli;
	sd_value_words_add(w, "scales", "the efficiency is surely above 80 %");
	for (size_t i = 0; (name = sd_requirements_number(i)); i++) {
		snprintf(word, sizeof word, "%s@", name);
		sd_value_words_add(w, word, "a bound at a core count, as efficiency@8>=0.8");
	}
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		snprintf(word, sizeof word, "no %s", sd_cause_info[i].name);
		sd_value_words_add(w, word, "the cause is ruled out");
	}
}

static void list_lessons(const struct sd_value_words *w, const struct sd_cli *cli)
{
	(void)cli;
	for (const struct sd_lesson_files *l = sd_lesson_files; l->folder; l++) {
		struct sd_lesson lesson;

		if (sd_lesson_parse(l->text, (size_t)(l->text_end - l->text), l->folder, &lesson,
			    NULL) == 0)
			sd_value_words_add(w, sd_lesson_name(l), lesson.title);
		sd_lesson_free(&lesson);
	}
}

static void list_kernels(const struct sd_value_words *w, const struct sd_cli *cli)
{
	for (size_t i = 0; cli->kernels[i]; i++)
		sd_value_words_add(w, cli->kernels[i]->name, cli->kernels[i]->summary);
}

static void list_commands(const struct sd_value_words *w, const struct sd_cli *cli)
{
	for (const struct sd_command *c = cli->commands; c->name; c++)
		sd_value_words_add(w, c->name, c->summary);
}

static void list_topics(const struct sd_value_words *w, const struct sd_cli *cli)
{
	(void)cli;
	for (const struct sd_topic *t = sd_topics; t->name; t++) {
		char summary[160];

		sd_topics_summary(t->text, summary, sizeof summary);
		sd_value_words_add(w, t->name, summary);
	}
}

/* Lists a kind of words by asking the shell for it. */
#define SHELL(kind)                                                                       \
	static void list_##kind(const struct sd_value_words *w, const struct sd_cli *cli) \
	{                                                                                 \
		(void)cli;                                                                \
		fputs(":" #kind "\n", w->f);                                              \
	}
SHELL(files)
SHELL(folders)
SHELL(records)
SHELL(programs)

static const struct {
	const char *name;
	list *words;
} known[] = {
	{"AFTER", list_records},
	{"BEFORE", list_records},
	{"COMMAND", list_commands},
	{"CPU", list_cpus},
	{"DIR", list_folders},
	{"EXPERIMENTS", list_experiments},
	{"FILE", list_files},
	{"FOLDER", list_folders},
	{"FORMAT", list_formats},
	{"KERNEL", list_kernels},
	{"LESSON", list_lessons},
	{"MACHINE", list_machines},
	{"OLD", list_records},
	{"PROGRAM", list_programs},
	{"RECORD", list_records},
	{"REQUIREMENT", list_requirements},
	{"ROLE", list_roles},
	{"TOPIC", list_topics},
};

static int print_one(const struct sd_value_words *w, const struct sd_cli *cli, const char *name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, name) == 0) {
			known[i].words(w, cli);
			return 1;
		}
	return 0;
}

int sd_value_words_print(const struct sd_value_words *w, const struct sd_cli *cli, const char *name)
{
	const int words = strchr(name, '|') != NULL;
	int found = 0;

	for (const char *p = name; *p;) {
		const size_t n = strcspn(p, "|");
		char one[64];

		snprintf(one, sizeof one, "%.*s", (int)n, p);
		if (print_one(w, cli, one)) {
			found = 1;
		} else if (words) {
			sd_value_words_add(w, one, NULL);
			found = 1;
		}
		p += n + (p[n] == '|');
	}
	return found;
}
