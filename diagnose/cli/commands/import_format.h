/*
 * Formats of the files of `scalediag import`, by the names of --from.
 */
#ifndef SD_IMPORT_FORMAT_H
#define SD_IMPORT_FORMAT_H

#include "import/import.h"

/* Is a file of one core count, which its name says, or a word before it as 8=FILE? */
enum sd_import_counted { SD_IMPORT_UNCOUNTED, SD_IMPORT_MAY_COUNT, SD_IMPORT_COUNTED };

struct sd_import_format {
	const char *name;
	enum sd_import_counted counted;
	/* `cores`: of the file, 0 not known; `app`: one of several programs, or NULL. As import.h.
	 */
	int (*read)(struct sd_import *im, const struct sd_import_text *t, unsigned cores,
		const char *app);
};

/* Static; NULL: there is none of that name. */
const struct sd_import_format *sd_import_format_find(const char *name);

#endif
