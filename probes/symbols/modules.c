#include "symbols/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/one_more.h"

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *const b = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 1099511628211u; /* FNV-1a */
	return h;
}

static int is_same(const struct sd_module *m, const struct sd_event *e, const char *name)
{
	return !m->is_gone && strcmp(m->path, name) == 0 && m->inode == e->inode &&
	       m->major == e->major && m->minor == e->minor && m->n_build_id == e->n_build_id &&
	       memcmp(m->build_id, e->build_id, e->n_build_id) == 0;
}

static enum sd_module_kind kind_of(const char *name)
{
	if (strcmp(name, "[vdso]") == 0)
		return SD_MODULE_VDSO;
	return name[0] == '/' && name[1] != '/' ? SD_MODULE_FILE : SD_MODULE_ANONYMOUS;
}

/* A fresh one: of a free one's memory and number where there is one. NULL: out of memory. */
static struct sd_module *take_room(struct sd_modules *m, unsigned *number)
{
	struct sd_module *one;

	for (; m->free_from < m->n; m->free_from++) {
		one = m->item[m->free_from];
		if (one->is_free) {
			*one = (struct sd_module){0};
			*number = (unsigned)m->free_from++;
			return one;
		}
	}
	*number = (unsigned)m->n;
	one = calloc(1, sizeof *one);
	if (one && SD_APPEND(m->item, m->n, &one)) {
		free(one);
		return NULL;
	}
	m->free_from = m->n;
	return one;
}

/* 0 or -ENOMEM. */
static int create(
	struct sd_modules *m, const struct sd_event *e, const char *name, unsigned *number)
{
	const char *const path = sd_string_pool_text(m->pool, name, strlen(name));
	struct sd_module *const one = path ? take_room(m, number) : NULL;

	if (!one)
		return -ENOMEM;
	one->kind = kind_of(name);
	one->path = path;
	one->major = e->major;
	one->minor = e->minor;
	one->inode = e->inode;
	one->mapped = e->time;
	one->pid = e->pid;
	one->view = -1;
	one->n_build_id = e->n_build_id;
	memcpy(one->build_id, e->build_id, e->n_build_id);
	return 0;
}

static uint64_t key_of(const char *name, uint64_t inode, const unsigned char *build_id, size_t n)
{
	const uint64_t key = mix(14695981039346656037u, name, strlen(name));

	return mix(mix(key, &inode, sizeof inode), build_id, n);
}

int sd_modules_add(struct sd_modules *m, const struct sd_event *map, unsigned *number)
{
	const char *const name = map->name ? map->name : "";
	struct sd_event e = *map;
	uint64_t key, *slot;

	if (e.n_build_id > sizeof e.build_id)
		e.n_build_id = 0;
	key = key_of(name, e.inode, e.build_id, e.n_build_id);
	/* two modules of one hash: the next key that is free or its */
	for (;; key++) {
		slot = sd_key_table_add(&m->by, 1, key);
		if (!slot)
			return -ENOMEM;
		if (!*slot)
			break;
		*number = (unsigned)*slot - 1;
		if (is_same(m->item[*number], &e, name))
			return 0;
	}
	if (create(m, &e, name, number))
		return -ENOMEM;
	*slot = (uint64_t)*number + 1;
	return 0;
}

/* The file changed after it was mapped: by the clock of events, which starts elsewhere. A time of
 * day that is set meanwhile makes no file newer. */
static int is_newer(const struct stat *st, uint64_t mapped)
{
	const double slack_s = 2; /* wall clocks are adjusted, file times are coarse */

	if (!mapped)
		return 0;
	return (double)st->st_mtim.tv_sec + (double)st->st_mtim.tv_nsec / 1e9 - sd_clock_day() >
	       (double)mapped / 1e9 - sd_clock_s() + slack_s;
}

/* The build-id decides where both are known, else the inode. */
static int is_mapped_one(const struct sd_module *m, const struct stat *st, int is_held)
{
	if (m->n_build_id)
		return sd_elf_file_same(&m->file, m->build_id, m->n_build_id);
	return !m->inode || (st->st_ino == m->inode && (is_held || !is_newer(st, m->mapped)));
}

