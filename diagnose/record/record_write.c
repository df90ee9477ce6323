#include "record/record_file.h"

#include "write/encode.h"
#include "output/output_file.h"

static int put(FILE *f, const void *record)
{
	return sd_encode(f, record);
}

int sd_record_write(const char *path, const struct sd_record *record, const struct sd_sink *sink)
{
	return sd_output_file_write(path, SD_OUTPUT_RECORD, put, record, sink);
}
