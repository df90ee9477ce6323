#include "symbols/kallsyms.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/elf_file.h"

enum { TEXT_MAX = 256 << 20, MODULES_MAX = 1 << 20 };

static char *text_of(const char *root, const char *name, size_t max)
{
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof path, "%s/proc/%s", root, name) >= (int)sizeof path)
		return NULL;
	fd = sd_elf_file_descriptor(path);
	return fd < 0 ? NULL : sd_symbol_text_file(fd, max);
}

/* A kernel without modules has no such file: 0 then and now. */
static uint64_t modules_now(const char *root)
{
	char *const text = text_of(root, "modules", MODULES_MAX);
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	if (!text)
		return 0;
	for (const char *c = text; *c; c++)
		h = (h ^ (unsigned char)*c) * 1099511628211u;
	free(text);
	return h;
}

const struct sd_label *sd_kallsyms_at(struct sd_kallsyms *k, const char *root, uint64_t address)
{
	char *text;

	if (!k->read) {
		k->read = 1;
		k->modules = modules_now(root);
		text = text_of(root, "kallsyms", TEXT_MAX);
		if (text)
			(void)sd_symbol_text_kernel(&k->labels, text);
	}
	return sd_symbol_text_at(&k->labels, address);
}

void sd_kallsyms_check(struct sd_kallsyms *k, const char *root)
{
	if (k->read && modules_now(root) != k->modules)
		sd_kallsyms_free(k);
}

void sd_kallsyms_free(struct sd_kallsyms *k)
{
	sd_symbol_text_free(&k->labels);
	*k = (struct sd_kallsyms){0};
}
