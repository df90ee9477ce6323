#include "analysis/requirement.h"

const char *const sd_gate_outcome_name[] = {
	[SD_GATE_MET] = "met",
	[SD_GATE_VIOLATED] = "violated",
	[SD_GATE_UNDECIDED] = "undecided",
};
