/*
 * Whether a number was measured, and if not, why. Kept beside every value from the probe to the
 * report.
 */
#ifndef SD_STATUS_H
#define SD_STATUS_H

#include <math.h>

/* clang-format off */
/*
 * SD_STATUS_ABSENT is 0 on purpose: a field nobody filled in reads as "not measured", never as the
 * number 0.
 *
 *   absent       nobody measured it: no such file or counter, or the run ended before it was read
 *   ok           measured
 *   unsupported  this kernel, CPU or virtual machine cannot measure it
 *   denied       the kernel could, but not for this user or in this container
 *   multiplexed  counted for part of the time and scaled up by the kernel's own ratio
 *   noisy        measured, but while the machine was disturbed too much for this number
 */
/* clang-format on */
#define SD_STATUSES(X)                \
	X(ABSENT, "absent")           \
	X(OK, "ok")                   \
	X(UNSUPPORTED, "unsupported") \
	X(DENIED, "denied")           \
	X(MULTIPLEXED, "multiplexed") \
	X(NOISY, "noisy")

enum sd_status {
#define X(id, name) SD_STATUS_##id,
	SD_STATUSES(X)
#undef X
		SD_STATUS_COUNT
};

/* A number and its status; `value` means something only for ok, multiplexed and noisy. */
struct sd_value {
	double value;
	enum sd_status status;
};

/*
 * A point estimate with its 95 % interval, low <= value <= high; valid only with status ok or
 * noisy. A single run has an infinitely wide interval (low -INFINITY, high INFINITY), so it never
 * satisfies a bound.
 */
struct sd_interval {
	double value, low, high;
	enum sd_status status;
};

#define SD_OK(v) ((struct sd_value){.value = (v), .status = SD_STATUS_OK})
#define SD_NOT(s) ((struct sd_value){.status = SD_STATUS_##s})

/* True if the value may be used in computations. */
static inline int sd_has(struct sd_value v)
{
	return v.status == SD_STATUS_OK || v.status == SD_STATUS_MULTIPLEXED ||
	       v.status == SD_STATUS_NOISY;
}

/* A value from a single measurement. */
static inline struct sd_interval sd_status_unbounded(double value, enum sd_status status)
{
	return (struct sd_interval){value, -INFINITY, INFINITY, status};
}

static inline int sd_status_measured(struct sd_interval v)
{
	return v.status == SD_STATUS_OK || v.status == SD_STATUS_NOISY;
}

/* Was it measured, and does it have an interval? */
static inline int sd_status_bounded(struct sd_interval v)
{
	return sd_status_measured(v) && isfinite(v.low) && isfinite(v.high);
}

/* The name used in records and reports; never NULL. */
const char *sd_status_name(enum sd_status s);

/* 0 and *out, or -EINVAL for an unknown name. */
int sd_status_parse(const char *name, enum sd_status *out);

#endif
