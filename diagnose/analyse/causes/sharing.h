/*
 * Statements that false and true sharing have in common: counts say how much both of them cost, and
 * addresses, sampled or simulated, which of the two it is.
 */
#ifndef SD_SHARING_H
#define SD_SHARING_H

#include "causes/cause_row.h"

#define SD_SHARING_OWN SD_BIT(CPI_SHARING)
#define SD_SHARING_COMPONENTS (SD_BIT(GROWTH) | SD_BIT(CPI_OTHER) | SD_SHARING_OWN)
#define SD_SHARING_MECHANISM                                                              \
	(SD_SEES_LOADS | SD_SEES_STORES | SD_SEES_INSIDE_CACHE | SD_SEES_BETWEEN_CACHES | \
		SD_SEES_BETWEEN_SOCKETS | SD_SEES_BETWEEN_THREADS)

/* Do sampled or simulated addresses say which lines move? */
int sd_sharing_has_addresses(const struct sd_case *c);

/* One source each, of either kind; `components`: where its growth is. */
void sd_sharing_counted(struct sd_case *c, struct sd_finding *f);
void sd_sharing_growth(struct sd_case *c, struct sd_finding *f, unsigned long components);
void sd_sharing_simulated(struct sd_case *c, struct sd_finding *f, unsigned long components);

#endif
