/*
 * A record whose checksum does not match is read with a warning that begins like this and stands
 * first (record_file.h): a report begins with it.
 */
#ifndef SD_VIEW_DAMAGE_H
#define SD_VIEW_DAMAGE_H

#include <string.h>

#include "record/record.h"

/* The sentence, borrowed; NULL: nothing is known to be damaged. */
static inline const char *sd_view_damage(const struct sd_record *r)
{
	static const char begin[] = "DAMAGED RECORD";

	return r->warnings.n && strncmp(r->warnings.text[0], begin, sizeof begin - 1) == 0
		       ? r->warnings.text[0]
		       : NULL;
}

#endif
