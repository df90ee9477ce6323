#include "native/watch_status.h"

#include <stdio.h>

#define UNNAMED .1 /* of the samples, from which on it is said */

void sd_watch_status_say(const struct sd_native_watch *w, struct sd_native_lines *out)
{
	out->line_bytes = SD_TOUCH_LINE;
	out->status = SD_STATUS_OK;
	if (sd_operand_machine_here() == SD_OPERAND_NONE) {
		out->status = SD_STATUS_UNSUPPORTED;
		snprintf(out->why, sizeof out->why,
			"the instructions of this machine are not decoded");
	} else if (w->bare && !w->touches.n_sample) {
		out->status = SD_STATUS_DENIED;
		snprintf(out->why, sizeof out->why,
			"the kernel gave no user registers with its samples");
	} else if (w->narrow) {
		out->status = w->narrow < w->touches.seen ? SD_STATUS_OK : SD_STATUS_UNSUPPORTED;
		snprintf(out->why, sizeof out->why,
			"%.0f %% of the samples are of 32-bit code, which is not decoded",
			100 * (double)w->narrow / (double)w->touches.seen);
	} else if ((double)w->unnamed > UNNAMED * (double)w->touches.seen) {
		snprintf(out->why, sizeof out->why,
			"%.0f %% of the samples are of JIT code that no perf map names, so that little of "
			"it is sure (java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit)",
			100 * (double)w->unnamed / (double)w->touches.seen);
	} else if (w->unread >= w->touches.seen / 1000 + 1) {
		snprintf(out->why, sizeof out->why,
			"%.1f %% of the samples are of code that cannot be read: its file was "
			"replaced or is gone, or it was in no file",
			100 * (double)w->unread / (double)w->touches.seen);
	}
}
