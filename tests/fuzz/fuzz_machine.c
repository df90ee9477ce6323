/* A machine's file from anywhere: what is taken has whole sets and bounded sizes. */
#include <stdint.h>
#include <stdlib.h>

#include "simulate/machine_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses what it has read of a string that is never closed. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so\n";
}

static void check_level(const struct sd_sim_level *l, unsigned line)
{
	if (l->bytes && (!l->ways || !l->sharers || l->bytes % ((uint64_t)l->ways * line)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_sim_machine m;

	if (sd_machine_parse("fuzz", (const char *)data, size, &m, NULL, NULL) != 0)
		return 0;
	if (!m.line || m.line & (m.line - 1) || !m.page || m.page & (m.page - 1) || !m.l1.bytes ||
		!m.llc.bytes || !m.dtlb_ways || m.dtlb_entries % m.dtlb_ways)
		abort();
	check_level(&m.l1, m.line);
	check_level(&m.l2, m.line);
	check_level(&m.llc, m.line);
	return 0;
}
