/*
 * The command line of `scalediag fleet`.
 */
#ifndef SD_FLEET_OPTIONS_H
#define SD_FLEET_OPTIONS_H

#include "base/sink.h"
#include "options/command_line.h"

enum sd_fleet_action {
	SD_FLEET_CALIBRATE,
	SD_FLEET_REPORT,
	SD_FLEET_CHECK,
	SD_FLEET_COMPARE,
	SD_FLEET_HISTORY,
	SD_FLEET_IMPORT,
	SD_FLEET_EXPORT,
	SD_FLEET_ACTIONS
};

#define SD_FLEET_OPERANDS_MAX 1024

struct sd_fleet_options {
	const struct sd_sink *sink; /* set before parsing */
	int action;                 /* enum sd_fleet_action; -1: none was given */
	const char *operand[SD_FLEET_OPERANDS_MAX];
	size_t n_operand;
	const char *store; /* --db, else from the environment, else the default; never NULL */
	double tolerance;  /* a fraction; < 0: not given */
	const char *html, *node;
	unsigned open_metrics; /* report, check: gauges instead of text */
	int slurm;
	const char *partition, *hosts, *group;
	int engine; /* enum sd_sweep_engine; -1: not given */
	unsigned at_once;
	double timeout; /* s a node */
	int full, again;
	const char *remote; /* scalediag on the nodes; NULL: this one's path */
	enum sd_asked asked;
};

/* 0; -EINVAL after one message. */
int sd_fleet_options_parse(int argc, char **argv, struct sd_fleet_options *a);

extern const struct argp sd_fleet_options_argp;

#endif
