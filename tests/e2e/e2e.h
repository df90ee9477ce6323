/*
 * For the end-to-end tests: running scalediag as a user does, in a folder of its own, and reading
 * its JSON.
 */
#ifndef E2E_H
#define E2E_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <cmocka.h>
#include <jansson.h>

/* State of one test: a fresh folder, which is the working folder of what it runs. */
struct e2e {
	char folder[256];
	char programs[4096];  /* folder of the programs under test */
	char scalediag[4096]; /* the executable under test */
	json_t *report;       /* the last one read; owned: a skipped test does not return */
};

/* cmocka's setup and teardown: *state is a struct e2e; the folder goes with all it holds. */
int e2e_setup(void **state);
int e2e_teardown(void **state);

/* "folder/name"; static storage, a few at a time. */
const char *e2e_path(const struct e2e *e, const char *name);
const char *e2e_program(const struct e2e *e, const char *name);

struct e2e_result {
	int status; /* exit status, or 128 + the signal */
	char *out, *err;
	size_t n_out, n_err;
};

/* A run that is still going on. */
struct e2e_job {
	pid_t pid;
	int out, err;
};

/* Called in the child between fork and exec; not 0 = exit with 125. */
typedef int e2e_hook(void *ctx);

/*
 * Starts scalediag with these arguments (NULL-terminated). Its standard input is empty, its locale
 * C.UTF-8.
 */
void e2e_start(
	struct e2e *e, struct e2e_job *job, e2e_hook *hook, void *ctx, const char *const *args);

/* Waits until it catches this signal; fails the test when it never does. */
void e2e_await_handler(const struct e2e_job *job, int signal);

/* Sends a signal to the processes that it has started itself. */
void e2e_signal_children(pid_t pid, int signal);

/* Reads both outputs to their end and waits; kills it, and fails the test, after `seconds`. */
void e2e_wait(struct e2e_job *job, struct e2e_result *r, double seconds);
void e2e_result_free(struct e2e_result *r);

/* Both at once, with 120 s, and 600 in an instrumented build. */
#define e2e_run(e, r, ...) e2e_run_hooked(e, r, NULL, NULL, __VA_ARGS__)
#define e2e_run_hooked(e, r, hook, ctx, ...) \
	e2e_run_args(e, r, hook, ctx, (const char *const[]){__VA_ARGS__, NULL})
void e2e_run_args(
	struct e2e *e, struct e2e_result *r, e2e_hook *hook, void *ctx, const char *const *args);

/* Fails the test with both outputs shown when the status is another one. */
void e2e_expect_status(const struct e2e_result *r, int status);

/* The standard error is one line, and has `text` in it. */
void e2e_expect_error(const struct e2e_result *r, const char *text);

/* ---- the report as JSON ---------------------------------------------------------------------- */

/*
 * The standard output as JSON, checked against what holds in every report. It lives until the next
 * one, or the end of the test.
 */
const json_t *e2e_report(struct e2e *e, const struct e2e_result *r);

/* Checks what must hold in every report: see the .c for the list. */
void e2e_check_report(const json_t *report);

const json_t *e2e_point(const json_t *report, unsigned cores);                /* never NULL */
double e2e_component(const json_t *report, unsigned cores, const char *name); /* cores; 0 if none */
const char *e2e_verdict(const json_t *report, const char *cause);

/* The component other than useful work that costs most, and by what factor it exceeds the next. */
const char *e2e_largest_loss(const json_t *report, unsigned cores, double *factor);

/* Shows points and warnings of a report on stderr: what a failed relation looked like. */
void e2e_show(const json_t *report);

/* ---- the machine ----------------------------------------------------------------------------- */

/* Skips the test when this process may use fewer than two CPUs. */
void e2e_need_two_cpus(const char *test);
/* Or when two of its threads that lock the bus are as fast as one alone, or nobody may. */
void e2e_need_split_locks(const struct e2e *e, const char *test);
void e2e_skip(const char *test, const char *why);

/* The process ids in a file, one a line; returns how many. */
size_t e2e_pids(const char *path, pid_t *pid, size_t room);

/* Fails the test when one of these processes is alive (a zombie is not). */
void e2e_expect_gone(const char *path, size_t expected);

/* The same in 20 s: for processes that somebody else ends, who needs a CPU for that. */
void e2e_await_gone(const char *path, size_t expected);

/* The whole file as a string; NULL when it cannot be read. Owned by the caller. */
char *e2e_read(const char *path, size_t *n);
void e2e_write(const char *path, const char *text);
/* A new file of that mode with the bytes of another. */
void e2e_copy(const char *from, const char *to, mode_t mode);

/* How many runs the record at `path` holds; -1 when there is no whole record. */
long e2e_runs_in(const char *path);
/* Has a run of a record the flag; and the number of a metric, whatever its quality; 0 where it has
 * none. */
int e2e_has_flag(const json_t *run, const char *name);
double e2e_metric(const json_t *run, const char *name);

void e2e_nap(long ms);

/* This build, and the program under test with it, is instrumented. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define E2E_SANITIZED 1
#else
#define E2E_SANITIZED 0
#endif

/* A test with a folder of its own. */
#define E2E_TEST(f) cmocka_unit_test_setup_teardown(f, e2e_setup, e2e_teardown)

#endif
