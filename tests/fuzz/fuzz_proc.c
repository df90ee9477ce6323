/* The parsers of /proc text: the first byte chooses one, the rest is the file. */
#include <stdlib.h>
#include <string.h>

#include "proc/proc_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_map(char *text)
{
	struct sd_proc_map map;

	if (!sd_proc_parse_map(text, &map) &&
		(map.start > map.end || strlen(map.perms) < 4 || map.name < text ||
			map.name > text + strlen(text)))
		abort();
}

static void parse(unsigned which, char *in)
{
	struct sd_proc_syscall call;
	struct sd_proc_sched sched;
	struct sd_proc_stat stat;
	struct sd_proc_cpu cpu;
	const char *text = in;
	char buf[16];
	uint64_t v;

	switch (which % 8) {
	case 0:
		if (!sd_proc_parse_stat(text, &stat) && strlen(stat.comm) >= sizeof stat.comm)
			abort();
		break;
	case 1:
		sd_proc_parse_schedstat(text, &sched);
		break;
	case 2:
		sd_proc_parse_syscall(text, &call);
		break;
	case 3:
		while (sd_proc_parse_next_pid(&text) > 0)
			;
		break;
	case 4:
		sd_proc_parse_key(text, "Cpus_allowed_list:", buf, sizeof buf);
		sd_proc_parse_flat(text, "nr_periods", &v);
		break;
	case 5:
		sd_proc_parse_pressure(text, &v);
		break;
	case 7:
		parse_map(in);
		break;
	default:
		sd_proc_parse_cpu(text, 1, &cpu);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size == 0)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	parse(data[0], text);
	free(text);
	return 0;
}
