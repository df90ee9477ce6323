#include "preload/mpi_preload.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* As in Open MPI 4 and 5, MPICH and its derivatives, and the standard ABI of MPI 5. */
static const struct sd_mpi_abi known[] = {
	{0, 0, 0x44000000, 0x04000000, -2, -1, -1, 2, 3, 20, 1},
	{1, 1, 0, 0, -1, -1, -2, 0, 1, 24, 0},
	{2, 1, 0x101, 0x100, -1, -2, -3, 0, 1, 32, 0},
};

struct sd_mpi_abi sd_mpi_abi;

/* The library was loaded by the program itself, as interpreters do: it is not in the order that
 * RTLD_NEXT follows. */
static int find_library(struct dl_phdr_info *info, size_t size, void *out)
{
	const char *const slash = strrchr(info->dlpi_name, '/');
	const char *const file = slash ? slash + 1 : info->dlpi_name;

	(void)size;
	if (strncmp(file, "libmpi.so", 9) && strncmp(file, "libmpich.so", 11) &&
		strncmp(file, "libmpi_abi.so", 13))
		return 0;
	*(void **)out = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return *(void **)out != NULL;
}

static void *look_up(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name), *library = NULL;

	if (!found && dl_iterate_phdr(find_library, &library))
		found = dlsym(library, name);
	return found;
}

sd_mpi_next_fn *sd_mpi_next_find(const char *name)
{
	char text[64];
	void *found;
	sd_mpi_next_fn *fn;

	/* MPICH's library of the standard ABI has the PMPI_ names elsewhere */
	snprintf(text, sizeof text, "PMPI_%s", name);
	found = look_up(text);
	if (!found)
		found = look_up(text + 1);
	memcpy(&fn, &found, sizeof fn);
	return fn;
}

/* A program may have the library's data copied into its own: the first in the order is used. */
static unsigned long object(const char *name)
{
	void *const found = dlsym(RTLD_DEFAULT, name);

	return (unsigned long)(found ? found : look_up(name));
}

void sd_mpi_abi_find(void)
{
	void *const version = look_up("MPI_Abi_get_version");
	const unsigned long world = object("ompi_mpi_comm_world");
	int (*get)(int *, int *);
	int major = -1, minor = 0;

	memcpy(&get, &version, sizeof get);
	if (version && get(&major, &minor) == 0 && major >= 1) {
		sd_mpi_abi = known[2];
	} else if (world) {
		sd_mpi_abi = known[1];
		sd_mpi_abi.world = world;
		sd_mpi_abi.null = object("ompi_mpi_comm_null");
	} else {
		sd_mpi_abi = known[0];
	}
}

unsigned long sd_mpi_handle_of(long argument)
{
	return sd_mpi_abi.pointers ? (unsigned long)argument : (unsigned)argument;
}

unsigned long sd_mpi_handle_at(long pointer)
{
	unsigned long word = 0;
	unsigned number = 0;

	if (!pointer)
		return 0;
	if (sd_mpi_abi.pointers)
		memcpy(&word, (const void *)pointer, sizeof word);
	else
		memcpy(&number, (const void *)pointer, sizeof number);
	return sd_mpi_abi.pointers ? word : number;
}
