#include "simulate/host_machine.h"

#include "simulate/machine_limits.h"

/* Ways that make whole sets of this size: those known, else 8, else what divides it. */
static unsigned ways_of(uint64_t bytes, unsigned known, unsigned line, int *guessed)
{
	static const unsigned usual[] = {8, 16, 12, 11, 15, 20, 4, 2, 1};

	if (known && known <= SD_MACHINE_MOST_WAYS && bytes % ((uint64_t)known * line) == 0)
		return known;
	*guessed = 1;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (bytes % ((uint64_t)usual[i] * line) == 0)
			return usual[i];
	return 1;
}

static uint64_t bytes_of(struct sd_value v, uint64_t usual, unsigned line, int *guessed)
{
	if (sd_has(v) && v.value >= 1024 && v.value <= (double)(SD_MACHINE_MOST_KIB << 10))
		return (uint64_t)v.value / line * line;
	*guessed = 1;
	return usual;
}

void sd_host_machine(
	const struct sd_topology *t, struct sd_sim_machine *out, const struct sd_sink *sink)
{
	const unsigned cores = t->n_core ? t->n_core : 1, domains = t->n_llc ? t->n_llc : 1;
	const unsigned line = sd_machine_is_power_of_two(t->line_bytes) && t->line_bytes >= 16 &&
					      t->line_bytes <= SD_SIM_LINE
				      ? t->line_bytes
				      : 64;
	int guessed = 0, shared_l2;

	*out = (struct sd_sim_machine){.name = "host", .line = line, .page = 4096};
	out->l1.bytes = bytes_of(t->l1d_bytes, 32 << 10, line, &guessed);
	out->llc.bytes = bytes_of(t->llc_bytes, 8 << 20, line, &guessed);
	/* without an L3 the L2 is the last level */
	shared_l2 = sd_has(t->l2_bytes) && sd_has(t->llc_bytes) &&
		    t->l2_bytes.value >= t->llc_bytes.value;
	if (!shared_l2)
		out->l2.bytes = bytes_of(t->l2_bytes, 1 << 20, line, &guessed);
	if (out->l2.bytes < out->l1.bytes || out->l2.bytes > out->llc.bytes)
		out->l2.bytes = 0;
	if (out->llc.bytes < out->l1.bytes)
		out->llc.bytes = out->l1.bytes;
	out->l1.ways = ways_of(out->l1.bytes, t->l1d_ways, line, &guessed);
	if (out->l2.bytes)
		out->l2.ways = ways_of(out->l2.bytes, t->l2_ways, line, &guessed);
	out->llc.ways = ways_of(out->llc.bytes, t->llc_ways, line, &guessed);
	out->l1.sharers = out->l2.sharers = 1;
	out->llc.sharers = (cores + domains - 1) / domains;
	/* the kernel tells nobody its TLBs: those of most cores since 2015 */
	out->dtlb_entries = 64;
	out->dtlb_ways = 4;
	out->stlb_entries = 1536;
	out->stlb_ways = 12;
	if (guessed)
		sd_say(sink, SD_LEVEL_NOTE,
			"--machine host: some sizes or ways of the caches are not known here; "
			"usual ones are modelled (%llu KiB L1, %llu KiB L2, %llu KiB LLC); name a machine to choose",
			(unsigned long long)out->l1.bytes >> 10,
			(unsigned long long)out->l2.bytes >> 10,
			(unsigned long long)out->llc.bytes >> 10);
}
