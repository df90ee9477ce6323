#include "probe/program_build.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbols/debug_file.h"

#define UNITS_MOST 1000 /* of assembly, before it is given up */
#define TEXT_MOST 600   /* bytes: with all its options GCC's is about 150 */

/* The producer of the first unit that is no assembly; NULL: none. Borrowed. */
static const char *producer_of(Dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	size_t header;

	for (unsigned i = 0;
		i < UNITS_MOST && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
		i++, at = next) {
		Dwarf_Attribute attribute;
		const char *text;
		Dwarf_Die die;

		if (!dwarf_offdie(dwarf, at + header, &die))
			continue;
		text = dwarf_formstring(dwarf_attr(&die, DW_AT_producer, &attribute));
		if (text && *text && strncmp(text, "GNU AS ", 7) != 0)
			return text;
	}
	return NULL;
}

static char *clean_copy(const char *text)
{
	char *const copy = strndup(text, TEXT_MOST);

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return copy;
}

/* Reads what `from`, the file or its debug file, says. 0, also where it says nothing, or -ENOMEM.
 */
static int read_build(const struct sd_elf_file *from, const struct sd_debug_tree *in,
	const char *path, char **out)
{
	struct sd_elf_file alt = {0};
	Dwarf *shared = NULL;
	Dwarf *const dwarf = from->elf ? sd_debug_file_dwarf(from, in, path, &alt, &shared) : NULL;
	const char *const text = dwarf ? producer_of(dwarf) : NULL;

	if (text)
		*out = clean_copy(text);
	dwarf_end(dwarf);
	dwarf_end(shared);
	sd_elf_file_close(&alt);
	return text && !*out ? -ENOMEM : 0;
}

int sd_program_build_read(const char *path, char **out)
{
	struct sd_elf_file file = {0}, debug = {0};
	struct sd_target_view ours;
	struct stat st;
	const struct sd_debug_tree in = {.view = &ours, .prefix = "", .author = &st};
	const int fd = sd_elf_file_descriptor(path);
	int rc = 0;

	*out = NULL;
	if (fd < 0)
		return 0;
	sd_target_view_ours(&ours);
	if (fstat(fd, &st) < 0)
		st = (struct stat){0};
	if (sd_elf_file_open(&file, fd) == 0) {
		rc = read_build(&file, &in, path, out);
		if (!rc && !*out && sd_debug_file_open(&debug, &file, &in, path) == 0)
			rc = read_build(&debug, &in, path, out);
	}
	sd_elf_file_close(&debug);
	sd_elf_file_close(&file);
	return rc;
}

int sd_program_build_is_plain(const char *build)
{
	/* GCC's has its options behind its version; the last level wins, and none is -O0 */
	const char *level = NULL;

	if (strncmp(build, "GNU ", 4) != 0 || !strstr(build, " -m"))
		return 0;
	for (const char *o = strstr(build, " -O"); o; o = strstr(o + 1, " -O"))
		level = o + 3;
	return !level || (*level == '0' && (level[1] == ' ' || !level[1]));
}
