#include "hotspots/others_code.h"

#include <string.h>

#include "hotspots/allocator_names.h"
#include "hotspots/function_role.h"

/* Folders in which systems keep libraries, headers and the sources of their runtimes. */
static const char *const system_path[] = {
	"/lib/",
	"/lib32/",
	"/lib64/",
	"/usr/lib/",
	"/usr/lib32/",
	"/usr/lib64/",
	"/usr/libexec/",
	"/usr/include/",
	"/usr/share/",
	"/usr/src/",
	"/usr/local/go/src/",
	"/build/",         /* build folder of a distribution's packages */
	"/usr/src/debug/", /* of another distribution's */
	"/rustc/",         /* of Rust's own library */
	"node:",           /* of Node.js' */
	"./nptl/",         /* of glibc, as built by Debian */
	"./malloc/",
	"./string/",
	"./sysdeps/",
	"../sysdeps/",
	"../nptl/",
	"[kernel",
	"[vdso]",
	"[vsyscall]",
};

/* Folders, below any other, in which package managers keep what others wrote. */
static const char *const package_path[] = {"/.cargo/registry/src/", "/.cargo/git/checkouts/",
	"/go/pkg/mod/", "/node_modules/", "/site-packages/", "/dist-packages/", "/lib/python3."};

int sd_others_code_is(const char *path)
{
	for (size_t i = 0; i < sizeof system_path / sizeof *system_path; i++)
		if (strncmp(path, system_path[i], strlen(system_path[i])) == 0)
			return 1;
	for (size_t i = 0; i < sizeof package_path / sizeof *package_path; i++)
		if (strstr(path, package_path[i]))
			return 1;
	return 0;
}

/* Code that was compiled while the program ran: its name may have its file in it,
 * "JS:*step /srv/app.js:9:1", "py::run:/usr/lib/python3.12/threading.py". */
static int is_named_so(const char *name)
{
	const char *const path = strchr(name, '/');

	if (sd_function_role_is_runtimes(name) || strstr(name, " node:") ||
		strstr(name, ":<frozen "))
		return 1;
	return path && path > name && (path[-1] == ' ' || path[-1] == ':') &&
	       sd_others_code_is(path);
}

/* Libraries of ours, that stand between the program and others'. */
static int is_preloaded(const char *module)
{
	static const char *const ours[] = {"mpi.so", "omp.so", "heap.so", "markers.so", "pad.so"};
	const char *const name = strstr(module, "/scalediag-");

	for (size_t i = 0; name && i < sizeof ours / sizeof *ours; i++)
		if (strcmp(name + strlen("/scalediag-"), ours[i]) == 0)
			return 1;
	return 0;
}

int sd_others_code_holds(const struct sd_stacks *s, const struct sd_frame *f)
{
	const char *const module = sd_stacks_text_at(s, f->module);

	if (strcmp(module, "[jit]") == 0 && is_named_so(sd_stacks_text_at(s, f->function)))
		return 1;
	return sd_others_code_is(module) || sd_others_code_is(sd_stacks_text_at(s, f->file)) ||
	       sd_allocator_names_of("", module) != SD_ALLOCATOR_NONE || is_preloaded(module);
}
