#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output_file.h"
#include "record/record_names.h"
#include "trial/trial.h"

int sd_trial_make_folder(const struct sd_trial *t, const char *folder, int ours, const char *what)
{
	struct stat st;
	int rc = mkdir(folder, ours ? 0700 : 0777) ? -errno : 0;

	if (rc == -EEXIST)
		rc = (ours ? lstat(folder, &st) : stat(folder, &st)) ? -errno
		     : S_ISLNK(st.st_mode)                           ? -ELOOP
		     : S_ISDIR(st.st_mode)                           ? 0
								     : -ENOTDIR;
	if (rc)
		sd_say(t->sink, SD_LEVEL_ERROR, "cannot make the folder %s (%s): %s", folder, what,
			strerror(-rc));
	return rc;
}

int sd_trial_keep_samples(const struct sd_trial *t, char **out)
{
	const struct sd_options *const o = t->measure->options;
	struct stat st;
	char *folder;
	int rc = 0;

	*out = NULL;
	if (!o->keep_samples || o->no_samples)
		return 0;
	folder = o->keep_folder ? strdup(o->keep_folder)
				: sd_record_names_beside(t->measure->record_path, "samples");
	if (!folder)
		return -ENOMEM;
	rc = sd_trial_make_folder(t, folder, !o->keep_folder, "--keep-samples");
	if (!rc && asprintf(out, "%s/run-%04zu.perf", folder, t->record->n_run + 1) < 0) {
		*out = NULL;
		rc = -ENOMEM;
	}
	if (!rc) {
		const enum sd_output_there there =
			sd_output_file_look(*out, SD_OUTPUT_SAMPLES, &st);

		rc = sd_output_file_refuse(*out, SD_OUTPUT_SAMPLES, there, t->sink);
		if (there == SD_OUTPUT_OURS)
			unlink(*out);
	}
	if (rc) {
		free(*out);
		*out = NULL;
	}
	free(folder);
	return rc;
}
