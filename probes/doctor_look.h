/*
 * Looks of the doctor: one function a fact, listed in doctor.c.
 */
#ifndef SD_DOCTOR_LOOK_H
#define SD_DOCTOR_LOOK_H

#include <sys/types.h>

#include "probe/doctor.h"

/* State that all looks share. */
struct sd_doctor_look {
	const struct sd_doctor_source *source;
	const char *root;
	struct sd_doctor *out;
	pid_t child; /* waits; -1: none */
};

/* States a fact: what was found, and how to enable what is missing ("": nothing does). */
void sd_doctor_look_say(struct sd_fact *f, enum sd_status status, const char *enable,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Denied or unsupported, by an -errno. */
enum sd_status sd_doctor_look_status(int error);

/* The looks at counters (doctor_counters.c). */
void sd_doctor_look_pmu(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_counters(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_watchdog(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_system_wide(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_uncore(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_memory(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_native(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_tsc(const struct sd_doctor_look *l, struct sd_fact *f);
void sd_doctor_look_task_clock(const struct sd_doctor_look *l, struct sd_fact *f);

/* BPF programs that record context switches (doctor_switches.c). */
void sd_doctor_look_switches(const struct sd_doctor_look *l, struct sd_fact *f);

#endif
