#include "record/record_file.h"

#include "record/atomic_file.h"
#include "write/encode.h"

static int put(FILE *f, const void *record)
{
	return sd_encode(f, record);
}

int sd_record_write(const char *path, const struct sd_record *record, const struct sd_sink *sink)
{
	return sd_atomic_file_write(path, "record", put, record, sink);
}
