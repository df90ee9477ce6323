/*
 * The checksum at the end of a record: of all bytes before it. Lines of the journal go on with it
 * (record_journal.h), so that what stands behind a head is of that head.
 *
 * The last member of the object, as it is written: ,\n"crc32":"89abcdef"}
 * Written otherwise, as by a tool that formats JSON anew, it says nothing.
 */
#ifndef SD_CHECKSUM_H
#define SD_CHECKSUM_H

#include <inttypes.h>

#define SD_CHECKSUM_TAIL ",\n\"crc32\":\"%08" PRIx32 "\"}"
#define SD_CHECKSUM_BEGIN ",\n\"crc32\":\""
#define SD_CHECKSUM_TAIL_BYTES (sizeof ",\n\"crc32\":\"89abcdef\"}" - 1)

#endif
