#include "analysis/waste.h"

const struct sd_waste_info sd_waste_info[SD_WASTE_COUNT] = {
#define X(id, name, label) [SD_WASTE_##id] = {name, label},
	SD_WASTES(X)
#undef X
};
