/*
 * The commands. Each says what is wrong, and returns the exit status.
 */
#ifndef SD_COMMANDS_H
#define SD_COMMANDS_H

#include "context/context.h"

enum sd_exit sd_cmd_run(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_calibrate(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_report(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_events(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_doctor(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_compare(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_check(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_lines(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_learn(const struct sd_cli *cli, int argc, char **argv);
enum sd_exit sd_cmd_import(const struct sd_cli *cli, int argc, char **argv);

#endif
