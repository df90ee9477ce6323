/*
 * Disk: threads wait for storage.
 */
#include <math.h>

#include "case/stated.h"
#include "causes/cause_row.h"
#include "causes/idle_waits.h"
#include "evidence/evidence_os.h"

/* Waits that no byte and no fault went with are of files that another machine serves, or of
 * something else: none of them is surely the disk's. */
static void state_waits(struct sd_case *c, struct sd_finding *f)
{
	struct sd_statement s = sd_stated_components(c, SD_CAUSE_DISK, "disk-waits", SD_BIT(DISK));

	if (!sd_idle_waits_known(c, f, SD_BIT(DISK)))
		return;
	sd_stated_say(c, f, &s.at_most, "wait for a disk");
	sd_evidence_disk(c, f);
	if (sd_evidence_disk_falsified(c, f)) {
		s.at_least.low = fmin(0, s.at_least.low);
		c->contradicted |= 1ul << SD_CAUSE_DISK;
	}
	sd_stated_keep(c, &s);
}

static sd_cause_row_state *const states[] = {state_waits, NULL};

const struct sd_cause_row sd_cause_row_DISK = {
	.components = SD_BIT(DISK) | SD_BIT(RUN_QUEUE),
	.mechanism = SD_SEES_KERNEL_CODE,
	.state = states,
	.next = "run it with its files in memory (a folder on tmpfs, or read once before): "
		"faster means disk",
	.advice = {"fewer and larger writes, fewer fsync; read ahead"},
};
