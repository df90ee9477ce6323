#include "profile/profile_file.h"
#include "output/output_file.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A host name as part of a file's name. */
static void safe_name(const char *host, char *out, size_t size)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
	size_t n = 0;

	for (; host[n] && n + 1 < size && n < 64; n++)
		out[n] = strchr(plain, host[n]) ? host[n] : '_';
	out[n] = '\0';
}

static char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *folder = NULL;

	/* the XDG base directory specification: a path that is not absolute is to be ignored */
	if (cache && cache[0] == '/')
		return asprintf(&folder, "%s/scalediag", cache) < 0 ? NULL : folder;
	if (home && home[0] == '/')
		return asprintf(&folder, "%s/.cache/scalediag", home) < 0 ? NULL : folder;
	return NULL;
}

char *sd_profile_neighbour(const char *host, const char *name, int make)
{
	char *folder = cache_folder(), *path = NULL;
	char safe[80];

	if (!folder)
		return NULL;
	safe_name(host, safe, sizeof safe);
	if (asprintf(&path, "%s/%s-%s", folder, safe, name) < 0)
		path = NULL;
	if (make && path)
		sd_output_file_folders(path);
	free(folder);
	return path;
}

char *sd_profile_path(const struct sd_profile_key *key, int quick, int make)
{
	char *name, *path;

	if (asprintf(&name, "%s%s.json", key->topology, quick ? "-quick" : "") < 0)
		return NULL;
	path = sd_profile_neighbour(key->host, name, make);
	free(name);
	return path;
}

static int load(const struct sd_profile_key *key, int quick, struct sd_profile *out,
	const char **differs, const struct sd_sink *sink)
{
	char *path = sd_profile_path(key, quick, 0);
	int rc = -ENOENT;

	*differs = NULL;
	*out = (struct sd_profile){0};
	/* a folder of another user's (HOME kept by sudo or a container) has nothing for us */
	if (path && access(path, R_OK))
		rc = errno == EACCES ? -EACCES : -ENOENT;
	else if (path)
		rc = sd_profile_read(path, out, sink);
	if (rc == 0 && (*differs = sd_profile_differs(&out->key, key))) {
		sd_profile_free(out);
		rc = -ESTALE;
	}
	free(path);
	return rc;
}

/* Takes a profile of this machine with other CPUs granted: 1 when it is better than *best, a full
 * one before a quick one and a new one before an old one. */
static int is_better(
	const struct sd_profile *p, const struct sd_profile *best, const struct sd_profile_key *key)
{
	const char *const differs = sd_profile_differs(&p->key, key);

	return differs && strcmp(differs, SD_PROFILE_OTHER_CPUS) == 0 &&
	       (best->rows.n == 0 || p->quick < best->quick ||
		       (p->quick == best->quick && p->start > best->start));
}

/* Among the profiles of this host; what is damaged there is no business of this allocation's. */
static int load_other(const struct sd_profile_key *key, struct sd_profile *out)
{
	char *const pattern = sd_profile_neighbour(key->host, "*.json", 0);
	struct sd_profile best = {0};
	glob_t found = {0};

	if (pattern && glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			struct sd_profile p;

			if (sd_profile_read(found.gl_pathv[i], &p, NULL))
				continue;
			if (is_better(&p, &best, key)) {
				const struct sd_profile last = best;

				best = p;
				p = last;
			}
			sd_profile_free(&p);
		}
	globfree(&found);
	free(pattern);
	*out = best;
	return best.rows.n ? 0 : -ENOENT;
}

static int load_own(const struct sd_profile_key *key, struct sd_profile *out, const char **differs,
	const struct sd_sink *sink)
{
	const char *quick_differs;
	const int rc = load(key, 0, out, differs, sink);
	int quick_rc;

	if (rc == 0)
		return 0;
	quick_rc = load(key, 1, out, &quick_differs, sink);
	/* what is wrong with the full one counts, unless there is none */
	if (quick_rc != 0 && rc != -ENOENT)
		return rc;
	*differs = quick_differs;
	return quick_rc;
}

int sd_profile_load(const struct sd_profile_key *key, struct sd_profile *out, const char **differs,
	const struct sd_sink *sink)
{
	int rc = load_own(key, out, differs, sink);

	if (rc == -ENOENT && load_other(key, out) == 0) {
		*differs = SD_PROFILE_OTHER_CPUS;
		rc = 0;
	}
	return rc;
}

static void format_age(double s, char *out, size_t size)
{
	if (s < 0)
		snprintf(out, size, "in the future by this clock");
	else if (s < 3600)
		snprintf(out, size, "%.0f min ago", s / 60);
	else if (s < 48 * 3600.0)
		snprintf(out, size, "%.0f h ago", s / 3600);
	else
		snprintf(out, size, "%.0f days ago", s / 86400);
}

/* "47.6 GB/s"; "11.7 GB/s or 21.4 GB/s" where states differ by it. Their number. */
static unsigned format_ceiling(const struct sd_profile *p, unsigned cores, char *out, size_t size)
{
	unsigned n = 0;
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < (p->states.n ? p->states.n : 1) && used < size; i++) {
		const struct sd_value line =
			p->states.n ? SD_OK(p->states.line[i]) : SD_NOT(ABSENT);
		const struct sd_interval v = sd_profile_bandwidth(p, cores, line);
		char one[40];

		if (v.status != SD_STATUS_OK && v.status != SD_STATUS_NOISY)
			continue;
		snprintf(one, sizeof one, "%s%.1f GB/s", n ? " or " : "", v.value);
		/* the first has no " or " before it */
		if (n && (strstr(out, one) || strstr(out, one + 4) == out))
			continue;
		used += (size_t)snprintf(out + used, size - used, "%s", one);
		n++;
	}
	return n;
}

void sd_profile_statement(int rc, const struct sd_profile *p, const char *differs, unsigned cores,
	double now, char *out, size_t size)
{
	char age[40], ceiling[128];
	unsigned ceilings;

	switch (rc) {
	case 0:
		format_age(now - p->start, age, sizeof age);
		ceilings = format_ceiling(p, cores, ceiling, sizeof ceiling);
		snprintf(out, size, "this machine was %scalibrated %s%s%s%s%s%s%s",
			p->quick ? "quickly " : "", age, ceilings ? ": " : "", ceiling,
			ceilings ? " of memory bandwidth" : "",
			ceilings > 1 ? ", depending on its state" : "",
			differs ? "; with others of its CPUs granted" : "",
			sd_profile_was_quiet(p) ? "" : "; it was not quiet then");
		return;
	case -ESTALE:
		snprintf(out, size,
			"the saved calibration is of another %s; `scalediag calibrate` makes a new one",
			differs ? differs : "machine");
		return;
	case -EACCES:
		snprintf(out, size,
			"not calibrated: this user may not look into the cache folder (HOME, "
			"XDG_CACHE_HOME)");
		return;
	case -EINVAL:
		snprintf(out, size,
			"the calibration cannot be used; `scalediag calibrate` makes a new one");
		return;
	default:
		snprintf(out, size,
			"not calibrated: run `scalediag calibrate --quick` once (20 s) to compare the program with this machine's limits");
	}
}
