#include "sweep/sweep_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const sd_sweep_engine_name[SD_SWEEP_ENGINES + 1] = {[SD_SWEEP_SRUN] = "srun",
	[SD_SWEEP_CLUSH] = "clush",
	[SD_SWEEP_PDSH] = "pdsh",
	[SD_SWEEP_SSH] = "ssh"};

/* The options of each, without a label in front of what the node prints. */
static const char *const options[SD_SWEEP_ENGINES][8] = {
	[SD_SWEEP_SRUN] = {"--nodes=1", "--ntasks=1", "--exclusive", "--mem=0", "--cpu-bind=none",
		"--quiet"},
	[SD_SWEEP_CLUSH] = {"-N", "-S", "-q"},
	[SD_SWEEP_PDSH] = {"-N", "-S"},
	[SD_SWEEP_SSH] = {"-o", "BatchMode=yes", "-T"},
};

int sd_sweep_engine_installed(const char *command)
{
	const char *at = getenv("PATH");
	char path[4096];

	for (size_t n; at && *at; at += n + (at[n] == ':')) {
		n = strcspn(at, ":");
		if (n &&
			snprintf(path, sizeof path, "%.*s/%s", (int)n, at, command) <
				(int)sizeof path &&
			access(path, X_OK) == 0)
			return 1;
	}
	return 0;
}

int sd_sweep_engine_find(void)
{
	for (int e = SD_SWEEP_CLUSH; e < SD_SWEEP_ENGINES; e++)
		if (sd_sweep_engine_installed(sd_sweep_engine_name[e]))
			return e;
	return -ENOENT;
}

/* The node's shell takes a word in quotes as it is. */
static int add_quoted(const char *word, struct sd_texts *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const f = open_memstream(&text, &size);
	int rc = -ENOMEM;

	if (!f)
		return rc;
	fputc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
	if (fclose(f) == 0)
		rc = sd_texts_add(out, "%s", text);
	free(text);
	return rc;
}

static int add_host(
	enum sd_sweep_engine engine, const char *host, const char *partition, struct sd_texts *out)
{
	int rc = 0;

	switch (engine) {
	case SD_SWEEP_SRUN:
		rc = sd_texts_add(out, "--nodelist=%s", host);
		return rc == 0 && partition ? sd_texts_add(out, "--partition=%s", partition) : rc;
	case SD_SWEEP_CLUSH:
	case SD_SWEEP_PDSH:
		rc = sd_texts_add(out, "-w");
		break;
	case SD_SWEEP_SSH:
	case SD_SWEEP_ENGINES:
		break;
	}
	return rc == 0 ? sd_texts_add(out, "%s", host) : rc;
}

int sd_sweep_engine_command(enum sd_sweep_engine engine, const char *host, const char *partition,
	const struct sd_texts *words, struct sd_texts *out)
{
	int rc = sd_texts_add(out, "%s", sd_sweep_engine_name[engine]);

	for (size_t i = 0; rc == 0 && options[engine][i]; i++)
		rc = sd_texts_add(out, "%s", options[engine][i]);
	if (rc == 0)
		rc = add_host(engine, host, partition, out);
	for (size_t i = 0; rc == 0 && i < words->n; i++)
		rc = engine == SD_SWEEP_SRUN ? sd_texts_add(out, "%s", words->text[i])
					     : add_quoted(words->text[i], out);
	return rc;
}

int sd_sweep_engine_group(const char *group, struct sd_texts *out)
{
	const char *const name = group + (group[0] == '@');
	int rc = -ENOENT;

	if (sd_sweep_engine_installed("nodeset")) {
		rc = sd_texts_add(out, "nodeset");
		rc = rc ? rc : sd_texts_add(out, "-e");
		rc = rc ? rc : sd_texts_add(out, "-S");
		rc = rc ? rc : sd_texts_add(out, "\\n");
		return rc ? rc : sd_texts_add(out, "@%s", name);
	}
	if (sd_sweep_engine_installed("pdsh")) {
		/* asks each node nothing but its name, which pdsh adds itself */
		rc = sd_texts_add(out, "pdsh");
		rc = rc ? rc : sd_texts_add(out, "-R");
		rc = rc ? rc : sd_texts_add(out, "exec");
		rc = rc ? rc : sd_texts_add(out, "-N");
		rc = rc ? rc : sd_texts_add(out, "-g");
		rc = rc ? rc : sd_texts_add(out, "%s", name);
		rc = rc ? rc : sd_texts_add(out, "echo");
		rc = rc ? rc : sd_texts_add(out, "%%h");
	}
	return rc;
}
