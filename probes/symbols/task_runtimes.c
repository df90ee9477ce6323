#include "symbols/task_runtimes.h"

#include <stdio.h>
#include <unistd.h>

/* Sections that their linkers write, and that stripping leaves. */
static const char *const section[] = {".go.buildinfo"};

int sd_task_runtimes_in(const struct sd_elf_file *f)
{
	GElf_Shdr header;

	for (size_t i = 0; i < sizeof section / sizeof *section; i++)
		if (sd_elf_file_section(f, section[i], 0, &header))
			return 1;
	return 0;
}

int sd_task_runtimes_runs(const char *root, int pid)
{
	struct sd_elf_file f = {0};
	char path[4096];
	int fd, found;

	if (snprintf(path, sizeof path, "%s/proc/%d/exe", root, pid) >= (int)sizeof path ||
		elf_version(EV_CURRENT) == EV_NONE)
		return 0;
	fd = sd_elf_file_descriptor(path);
	if (fd < 0)
		return 0;
	/* not mapped and not copied: it may be large, or be truncated meanwhile */
	f.elf = elf_begin(fd, ELF_C_READ, NULL);
	found = f.elf && elf_kind(f.elf) == ELF_K_ELF && sd_task_runtimes_in(&f);
	elf_end(f.elf);
	close(fd);
	return found;
}
