/*
 * Small texts that others write: notes of what a killed scalediag left, a program's CPUs as they
 * were, names of nodes, a printed rate, a command's words, mounts and folders of cgroups, the name
 * of one of ours, a repository of Git. The first byte chooses one, the rest is the text.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/counter_command.h"
#include "attach/mask_note.h"
#include "attach/named_group.h"
#include "base/leftover_note.h"
#include "launch/printed_rate.h"
#include "launch/source_commit.h"
#include "machine/private_cgroup.h"
#include "sweep/sweep_hosts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The folder of notes, and nobody else's: a note in the real one would be obeyed by the next
 * command. */
static char notes[64], file[96], groups[96];

static void must(int holds)
{
	if (!holds)
		abort();
}

static void hide_notes(void)
{
	snprintf(notes, sizeof notes, "/tmp/scalediag-%lu", (unsigned long)geteuid());
	snprintf(file, sizeof file, "%s/1-0", notes);
	snprintf(groups, sizeof groups, "%s/.groups", notes);
	(void)mkdir(notes, 0700);
	must((unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
		mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount("fuzz", notes, "tmpfs", 0, "mode=0700") == 0 && mkdir(groups, 0700) == 0);
}

static void put(const char *path, const char *text, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	must(fd >= 0 && write(fd, text, size) == (ssize_t)size && close(fd) == 0);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static int take(int fd, const char *folder, const char *name)
{
	must(fd >= 0 && *name && !strchr(name, '/') && (!*folder || *folder == '/'));
	return 0;
}

static void leftover(char *text, size_t size)
{
	sd_leftover_remove *remove[SD_LEFTOVER_KINDS];

	for (int k = 0; k < SD_LEFTOVER_KINDS; k++)
		remove[k] = take;
	put(file, text, size);
	sd_leftover_note_sweep(remove);
}

/* Is the cgroup of the section's first line a folder here? Its processes would be looked for in all
 * below it: of the root of files that takes minutes. */
static int names_a_folder(const char *text)
{
	char *const copy = strdup(text), *rest = NULL, path[512] = "";
	struct stat st;
	unsigned byte;
	char *word;

	must(copy != NULL);
	copy[strcspn(copy, "\n")] = '\0';
	word = strtok_r(copy, " ", &rest);
	for (int i = 0; i < 4 && word; i++)
		word = strtok_r(NULL, " ", &rest);
	for (size_t i = 0; word && *word == 'x' && i + 1 < sizeof path; i++) {
		if (sscanf(word + 1 + 2 * i, "%2x", &byte) != 1)
			break;
		path[i] = (char)byte;
	}
	free(copy);
	return *path && stat(path, &st) == 0;
}

/* A note of this boot; what comes before its section is somebody's, too. */
static void masks(char *text, size_t size)
{
	static char boot[64];
	const int fd = memfd_create("masks", MFD_CLOEXEC);
	FILE *const id = *boot ? NULL : fopen("/proc/sys/kernel/random/boot_id", "re");
	char label[320];
	size_t changed;

	if (id) {
		must(fscanf(id, "%63s", boot) == 1);
		fclose(id);
	}
	if (names_a_folder(text)) {
		close(fd);
		return;
	}
	must(fd >= 0 && write(fd, text, size) == (ssize_t)size &&
		dprintf(fd, "\nbegin %s ", boot) > 0 && write(fd, text, size) == (ssize_t)size &&
		dprintf(fd, "\nend\n") > 0);
	(void)sd_mask_note_mend(fd, &changed, label, sizeof label);
	must(strlen(label) < sizeof label && changed == 0);
	close(fd);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void check_names(struct sd_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		must(sd_sweep_hosts_is_name(t->text[i]));
	sd_texts_free(t);
}

static void hosts(char *text, size_t size)
{
	struct sd_texts all = {0};

	(void)sd_sweep_hosts_parse(text, size, "fuzz", &all, NULL);
	check_names(&all);
}

static void slurm(char *text, size_t size)
{
	struct sd_texts fit = {0}, unfit = {0};

	(void)sd_sweep_hosts_slurm(text, size, &fit, &unfit, NULL);
	check_names(&fit);
	check_names(&unfit);
}

/* ---- what a program prints, and a command -----------------------------------------------------
 */

static void rate(char *text, size_t size)
{
	static const char *const pattern[] = {"([0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?)",
		"rate: *([^ ]*)", "[0-9.]*", "x*", "^(.*)$"};
	struct sd_printed_rate r;
	char found[64];
	double v = 0;

	must(sd_printed_rate_open(&r, pattern[size % (sizeof pattern / sizeof *pattern)], NULL) ==
		0);
	put(file, text, size);
	if (sd_printed_rate_read(&r, file, &v, found, sizeof found) == 0)
		must(v > 0 && strlen(found) < sizeof found);
	sd_printed_rate_close(&r);
}

static void words(char *text, size_t size)
{
	struct sd_counter_command c;

	(void)size;
	if (sd_counter_command_open(&c, text, NULL, "out", NULL, NULL) == 0)
		must(c.words && c.words[0]);
	sd_counter_command_close(&c);
}

/* ---- cgroups --------------------------------------------------------------------------------- */

static int is_pid(void *ctx, pid_t pid)
{
	(void)ctx;
	must(pid > 0);
	return 0;
}

static void look(const char *mounts, enum sd_named_group_kind kind, const char *name)
{
	char *folder;

	if (sd_named_group_find(mounts, kind, name, &folder) == 0) {
		must(folder && *folder);
		(void)sd_named_group_each(folder, is_pid, NULL);
		free(folder);
	}
}

/* The first line is a group's path, the rest the mounts; then it is a unit's and a container's
 * name, where a folder is called as the rest. */
static void cgroups(char *text, size_t size)
{
	char *const rest = strchr(text, '\n');
	char path[512], line[160];

	if (!rest)
		return;
	*rest = '\0';
	put(file, rest + 1, size - (size_t)(rest + 1 - text));
	look(file, SD_NAMED_GROUP_PATH, text);
	rest[1 + strcspn(rest + 1, "/")] = '\0';
	snprintf(path, sizeof path, "%s/%.200s", groups, rest + 1);
	if (!rest[1] || rest[1] == '.' || mkdir(path, 0700) != 0)
		return;
	snprintf(line, sizeof line, "1 1 0:1 / %s rw - cgroup2 x rw\n", groups);
	put(file, line, strlen(line));
	look(file, SD_NAMED_GROUP_UNIT, text);
	look(file, SD_NAMED_GROUP_CONTAINER, text);
	rmdir(path);
}

/* Before it is looked whether the folder is of cgroups, the name is read; this folder is none. */
static void group_name(char *text, size_t size)
{
	(void)size;
	must(sd_private_cgroup_noted(-1, "/nowhere", text) == 0);
}

/* ---- a repository ---------------------------------------------------------------------------- */

static void look_at_commit(void)
{
	struct sd_source_commit c;

	must(sd_source_commit_read(notes, &c) == 0);
	must((c.root != NULL) == (*c.commit != '\0') && strlen(c.commit) <= 64 &&
		strspn(c.commit, "0123456789abcdef") == strlen(c.commit));
	must(!c.root || strcmp(c.root, notes) == 0);
	free(c.root);
}

/* The first line is HEAD, the rest the branch and the packed branches; then the first line is the
 * .git of a worktree, the rest all its files. */
static void repository(char *text, size_t size)
{
	static const char *const name[] = {"HEAD", "commondir", "packed-refs", "refs/heads/main"};
	char *const rest = strchr(text, '\n');
	char git[80], path[128];

	if (!rest)
		return;
	*rest = '\0';
	for (int worktree = 0; worktree < 2; worktree++) {
		static const char *const folder[] = {"", "/refs", "/refs/heads"};

		snprintf(git, sizeof git, "%s/%s", notes, worktree ? "tree" : ".git");
		for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
			snprintf(path, sizeof path, "%s%s", git, folder[i]);
			must(mkdir(path, 0700) == 0);
		}
		for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
			snprintf(path, sizeof path, "%s/%s", git, name[i]);
			if (i == 0 && !worktree)
				put(path, text, strlen(text));
			else if (i != 1 || worktree)
				put(path, rest + 1, size - (size_t)(rest + 1 - text));
		}
		snprintf(path, sizeof path, "%s/.git", notes);
		if (worktree)
			put(path, text, strlen(text));
		look_at_commit();
		if (worktree)
			must(unlink(path) == 0);
		for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
			snprintf(path, sizeof path, "%s/%s", git, name[i]);
			(void)unlink(path);
		}
		for (size_t i = sizeof folder / sizeof *folder; i-- > 0;) {
			snprintf(path, sizeof path, "%s%s", git, folder[i]);
			must(rmdir(path) == 0);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parse[])(char *text, size_t size) = {
		leftover, masks, hosts, slurm, rate, words, cgroups, group_name, repository};
	char *text;

	if (!size)
		return 0;
	if (!*notes)
		hide_notes();
	text = malloc(size);
	must(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parse[data[0] % (sizeof parse / sizeof *parse)](text, size - 1);
	free(text);
	return 0;
}
