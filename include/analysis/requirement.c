#include "analysis/requirement.h"

const char *const sd_requirement_outcome_name[] = {
	[SD_REQUIREMENT_MET] = "met",
	[SD_REQUIREMENT_VIOLATED] = "violated",
	[SD_REQUIREMENT_UNDECIDED] = "undecided",
};
