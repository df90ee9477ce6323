/*
 * How a node is set up: firmware, kernel and settings that change what it can do. Kept beside its
 * calibration, so that a number that moved can be explained.
 */
#ifndef SD_NODE_FACTS_H
#define SD_NODE_FACTS_H

#include <stddef.h>

/* identifier, name in JSON, label in text */
/* clang-format off */
#define SD_NODE_FACTS(X)                                  \
	X(GOVERNOR, "governor", "frequency governor")     \
	X(TURBO, "turbo", "turbo")                        \
	X(SMT, "smt", "SMT")                              \
	X(NUMA, "numa", "NUMA node numbers")              \
	X(NUMA_BALANCING, "numa-balancing", "NUMA balancing") \
	X(THP, "thp", "transparent huge pages")           \
	X(MEMORY, "memory", "memory")                     \
	X(MODULES, "modules", "memory modules")           \
	X(BIOS, "bios", "BIOS")                           \
	X(MICROCODE, "microcode", "microcode")            \
	X(KERNEL, "kernel", "kernel")                     \
	X(BOOT, "boot", "boot arguments")
/* clang-format on */

enum sd_node_fact {
#define X(id, name, label) SD_NODE_FACT_##id,
	SD_NODE_FACTS(X)
#undef X
		SD_NODE_FACT_COUNT
};

#define SD_NODE_FACT_SIZE 512

/* "" where this node does not tell, or not to this user. No control characters. */
struct sd_node_facts {
	char text[SD_NODE_FACT_COUNT][SD_NODE_FACT_SIZE];
};

extern const char *const sd_node_fact_name[SD_NODE_FACT_COUNT];
extern const char *const sd_node_fact_label[SD_NODE_FACT_COUNT];

/*
 * Reads them under `root` (NULL: this machine). Boot arguments that name the node itself (its root
 * disk, its addresses) are left out, since they differ between nodes that are alike; a longer list
 * than fits is cut.
 */
void sd_node_facts_read(struct sd_node_facts *out, const char *root);

#endif
