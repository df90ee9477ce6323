#include "base/near_path.h"

#include <string.h>

const char *sd_near_path(const char *file, const char *folder)
{
	size_t n = folder ? strlen(folder) : 0;

	while (n && folder[n - 1] == '/')
		n--;
	while (strncmp(file, "./", 2) == 0)
		file += strspn(file + 1, "/") + 1;
	if (n && strncmp(file, folder, n) == 0 && file[n] == '/' && file[n + strspn(file + n, "/")])
		return file + n + strspn(file + n, "/");
	return file;
}
