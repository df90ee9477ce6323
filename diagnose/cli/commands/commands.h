/*
 * The commands. Each reports its errors and returns the exit status.
 */
#ifndef SD_COMMANDS_H
#define SD_COMMANDS_H

#include "context/context.h"

enum sd_exit sd_cmd_run(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_attach(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_calibrate(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_report(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_events(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_doctor(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_compare(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_history(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_fleet(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_check(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_lines(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_fix(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_learn(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_rank_agent(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_mcp(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_help(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_import(const struct sd_cli *cli, int argc, char **argv);

/* Their command lines (context/context.h); those of run, calibrate, attach and fleet stand in
 * options/run_options.h, options/calibrate_options.h, options/attach_options.h and
 * fleet/fleet_options.h. */
extern const struct argp sd_cmd_report_argp, sd_cmd_events_argp, sd_cmd_doctor_argp,
	sd_cmd_compare_argp, sd_cmd_history_argp, sd_cmd_check_argp, sd_cmd_lines_argp,
	sd_cmd_fix_argp, sd_cmd_learn_argp, sd_cmd_import_argp, sd_cmd_help_argp,
	sd_cmd_rank_agent_argp, sd_cmd_mcp_argp;

/* Prints the part of their --help that comes from tables. */
void sd_cmd_report_above(FILE *f, const struct sd_cli *cli);

#endif
