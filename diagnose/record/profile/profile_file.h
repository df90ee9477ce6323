/*
 * The calibration as a file: JSON with a schema version, written atomically, read as untrusted
 * input.
 */
#ifndef SD_PROFILE_FILE_H
#define SD_PROFILE_FILE_H

#include <stdio.h>

#include "bench/profile.h"
#include "base/sink.h"

/* Writes the profile as JSON, ending in a newline: the same profile gives the same bytes. 0;
 * -ENOMEM; -EIO: writing to `f` failed (see errno). */
int sd_profile_encode(FILE *f, const struct sd_profile *p);

/* Atomically replaces the profile at `path`, and nothing but a profile (output_file.h). 0, or
 * -errno with one message said and no temporary left behind. */
int sd_profile_write(const char *path, const struct sd_profile *p, const struct sd_sink *sink);

/*
 * Reads and checks every field. 0; -errno with a message if unreadable (no message for -ENOENT,
 * which is no error); -EINVAL with a message and its place if it is not a profile, has another
 * schema, or is damaged. *out is empty on failure.
 */
int sd_profile_read(const char *path, struct sd_profile *out, const struct sd_sink *sink);

#define SD_PROFILE_BYTES ((size_t)64 << 20) /* a file of more is no profile */

/* As above from memory; `name` stands in messages. The fuzz target. */
int sd_profile_parse(const char *text, size_t size, const char *name, struct sd_profile *out,
	const struct sd_sink *sink);

/*
 * The path of the profile with this key: $XDG_CACHE_HOME/scalediag/HOST-TOPOLOGY.json, or in
 * ~/.cache; HOST-TOPOLOGY-quick.json for a quick one, so that it never replaces a full one. The
 * caller frees it; NULL: out of memory, or neither variable names an absolute folder. `make`
 * creates the folders, readable by the user only.
 */
char *sd_profile_path(const struct sd_profile_key *key, int quick, int make);

/* Another file in the same folder: HOST-NAME. As above. */
char *sd_profile_neighbour(const char *host, const char *name, int make);

/*
 * The profile of this machine, for `run`, the full one if it can be used, else the quick one, else
 * one that was made with others of its CPUs granted (*differs is SD_PROFILE_OTHER_CPUS then, else
 * NULL): 0 and *out; -ENOENT when there is none yet; -ESTALE when
 * the one there is was made on another machine or kernel (what differs goes to *differs, static);
 * -EINVAL when it is damaged (said); -EACCES when this user may not look there.
 */
int sd_profile_load(const struct sd_profile_key *key, struct sd_profile *out, const char **differs,
	const struct sd_sink *sink);

/* One line about a loaded profile ("calibrated 2 h ago: 47.6 GB/s at 2 cores, …"), or what to do
 * without one (rc of sd_profile_load). */
void sd_profile_statement(int rc, const struct sd_profile *p, const char *differs, unsigned cores,
	double now, char *out, size_t size);

#endif
