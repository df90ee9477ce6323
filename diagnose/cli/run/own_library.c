#include "run/own_library.h"

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "base/sink.h"
#include "launch/mpi_launcher.h"
#include "launch/preload.h"
#include "launch/program_path.h"

char *sd_own_library_find(const char *name)
{
	static const char *const places[] = {"", "../lib/scalediag/"};
	char self[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n <= 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
		char *path = NULL, *real = NULL;

		if (asprintf(&path, "%.*s/%s%s", (int)(slash - self), self, places[i], name) >= 0)
			real = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
		free(path);
		if (real) {
			/* open for good: any later run may preload it */
			int fd;
			char *const loadable = sd_preload_name(real, &fd);

			free(real);
			return loadable;
		}
	}
	return NULL;
}

char *sd_own_library_for_ranks(const struct sd_record *record, const struct sd_sink *sink)
{
	char *found;

	if (!record->plan.point[0].shape.ranks && !sd_mpi_launcher_is(record->program.argv.text[0]))
		return NULL;
	found = sd_own_library_find("scalediag-mpi.so");
	if (!found)
		sd_say(sink, SD_LEVEL_WARNING,
			"scalediag-mpi.so was not found beside scalediag or in its library folder: what "
			"MPI ranks wait for is not divided");
	return found;
}

/* ---- OpenMP ---------------------------------------------------------------------------------- */

static int needs(Elf *elf, Elf_Scn *dynamic, const char *library)
{
	GElf_Shdr header;
	Elf_Data *const data = elf_getdata(dynamic, NULL);
	GElf_Dyn entry;

	if (!data || !gelf_getshdr(dynamic, &header) || !header.sh_entsize)
		return 0;
	for (int i = 0; gelf_getdyn(data, i, &entry); i++) {
		const char *const name =
			entry.d_tag == DT_NEEDED
				? elf_strptr(elf, header.sh_link, (size_t)entry.d_un.d_val)
				: NULL;

		if (name && strncmp(name, library, strlen(library)) == 0)
			return 1;
	}
	return 0;
}

/* Is the file a program that is linked with that library? */
static int file_needs(const char *path, const char *library)
{
	const int fd = sd_regular_file_open(path, 0, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;
	int found = 0;

	if (fd < 0)
		return 0;
	elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	while (elf && !found && (section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			found = needs(elf, section, library);
	elf_end(elf);
	close(fd);
	return found;
}

/* The file that a word of the command names, if it names one; NULL. */
static char *file_of(const struct sd_program *p, size_t word)
{
	const struct sd_sink silent = {0};
	char *path = NULL;

	/* the others are files, if they are, where the program runs */
	if (word == 0)
		return sd_program_path_find(p->argv.text[0], p->cwd, environ, &path, &silent)
			       ? NULL
			       : path;
	if (asprintf(&path, "%s%s%s", *p->argv.text[word] == '/' || !p->cwd ? "" : p->cwd,
		    *p->argv.text[word] == '/' || !p->cwd ? "" : "/", p->argv.text[word]) < 0)
		return NULL;
	return path;
}

static int word_needs(const struct sd_program *p, size_t word, const char *library)
{
	char *const path = file_of(p, word);
	const int found = path && file_needs(path, library);

	free(path);
	return found;
}

char *sd_own_library_for_openmp(const struct sd_record *record, const struct sd_sink *sink)
{
	const struct sd_program *const p = &record->program;
	char *found = NULL;

	for (size_t i = 0; i < p->argv.n && !p->no_omp_tool && !found; i++) {
		if (!word_needs(p, i, "libgomp.so") && !word_needs(p, i, "libomp.so") &&
			!word_needs(p, i, "libiomp5.so"))
			continue;
		found = sd_own_library_find("scalediag-omp.so");
		if (found)
			continue;
		sd_say(sink, SD_LEVEL_WARNING,
			"scalediag-omp.so was not found beside scalediag or in its library folder: "
			"there is no table of the OpenMP regions");
		break;
	}
	return found;
}

/* ---- markers of other tools ------------------------------------------------------------------ */

#define MOST_BYTES ((size_t)1 << 30)

/* Is it a program or library that has one of the names anywhere? */
static int file_has(const char *path, const char *const *name, size_t n)
{
	const int fd = sd_regular_file_open(path, 0, NULL);
	char magic[SELFMAG] = "";
	unsigned char *bytes = NULL;
	size_t size = 0;
	int found = 0;

	if (fd < 0)
		return 0;
	/* most words name data, which may be large */
	if (sd_regular_file_bytes(fd, magic, SELFMAG, 0) == SELFMAG &&
		memcmp(magic, ELFMAG, SELFMAG) == 0)
		bytes = sd_regular_file_read(fd, MOST_BYTES, &size);
	close(fd);
	for (size_t i = 0; bytes && i < n && !found; i++)
		found = memmem(bytes, size, name[i], strlen(name[i]) + 1) != NULL;
	free(bytes);
	return found;
}

char *sd_own_library_for_markers(const struct sd_record *record)
{
	static const char *const names[] = {"likwid_markerStartRegion", "cali_begin_region",
		"cali_begin_phase", "cali_begin_string", "_ZN4cali8FunctionC1EPKc",
		"_ZN4cali15ScopeAnnotationC1EPKc", "_ZN4cali4LoopC1EPKc",
		"_ZN4cali10AnnotationC1EPKci", "INTEL_LIBITTNOTIFY64", "MPI_Pcontrol",
		"mpi_pcontrol_", "_coz_get_counter", "KOKKOS_TOOLS_LIBS", "omp_control_tool"};
	const struct sd_program *const p = &record->program;

	for (size_t i = 0; i < p->argv.n; i++) {
		char *const path = file_of(p, i);
		const int found = path && file_has(path, names, sizeof names / sizeof *names);

		free(path);
		if (found)
			return sd_own_library_find("scalediag-markers.so");
	}
	return NULL;
}

/* ---- the heap -------------------------------------------------------------------------------- */

char *sd_own_library_for_heap(const struct sd_record *record, const char **why)
{
	/* a sanitizer's runtime ends a program that another library comes before */
	static const char *const alone[] = {
		"libasan.so", "libtsan.so", "liblsan.so", "libhwasan.so"};
	const struct sd_program *const p = &record->program;
	char *const path = file_of(p, 0), *library = NULL;

	*why = path ? sd_preload_refused(path) : "the program's file is not found";
	if (record->plan.point[0].shape.ranks || sd_mpi_launcher_is(p->argv.text[0]))
		*why = "it is a program of ranks";
	for (size_t i = 0; i < sizeof alone / sizeof *alone && !*why; i++)
		*why = word_needs(p, 0, alone[i]) ? "the program is built with a sanitizer" : NULL;
	free(path);
	if (!*why && !(library = sd_own_library_find("scalediag-heap.so")))
		*why = "scalediag-heap.so is missing";
	return library;
}
