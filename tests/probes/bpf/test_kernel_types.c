/* A kernel's description of its types, made up by hand, and cut off anywhere. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/btf.h>

#include "bpf/kernel_types.h"

#define INFO(kind, n) ((uint32_t)(kind) << 24 | (n))

enum { INT = 1, OUTER, NAMELESS, TASK, TASK_AT, FUNCTION, FUNCTION_AT, POINT, TYPES };

/* struct outer { int a; union { int b; struct task_struct *c; }; } and a tracepoint's function of
 * (void *, int, struct task_struct *) */
static const char names[] = "\0int\0outer\0a\0b\0c\0task_struct\0btf_trace_x\0pid";

static uint32_t name(const char *wanted)
{
	for (size_t i = 1; i < sizeof names; i += strlen(names + i) + 1)
		if (strcmp(names + i, wanted) == 0)
			return (uint32_t)i;
	return 0;
}

static size_t make(uint32_t *out)
{
	const uint32_t type[] = {/* int */ name("int"), INFO(BTF_KIND_INT, 0), 4, 32,
		/* outer */ name("outer"), INFO(BTF_KIND_STRUCT, 2), 16, name("a"), INT, 0, 0,
		NAMELESS, 64,
		/* its union */ 0, INFO(BTF_KIND_UNION, 2), 8, name("b"), INT, 0, name("c"),
		TASK_AT, 0,
		/* task_struct */ name("task_struct"), INFO(BTF_KIND_STRUCT, 1), 96, name("pid"),
		INT, 8 * 72,
		/* its address */ 0, INFO(BTF_KIND_PTR, 0), TASK,
		/* the function */ 0, INFO(BTF_KIND_FUNC_PROTO, 3), 0, 0, 0, 0, INT, 0, TASK_AT,
		/* its address */ 0, INFO(BTF_KIND_PTR, 0), FUNCTION,
		/* the point */ name("btf_trace_x"), INFO(BTF_KIND_TYPEDEF, 0), FUNCTION_AT};
	const struct btf_header h = {.magic = BTF_MAGIC,
		.version = 1,
		.hdr_len = sizeof h,
		.type_len = sizeof type,
		.str_off = sizeof type,
		.str_len = sizeof names};

	memcpy(out, &h, sizeof h);
	memcpy((char *)out + sizeof h, type, sizeof type);
	memcpy((char *)out + sizeof h + sizeof type, names, sizeof names);
	return sizeof h + sizeof type + sizeof names;
}

static int open_bytes(struct sd_kernel_types *t, const void *bytes, size_t n)
{
	char path[] = "/tmp/scalediag-types-XXXXXX";
	const int fd = mkstemp(path);
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
	rc = sd_kernel_types_open(t, path);
	unlink(path);
	return rc;
}

static void members_and_parameters_are_found(void **state)
{
	static uint32_t bytes[256];
	struct sd_kernel_types t;
	int is_task[4];
	uint32_t at;

	(void)state;
	assert_int_equal(open_bytes(&t, bytes, make(bytes)), 0);
	assert_int_equal(t.n, TYPES);
	assert_int_equal(sd_kernel_types_find(&t, BTF_KIND_STRUCT, "task_struct"), TASK);
	assert_int_equal(sd_kernel_types_find(&t, BTF_KIND_UNION, "task_struct"), 0);
	assert_int_equal(sd_kernel_types_member(&t, "task_struct", "pid", &at), 0);
	assert_int_equal(at, 72);
	assert_int_equal(sd_kernel_types_member(&t, "outer", "c", &at), 0);
	assert_int_equal(at, 8);
	assert_int_not_equal(sd_kernel_types_member(&t, "outer", "d", &at), 0);
	assert_int_not_equal(sd_kernel_types_member(&t, "nobody", "a", &at), 0);
	assert_int_equal(sd_kernel_types_parameters(&t, POINT, is_task, 4), 2);
	assert_false(is_task[0]);
	assert_true(is_task[1]);
	assert_int_equal(sd_kernel_types_parameters(&t, POINT, is_task, 1), 0);
	assert_int_equal(sd_kernel_types_parameters(&t, INT, is_task, 4), 0);
	sd_kernel_types_close(&t);
}

static void what_is_cut_off_is_none(void **state)
{
	static uint32_t bytes[256];
	const size_t n = make(bytes);
	struct sd_kernel_types t;

	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(open_bytes(&t, bytes, i), -EINVAL);
	assert_int_equal(sd_kernel_types_open(&t, "/proc/no/such/file"), -ENOENT);
}

/* Each number in turn is a large one: whatever is asked then, nothing is read that is not there. */
static void wrong_numbers_lead_nowhere(void **state)
{
	static uint32_t bytes[256];
	struct sd_kernel_types t;
	int is_task[4];
	uint32_t at;

	(void)state;
	for (size_t i = 0; i < make(bytes) / 4; i++) {
		const size_t n = make(bytes);

		bytes[i] = 0x7ffffff0;
		if (open_bytes(&t, bytes, n))
			continue;
		(void)sd_kernel_types_member(&t, "outer", "c", &at);
		(void)sd_kernel_types_member(&t, "task_struct", "pid", &at);
		(void)sd_kernel_types_parameters(&t, POINT, is_task, 4);
		sd_kernel_types_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_parameters_are_found),
		cmocka_unit_test(what_is_cut_off_is_none),
		cmocka_unit_test(wrong_numbers_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
