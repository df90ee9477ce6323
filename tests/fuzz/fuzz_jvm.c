/*
 * Answers of anything that listens at the socket of a Java virtual machine, to the request for its
 * names, and read as a dump of its threads. The first byte says in which pieces the rest comes,
 * each looked at before the next. It did as it was told when the first byte of all is 0, whatever
 * the pieces.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "resolve/jvm_monitors.h"
#include "resolve/jvm_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines that are found are those of a dump. */
static void read_threads(const uint8_t *data, size_t size, size_t piece)
{
	static const char *const method[] = {"int Ids.work(int)", "Ids.work()", "", "run"};
	struct sd_jvm_monitors m = {0};

	for (size_t at = 0; at < size; at += piece)
		sd_jvm_monitors_read(
			&m, (const char *)data + at, size - at < piece ? size - at : piece);
	sd_jvm_monitors_end(&m);
	for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
		struct sd_jvm_waiting w;

		if (sd_jvm_monitors_find(&m, method[i], &w) && (!w.line || !*w.file || !w.dumps))
			abort();
	}
	sd_jvm_monitors_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_jvm_names j = {
		.first = 1, .n = 1, .vm[0] = {.tmp = -1, .state = SD_JVM_NAMES_ASKED}};
	struct sd_jvm *const v = &j.vm[0];
	const size_t piece = size ? 1 + data[0] % 64 * 61u : 1; /* 61: no divisor of what is read */
	int pair[2];

	if (size < 1 || size > 16384) /* what is no more than the socket holds */
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
		abort();
	read_threads(data + 1, size - 1, piece);
	v->socket = pair[0];
	for (size_t at = 1; at < size; at += piece) {
		const size_t n = size - at < piece ? size - at : piece;

		if (write(pair[1], data + at, n) != (ssize_t)n)
			abort();
		sd_jvm_names_look(&j, 1);
		if (v->state != SD_JVM_NAMES_ASKED)
			abort();
	}
	close(pair[1]);
	/* each look reads a bounded part of what is left */
	for (int looks = 0; v->state == SD_JVM_NAMES_ASKED && looks < 8; looks++)
		sd_jvm_names_look(&j, 1);
	if (v->state != (size > 1 && data[1] == '0' ? SD_JVM_NAMES_IDLE : SD_JVM_NAMES_NEVER))
		abort();
	sd_jvm_names_end(&j);
	return 0;
}