static int take(struct sd_module *m, int fd, int is_held)
{
	struct stat st;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) != 0) {
		close(fd);
		return -ENOENT;
	}
	if (sd_elf_file_open(&m->file, fd) != 0)
		return -ENOENT;
	if (is_mapped_one(m, &st, is_held)) {
		m->author = st;
		return 0;
	}
	sd_elf_file_close(&m->file);
	return -ENOENT;
}

/* Writes the module's path as seen from here; 0: too long. */
static int path_of(const struct sd_modules *all, const struct sd_module *m, char path[PATH_MAX])
{
	return snprintf(path, PATH_MAX, "%s%s", all->root, m->path) < PATH_MAX;
}

/* Loads the module of a running process by its name there, for a process that was not visited. */
static int load_in_view(const struct sd_modules *all, struct sd_module *m)
{
	struct sd_target_view view;
	int rc;

	if (*all->root || sd_target_view_of(&view, m->pid) != 0)
		return -ENOENT;
	rc = take(m, sd_target_view_open(&view, m->path, 0, NULL, NULL), 0);
	sd_target_view_close(&view);
	return rc;
}

static int load_file(
	const struct sd_modules *all, struct sd_module *m, const struct sd_mapped_files *held)
{
	char path[PATH_MAX];

	if (path_of(all, m, path) && stat(path, &m->found) != 0)
		m->found = (struct stat){0};
	for (size_t i = 0; i < held->n; i++) {
		const struct sd_heldfile *const h = &held->file[i];

		if (m->inode ? h->inode == m->inode && h->major == m->major && h->minor == m->minor
			     : strcmp(h->path, m->path) == 0)
			if (take(m, fcntl(h->fd, F_DUPFD_CLOEXEC, 3), 1) == 0) {
				m->view = h->view;
				return 0;
			}
	}
	/* another file under that name is not even opened */
	if ((!m->inode || m->n_build_id || m->found.st_ino == m->inode) && path_of(all, m, path) &&
		take(m, sd_elf_file_descriptor(path), 0) == 0)
		return 0;
	return load_in_view(all, m);
}

/* The kernel maps the same one into every process: ours is read. */
static int load_vdso(struct sd_module *m)
{
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): an address of ours */
	const ElfW(Ehdr) *const e = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	void *copy;

	if (!e)
		return -ENOENT;
	size = e->e_shoff + (size_t)e->e_shentsize * e->e_shnum;
	copy = malloc(size);
	if (!copy)
		return -ENOENT;
	memcpy(copy, e, size);
	return sd_elf_file_memory(&m->file, copy, size);
}

int sd_module_load(
	const struct sd_modules *all, struct sd_module *m, const struct sd_mapped_files *held)
{
	GElf_Shdr header;

	if (m->loaded)
		return m->file.elf ? 0 : -ENOENT;
	m->loaded = 1;
	if (m->kind == SD_MODULE_FILE)
		(void)load_file(all, m, held);
	else if (m->kind == SD_MODULE_VDSO)
		(void)load_vdso(m);
	if (!m->file.elf)
		return -ENOENT;
	m->cfi.arch = m->file.wide ? sd_frame_arch_of(m->file.machine) : NULL;
	m->cfi.eh = dwarf_getcfi_elf(m->file.elf);
	if (sd_elf_file_section(&m->file, ".debug_frame", 0, &header)) {
		sd_module_functions(all, m);
		m->cfi.debug = m->dwarf ? dwarf_getcfi(m->dwarf) : NULL;
	}
	return 0;
}

/* Symbols of the file itself, else of its debug file, else the packed ones; exported ones where the
 * table is not complete. */
static void read_symbols(struct sd_module *m, struct sd_elf_symbols *f)
{
	long n = sd_elf_symbols_add(f, &m->file, SHT_SYMTAB);

	if (n <= 0)
		n = sd_elf_symbols_add(f, &m->debug, SHT_SYMTAB);
	if (n <= 0) {
		(void)sd_elf_symbols_add(f, &m->packed, SHT_SYMTAB);
		(void)sd_elf_symbols_add(f, &m->file, SHT_DYNSYM);
	}
	sd_elf_symbols_sort(f);
}

