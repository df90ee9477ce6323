/*
 * The calls that are under way: each a process of this program, of which what it prints is kept
 * until it ends.
 */
#ifndef SD_MCP_CALLS_H
#define SD_MCP_CALLS_H

#include <jansson.h>
#include <poll.h>
#include <sys/types.h>

#include "mcp/mcp_tools.h"

#define SD_MCP_CALLS 4u
#define SD_MCP_CALLS_PRINTED (8u << 20) /* bytes of one, at most */

struct sd_mcp_printed {
	int fd; /* -1: closed */
	char *text;
	size_t n;
};

struct sd_mcp_call {
	json_t *id; /* owned; NULL: there is none here */
	const struct sd_mcp_tool *tool;
	pid_t pid;
	struct sd_mcp_printed out, err;
	double until, limit_s; /* s of CLOCK_MONOTONIC when it is told to end, and again */
	int told;              /* how often */
	int unwanted;          /* cancelled: nothing is answered */
};

struct sd_mcp_calls {
	struct sd_mcp_call call[SD_MCP_CALLS];
};

/* Runs this program with these words in the folder. NULL; or why not, static. */
const char *sd_mcp_calls_start(struct sd_mcp_calls *c, json_t *id, const struct sd_mcp_tool *t,
	const struct sd_texts *argv, const char *folder, double seconds);

void sd_mcp_calls_cancel(struct sd_mcp_calls *c, const json_t *id);

/* Puts what is to be waited for into p[2 * SD_MCP_CALLS]; how many. */
size_t sd_mcp_calls_wait(const struct sd_mcp_calls *c, struct pollfd *p);

/* Reads what the i-th printed, and ends it if its time is over. The answer, a new reference, once
 * it has ended; else NULL. */
json_t *sd_mcp_calls_step(struct sd_mcp_calls *c, size_t i);

/* Nobody asks any more: what measures is cancelled. How many are under way still. */
size_t sd_mcp_calls_end(struct sd_mcp_calls *c);

/* Ends all that are under way. */
void sd_mcp_calls_close(struct sd_mcp_calls *c);

#endif
