#include "attribute/path_ids.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The first thread reaches a region's code by another path than the team it starts, so frames
 * outside the runtime's are not part of the path. */
static int starts_regions(const struct sd_stacks *s, unsigned module)
{
	static const char *const pattern[] = {"libgomp*", "libomp*", "libiomp*", "libtbb*"};
	const char *const path = module < s->n_text && s->text[module] ? s->text[module] : "";
	const char *const slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
		if (fnmatch(pattern[i], slash ? slash + 1 : path, 0) == 0)
			return 1;
	return 0;
}

uint64_t sd_path_ids_step(uint64_t up, uint64_t a, uint64_t b)
{
	/* FNV-1a over the caller's path and the callee */
	return ((up * UINT64_C(0x100000001b3) ^ (a + 2)) * UINT64_C(0x100000001b3) ^ b) *
	       UINT64_C(0x9e3779b97f4a7c15);
}

int sd_path_ids(const struct sd_stacks *s, uint64_t **path)
{
	const size_t n = s ? s->n_node : 0;

	*path = calloc(n + 1, sizeof **path);
	if (!*path)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++) {
		const struct sd_node *const node = &s->node[i];
		const uint64_t up = node->parent < i ? (*path)[node->parent] : 0;

		(*path)[i] = starts_regions(s, s->frame[node->frame].module)
				     ? 1
				     : sd_path_ids_step(up, node->frame, 0);
	}
	return 0;
}
