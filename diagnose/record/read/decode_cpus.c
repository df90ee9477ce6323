#include <errno.h>
#include <string.h>

#include "read/decode.h"

int sd_decode_cpus(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_cpulist *out)
{
	const char *list = json_string_value(v);
	/* the parser ends at a newline, as lists of the kernel do; ours have none */
	const int rc = list && strchr(list, '\n') ? -EINVAL : sd_cpulist_parse(list, out);

	if (rc == -EINVAL)
		return sd_json_path_fault(s, at,
			"must be a list of CPUs like \"0-3,8\", is \"%.40s\"",
			list ? list : "no string");
	return rc;
}
