#include "learn/lesson_export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch/program_path.h"
#include "learn/lesson_folder.h"

/* How a shell calls this very program: by its name where PATH finds it, else by its file. */
static char *own_command(void)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+-"; /* nothing that make or a shell replaces */
	char *const self = realpath("/proc/self/exe", NULL);
	char *found = NULL, *real = NULL, *command;

	if (sd_program_path_find("scalediag", NULL, environ, &found, NULL) == 0)
		real = realpath(found, NULL);
	command = self && !self[strspn(self, plain)] && !(real && strcmp(real, self) == 0)
			  ? strdup(self)
			  : strdup("scalediag");
	free(self);
	free(found);
	free(real);
	return command;
}

/* `text` with the first `name` in it replaced; fresh; NULL: out of memory. */
static char *with(const char *text, const char *name, const char *value)
{
	const char *const place = strstr(text, name);
	char *out = NULL;
	const int n = place ? asprintf(&out, "%.*s%s%s", (int)(place - text), text, value,
				      place + strlen(name))
			    : asprintf(&out, "%s", text);

	return n < 0 ? NULL : out;
}

/* The recipe that measures a version: {size} is a variable of make. A service is started, looked
 * at, and ended again. */
static char *recipe(const struct sd_lesson *l)
{
	char *const sized = with(l->args ? l->args : "", SD_LESSON_SIZE, "$(SIZE)");
	char *const words = sized && l->window ? with(sized, "{n}", "$$(nproc)") : NULL;
	char *text = NULL;
	int n = -1;

	if (sized && !l->window)
		n = asprintf(&text,
			"$(SCALEDIAG) run --budget 20 --experiments %s %s-o $@ -- %s./$*%s%s",
			l->experiments ? l->experiments : "none",
			l->need == SD_LESSON_NEEDS_MPI ? "--ranks 1,2 " : "",
			l->need == SD_LESSON_NEEDS_MPI ? SD_LESSON_MPI_LAUNCHER " -n {ranks} " : "",
			*sized ? " " : "", sized);
	else if (words)
		n = asprintf(&text,
			"SCALEDIAG_MARKERS=$(CURDIR)/$*.markers ./$*%s%s & \\\n"
			"\t$(SCALEDIAG) attach --window %u --cores powers --progress requests -o "
			"$@ $$!; status=$$?; \\\n\tkill $$!; exit $$status",
			*words ? " " : "", words, l->window);
	free(sized);
	free(words);
	return n < 0 ? NULL : text;
}

static char *makefile(const struct sd_lesson *l, const char *name, const char *scalediag)
{
	char *const measured = recipe(l);
	char *text = NULL;
	const int n =
		!measured
			? -1
			: asprintf(&text,
				  "# Lesson %s: edit broken.c, and `make compare` says what it changed.\n"
				  "CC %s\nCFLAGS ?= %s -g\nSCALEDIAG ?= %s\n%s%s%s\n"
				  "all: broken fixed\n\n"
				  "broken fixed: %%: %%.c\n\t$(CC) $(CFLAGS) -o $@ $< $(LDFLAGS) -lm\n\n"
				  "broken.json fixed.json: %%.json: %%\n\t%s\n\n"
				  "compare: broken.json fixed.json\n"
				  "\t$(SCALEDIAG) compare broken.json fixed.json\n\n"
				  "clean:\n\trm -f broken fixed broken.json fixed.json *.scalediag.* "
				  "*.markers\n\n"
				  ".PHONY: all compare clean\n",
				  name,
				  l->need == SD_LESSON_NEEDS_MPI ? "= " SD_LESSON_MPI_COMPILER
								 : "?= cc",
				  l->flags, scalediag, l->size ? "# how much to do\nSIZE ?= " : "",
				  l->size ? l->size : "", l->size ? "\n" : "", measured);

	free(measured);
	return n < 0 ? NULL : text;
}

enum sd_exit sd_lesson_export(const struct sd_cli *cli, const struct sd_lesson_files *files,
	const struct sd_lesson *lesson, const char *folder)
{
	char *const scalediag = own_command();
	char *const make = scalediag ? makefile(lesson, sd_lesson_name(files), scalediag) : NULL;
	int rc = make ? 0 : -ENOMEM;

	if (rc) {
		sd_say(cli->sink, SD_LEVEL_ERROR, "out of memory");
	} else if (mkdir(folder, 0777) < 0) {
		rc = -errno;
		sd_say(cli->sink, SD_LEVEL_ERROR, "--export %s: %s; name a folder %s", folder,
			strerror(-rc),
			rc == -EEXIST   ? "that is not there yet"
			: rc == -ENOENT ? "in one that is there"
					: "where you may write");
	}
	if (!rc)
		rc = sd_lesson_folder_write_sources(folder, files, lesson, cli->sink);
	if (!rc)
		rc = sd_lesson_folder_write(folder, "LESSON.md", files->text,
			(size_t)(files->text_end - files->text), cli->sink);
	if (!rc)
		rc = sd_lesson_folder_write(folder, "Makefile", make, strlen(make), cli->sink);
	free(make);
	free(scalediag);
	return rc ? SD_EXIT_MEASURE : SD_EXIT_DONE;
}
