#include "machine/node_facts.h"

const char *const sd_node_fact_name[SD_NODE_FACT_COUNT] = {
#define X(id, name, label) [SD_NODE_FACT_##id] = name,
	SD_NODE_FACTS(X)
#undef X
};

const char *const sd_node_fact_label[SD_NODE_FACT_COUNT] = {
#define X(id, name, label) [SD_NODE_FACT_##id] = label,
	SD_NODE_FACTS(X)
#undef X
};
