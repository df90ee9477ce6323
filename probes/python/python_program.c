#include "python/python_program.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc/proc_parse.h"
#include "target/target_view.h"

int sd_python_program_read(int pid, uint64_t address, void *to, size_t size)
{
	struct iovec here = {.iov_base = to, .iov_len = size};
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process */
	struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

#define TABLE_MOST (16u << 20) /* bytes; 60 KiB in CPython 3.11 */

enum symbol { RUNTIME, CODE, TEXT, BYTES, VERSION, SYMBOLS };

/* Is it no larger than a table of any CPython? Who made the file chose how large it is. */
static int is_table(Elf_Scn *section)
{
	GElf_Shdr header;

	return gelf_getshdr(section, &header) && header.sh_size <= TABLE_MOST;
}

/* The addresses of what it exports, in its file. Not mapped and not copied: the file may be large,
 * or be truncated meanwhile. */
static int read_symbols(Elf *elf, uint64_t value[SYMBOLS])
{
	static const char *const name[SYMBOLS] = {
		"_PyRuntime", "PyCode_Type", "PyUnicode_Type", "PyBytes_Type", "Py_Version"};
	Elf_Scn *section = NULL;
	unsigned found = 0;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		GElf_Sym symbol;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM ||
			!is_table(section) || !is_table(elf_getscn(elf, header.sh_link)) ||
			!(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *const text = elf_strptr(elf, header.sh_link, symbol.st_name);

			for (int k = 0; text && k < SYMBOLS; k++)
				if (symbol.st_value && strcmp(text, name[k]) == 0) {
					value[k] = symbol.st_value;
					found |= 1u << k;
				}
		}
	}
	return found + 1 == 1u << SYMBOLS ? 0 : -ENOENT;
}

/* How far from the addresses in its file it is loaded: byte `offset` of it is at `start`. */
static int find_bias(Elf *elf, uint64_t start, uint64_t offset, uint64_t *bias)
{
	GElf_Phdr p;

	for (int i = 0; gelf_getphdr(elf, i, &p); i++)
		if (p.p_type == PT_LOAD && offset >= (p.p_offset & ~UINT64_C(4095)) &&
			offset < p.p_offset + p.p_filesz) {
			*bias = start - (p.p_vaddr - p.p_offset + offset);
			return 0;
		}
	return -ENOENT;
}

static int read_file(int fd, uint64_t start, uint64_t offset, uint64_t value[SYMBOLS])
{
	Elf *const elf =
		elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	uint64_t bias;
	int rc = -ENOENT;

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64)
		rc = find_bias(elf, start, offset, &bias);
	if (!rc)
		rc = read_symbols(elf, value);
	for (int k = 0; !rc && k < SYMBOLS; k++)
		value[k] += bias;
	elf_end(elf);
	return rc;
}

/* The version is a word of the program: 0x030b02f0 for 3.11.2. */
static int take_version(int pid, const struct sd_python_layouts *layouts,
	const uint64_t value[SYMBOLS], struct sd_python_program *out)
{
	uint64_t version;

	if (!sd_python_program_read(pid, value[VERSION], &version, sizeof version))
		return -EFAULT;
	*out = (struct sd_python_program){
		.layout = sd_python_layouts_find(layouts, (unsigned)(version >> 16)),
		.runtime = value[RUNTIME],
		.code = value[CODE],
		.text = value[TEXT],
		.bytes = value[BYTES]};
	return out->layout ? 0 : -EOPNOTSUPP;
}

/* Could the file of this name hold CPython? */
static int may_hold(const char *path, const char *exe)
{
	static const char library[] = "libpython3";

	return path[0] == '/' && (strcmp(path, exe) == 0 || strncmp(strrchr(path, '/') + 1, library,
								    sizeof library - 1) == 0);
}

static int find(FILE *maps, const char *exe, int pid, uint64_t value[SYMBOLS])
{
	char line[PATH_MAX + 128], before[PATH_MAX + 128] = "";
	struct sd_target_view view;
	struct sd_proc_map map;
	int rc = sd_target_view_of(&view, pid);

	if (rc)
		return rc;
	rc = -ENOENT;
	while (rc && fgets(line, sizeof line, maps)) {
		int fd;

		if (sd_proc_parse_map(line, &map) || !may_hold(map.name, exe) ||
			strcmp(map.name, before) == 0)
			continue;
		strcpy(before, map.name);
		fd = sd_target_view_open(&view, map.name, 0, NULL, NULL);
		if (fd < 0)
			continue;
		rc = read_file(fd, map.start, map.offset, value);
		close(fd);
	}
	sd_target_view_close(&view);
	return rc;
}

int sd_python_program_find(const char *root, int pid, const struct sd_python_layouts *layouts,
	struct sd_python_program *out)
{
	uint64_t value[SYMBOLS] = {0};
	char path[PATH_MAX], exe[PATH_MAX];
	ssize_t n;
	FILE *maps;
	int rc;

	if (snprintf(path, sizeof path, "%s/proc/%d/exe", root, pid) >= (int)sizeof path)
		return -ENAMETOOLONG;
	n = readlink(path, exe, sizeof exe - 1);
	if (n < 0)
		return -errno;
	exe[n] = '\0';
	if (snprintf(path, sizeof path, "%s/proc/%d/maps", root, pid) >= (int)sizeof path)
		return -ENAMETOOLONG;
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	rc = find(maps, exe, pid, value);
	fclose(maps);
	return rc ? rc : take_version(pid, layouts, value, out);
}
