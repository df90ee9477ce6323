#include "case/finding.h"

struct sd_interval sd_finding_worth(struct sd_interval share)
{
	if (share.low < 0 || share.high >= 1)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	return (struct sd_interval){
		1 / (1 - share.value), 1 / (1 - share.low), 1 / (1 - share.high), share.status};
}