void sd_module_functions(const struct sd_modules *all, struct sd_module *m)
{
	const char *const path = m->kind == SD_MODULE_FILE ? m->path : NULL;
	const struct sd_debug_tree in = {
		.view = m->view < 0 ? &all->ours : &all->trees.view[m->view],
		.prefix = all->root,
		.author = &m->author};

	if (m->has_functions || !m->file.elf)
		return;
	m->has_functions = 1;
	(void)sd_debug_file_open(&m->debug, &m->file, &in, path);
	if (!m->debug.elf)
		(void)sd_debug_file_packed(&m->packed, &m->file);
	m->functions.kind = SD_ELF_SYMBOLS_CODE;
	read_symbols(m, &m->functions);
	m->dwarf = sd_debug_file_dwarf(&m->file, &in, path, &m->alt, &m->dwarf_alt);
	if (!m->dwarf && m->debug.elf)
		m->dwarf = sd_debug_file_dwarf(&m->debug, &in, path, &m->alt, &m->dwarf_alt);
	if (m->dwarf)
		(void)sd_dwarf_units_read(&m->units, m->dwarf);
}

void sd_module_objects(const struct sd_modules *all, struct sd_module *m)
{
	if (m->has_objects || !m->file.elf)
		return;
	m->has_objects = 1;
	sd_module_functions(all, m);
	m->objects.kind = SD_ELF_SYMBOLS_DATA;
	read_symbols(m, &m->objects);
}

/* All but what identifies it. */
static void close_module(struct sd_module *m)
{
	sd_elf_symbols_free(&m->functions);
	sd_elf_symbols_free(&m->objects);
	sd_dwarf_units_free(&m->units);
	sd_unwind_rows_close(&m->cfi);
	dwarf_end(m->dwarf);
	dwarf_end(m->dwarf_alt);
	sd_elf_file_close(&m->alt);
	sd_elf_file_close(&m->packed);
	sd_elf_file_close(&m->debug);
	sd_elf_file_close(&m->file);
	m->dwarf = m->dwarf_alt = NULL;
}

/* Its path still leads to what was there when it was loaded, not written to since. */
static int is_unchanged(const struct sd_modules *all, const struct sd_module *m)
{
	const struct stat *const was = &m->found;
	char path[PATH_MAX];
	struct stat now;

	return m->file.elf && was->st_ino && (!m->inode || was->st_ino == m->inode) &&
	       path_of(all, m, path) && stat(path, &now) == 0 && now.st_ino == was->st_ino &&
	       now.st_dev == was->st_dev && now.st_size == was->st_size &&
	       memcmp(&now.st_mtim, &was->st_mtim, sizeof now.st_mtim) == 0 &&
	       memcmp(&now.st_ctim, &was->st_ctim, sizeof now.st_ctim) == 0;
}

void sd_modules_check(struct sd_modules *m)
{
	sd_key_table_free(&m->by);
	m->free_from = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct sd_module *const one = m->item[i];
		uint64_t *slot, key;

		if (one->is_gone)
			continue;
		if (one->kind != SD_MODULE_VDSO && !is_unchanged(m, one)) {
			one->is_free = !one->file.elf;
			close_module(one);
			one->is_gone = 1;
			continue;
		}
		key = key_of(one->path, one->inode, one->build_id, one->n_build_id);
		while ((slot = sd_key_table_add(&m->by, 1, key)) && *slot)
			key++;
		if (slot)
			*slot = i + 1;
	}
}

void sd_modules_free(struct sd_modules *m)
{
	for (size_t i = 0; i < m->n; i++) {
		close_module(m->item[i]);
		free(m->item[i]);
	}
	free(m->item);
	sd_key_table_free(&m->by);
	sd_target_trees_free(&m->trees);
	m->item = NULL;
	m->n = m->free_from = 0;
}
