#include "fleet/fleet_source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fleet/fleet_line.h"
#include "profile/profile_file.h"
#include "store/fleet_store.h"

#define HEAD_BYTES 512

typedef int each_fn(void *ctx, struct sd_fleet_node *node);

static int is_named_json(const struct dirent *e)
{
	const size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && strcmp(e->d_name + n - 5, ".json") == 0;
}

static int is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static int each_profile(const struct sd_cli *cli, const char *path, each_fn *each, void *ctx)
{
	struct sd_fleet_node node = {.n_pair = 0};
	struct sd_profile p = {.granted = 0};
	int rc = sd_profile_read(path, &p, cli->sink);

	if (rc == 0)
		rc = sd_fleet_node_of(&p, &node);
	if (rc == 0)
		rc = each(ctx, &node);
	sd_fleet_node_free(&node);
	sd_profile_free(&p);
	return rc;
}

/* Calls `each` for every profile of a folder, and leaves out a file that was said to be none. */
static int each_of_folder(const struct sd_cli *cli, const char *folder, each_fn *each, void *ctx)
{
	struct dirent **name = NULL;
	const int n = scandir(folder, &name, is_named_json, alphasort);
	int rc = n < 0 ? -errno : 0;

	if (rc)
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", folder, strerror(-rc));
	for (int i = 0; i < n; i++) {
		char *path = NULL;

		if (rc == 0 && asprintf(&path, "%s/%s", folder, name[i]->d_name) < 0)
			rc = -ENOMEM;
		if (rc == 0) {
			rc = each_profile(cli, path, each, ctx);
			rc = rc == -EINVAL || rc == -ENOENT || rc == -EACCES || rc == -EFBIG ? 0
											     : rc;
			free(path);
		}
		free(name[i]);
	}
	free(name);
	return rc;
}

/* ---- lines of an export ---------------------------------------------------------------------- */

static int each_line(const struct sd_cli *cli, FILE *f, const char *path, each_fn *each, void *ctx)
{
	struct sd_fleet_node node = {.n_pair = 0};
	char *text = NULL;
	size_t room = 0, line = 0;
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (n = getline(&text, &room, f)) > 0) {
		line++;
		if (n == 1)
			continue;
		rc = sd_fleet_line_parse(text, (size_t)n, path, line, &node, cli->sink);
		if (rc == 0)
			rc = each(ctx, &node);
		sd_fleet_node_free(&node);
	}
	if (rc == 0 && ferror(f)) {
		rc = -EIO;
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: cannot be read", path);
	}
	free(text);
	return rc;
}

int sd_fleet_source_each(const struct sd_cli *cli, const char *path, each_fn *each, void *ctx)
{
	char head[HEAD_BYTES + 1] = "";
	FILE *f;
	int rc;

	if (is_folder(path))
		return each_of_folder(cli, path, each, ctx);
	f = fopen(path, "re");
	if (!f) {
		rc = -errno;
		sd_say(cli->sink, SD_LEVEL_ERROR, "%s: %s", path, strerror(-rc));
		return rc;
	}
	head[fread(head, 1, HEAD_BYTES, f)] = '\0';
	rewind(f);
	rc = strstr(head, SD_PROFILE_KIND) ? each_profile(cli, path, each, ctx)
					   : each_line(cli, f, path, each, ctx);
	fclose(f);
	return rc;
}

/* ---- fleets ---------------------------------------------------------------------------------- */

static int keep(void *fleet, struct sd_fleet_node *node)
{
	return sd_fleet_add(fleet, node);
}

static int read_store(const struct sd_cli *cli, const char *path,
	const struct sd_fleet_selection *which, struct sd_fleet *out)
{
	struct sd_fleet_store *store;
	int rc = sd_fleet_store_open(&store, path, 0, cli->sink);

	if (rc == 0)
		rc = sd_fleet_store_read(store, which, out);
	sd_fleet_store_close(store);
	return rc;
}

static int check_some(
	const struct sd_cli *cli, const char *path, const struct sd_fleet *fleet, int rc)
{
	if (rc || fleet->n)
		return rc;
	sd_say(cli->sink, SD_LEVEL_ERROR, "%s: has no calibration of a node%s", path,
		is_folder(path) ? " (*.json, of 'scalediag calibrate -o')" : "");
	return -ENODATA;
}

int sd_fleet_source_read(const struct sd_cli *cli, const char *path, struct sd_fleet *out)
{
	const struct sd_fleet_selection newest = {.until = 0};
	const int rc = is_folder(path) ? each_of_folder(cli, path, keep, out)
				       : read_store(cli, path, &newest, out);

	return check_some(cli, path, out, rc);
}

/* The end of that day, or of that minute; s since the epoch. 0: it is no day. */
static double time_of(const char *text)
{
	static const struct {
		const char *format;
		double seconds;
	} forms[] = {{"%Y-%m-%d", 86400}, {"%Y-%m-%dT%H:%M", 60}};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct tm tm = {.tm_isdst = 0};
		const char *const end = strptime(text, forms[i].format, &tm);

		if (end && !*end)
			return (double)timegm(&tm) + forms[i].seconds;
	}
	return 0;
}

static int parse_fact(const char *side, struct sd_fleet_selection *out)
{
	for (int i = 0; i < SD_NODE_FACT_COUNT; i++) {
		const size_t n = strlen(sd_node_fact_name[i]);

		if (strncmp(side, sd_node_fact_name[i], n) == 0 && side[n] == '=' && side[n + 1]) {
			out->fact = (enum sd_node_fact)i;
			out->text = side + n + 1;
			return 1;
		}
	}
	return 0;
}

int sd_fleet_source_select(
	const struct sd_cli *cli, const char *store, const char *side, struct sd_fleet *out)
{
	struct sd_fleet_selection which = {.until = time_of(side)};

	if (which.until <= 0 && !parse_fact(side, &which))
		return sd_fleet_source_read(cli, side, out);
	return check_some(cli, side, out, read_store(cli, store, &which, out));
}
