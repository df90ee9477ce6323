/*
 * Serves one client on stdin and stdout until it closes stdin.
 */
#ifndef SD_MCP_SERVER_H
#define SD_MCP_SERVER_H

#include "context/context.h"
#include "mcp/mcp_tools.h"

/* SD_EXIT_DONE; SD_EXIT_MEASURE after a message: stdin or stdout failed; SD_EXIT_INTERRUPTED. */
enum sd_exit sd_mcp_server_run(const struct sd_cli *cli, const struct sd_mcp_limits *limits);

#endif
