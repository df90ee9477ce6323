/*
 * Memory that processes map, by a made-up /proc: what is kept, and what it is called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "native/data_maps.h"
#include "native/shared_lines.h"

static void write_file(const char *root, int pid, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/proc/%d/%s", root, pid, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make_process(const char *root, int pid, const char *children, const char *maps)
{
	char path[512], name[64];
	const char *const dir[] = {"", "/task", NULL};

	snprintf(path, sizeof path, "%s/proc", root);
	(void)mkdir(path, 0700);
	for (int i = 0; dir[i]; i++) {
		snprintf(path, sizeof path, "%s/proc/%d%s", root, pid, dir[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof path, "%s/proc/%d/task/%d", root, pid, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(name, sizeof name, "task/%d/children", pid);
	write_file(root, pid, name, children);
	write_file(root, pid, "statm", "100 1 1 1 0 1 0");
	write_file(root, pid, "maps", maps);
}

static void check_name(const struct sd_data_maps *m, int pid, uint64_t address, const char *want)
{
	const struct sd_data_map *const map = sd_data_maps_at(m, pid, address);
	char name[128] = "none";

	if (map)
		sd_data_maps_name(map, address, name, sizeof name);
	assert_string_equal(name, want);
}

#define PARENT                                                         \
	"00400000-00401000 r-xp 00000000 08:01 9 /bin/a\n"             \
	"00500000-00521000 rw-p 00000000 00:00 0 [heap]\n"             \
	"7f0000000000-7f0004000000 rw-p 00000000 00:00 0 \n"           \
	"7f1000000000-7f1000002000 rw-s 00001000 00:17 5 /dev/shm/t\n" \
	"7f2000000000-7f2000001000 r--p 00000000 08:01 7 /lib/b\n"     \
	"7f3000000000-7f3000008000 rwxp 00000000 00:00 0 \n"           \
	"nonsense\n"
#define CHILD "7f5000000000-7f5000003000 r--s 00000000 00:17 5 /dev/shm/t\n"

static void what_processes_write_or_share_has_names(void **state)
{
	char root[] = "/tmp/sd_data_maps_XXXXXX", command[128];
	struct sd_data_maps m = {.n = 0};
	struct sd_code_copies code = {.n = 0};
	struct sd_shared_lines s = {.n = 0};
	uint64_t space = 1, at = 0x7f1000000040, other = 2, there = 0x7f5000001040;

	(void)state;
	assert_non_null(mkdtemp(root));
	make_process(root, 10, "11 ", PARENT);
	make_process(root, 11, "", CHILD);
	assert_int_equal(sd_data_maps_look(&m, &code, root, 10), 0);
	assert_int_equal(m.n, 7);
	check_name(&m, 10, 0x500040, "[heap]+0x40");
	check_name(&m, 10, 0x7f0000000080, "anonymous memory of 64 MiB+0x80");
	check_name(&m, 10, 0x7f1000000040, "/dev/shm/t+0x1040");
	check_name(&m, 10, 0x400010, "none");
	check_name(&m, 10, 0x7f2000000000, "none");
	check_name(&m, 11, 0x500040, "none");
	/* code and constants of files nobody writes; of what is not known anybody may, and what is
	 * shared other processes */
	assert_false(sd_data_maps_may_write(&m, 10, 0x400010));
	assert_false(sd_data_maps_may_write(&m, 10, 0x7f2000000000));
	assert_true(sd_data_maps_may_write(&m, 10, 0x500040));
	assert_true(sd_data_maps_may_write(&m, 10, 0x600000));
	assert_true(sd_data_maps_may_write(&m, 11, 0x7f5000001040));
	/* executable, and of no file */
	assert_int_equal(code.n_range, 1);
	assert_true(code.range[0].pid == 10 && code.range[0].from == 0x7f3000000000);

	/* one byte of the file, by two processes */
	assert_int_equal(sd_shared_lines_make(&s, &m), 0);
	sd_shared_lines_place(&s, 10, &space, &at);
	sd_shared_lines_place(&s, 11, &other, &there);
	assert_int_equal(at, 0x1040);
	assert_int_equal(there, 0x1040);
	assert_true(space == other && space != 1);
	assert_non_null(sd_shared_lines_map(&s, space, at));
	assert_null(sd_shared_lines_map(&s, 1, at));
	space = 1;
	at = 0x500040;
	sd_shared_lines_place(&s, 10, &space, &at);
	assert_true(space == 1 && at == 0x500040);
	sd_shared_lines_free(&s);

	/* the same size: not read again; another one: it is, and the heap has grown */
	write_file(root, 10, "maps", "00500000-00600000 rw-p 00000000 00:00 0 [heap]\n");
	assert_int_equal(sd_data_maps_look(&m, &code, root, 10), 0);
	check_name(&m, 10, 0x5f0000, "none");
	write_file(root, 10, "statm", "200 1 1 1 0 1 0");
	assert_int_equal(sd_data_maps_look(&m, &code, root, 10), 0);
	assert_int_equal(m.n, 7);
	check_name(&m, 10, 0x5f0000, "[heap]+0xf0000");
	sd_data_maps_free(&m);
	sd_code_copies_free(&code);
	snprintf(command, sizeof command, "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* This process: a page that is written to where nothing was stays known, one whose code changes
 * does not. */
static void code_of_no_file_is_copied_until_it_changes(void **state)
{
	struct sd_code_copies c = {.n = 0};
	unsigned char *const m = mmap(NULL, 2 * SD_CODE_COPIES_PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t at = (uintptr_t)m;
	unsigned char out[16];

	(void)state;
	assert_true(m != MAP_FAILED);
	memset(m + 4090, 7, 10);
	assert_int_equal(sd_code_copies_note(&c, getpid(), at, at + 2 * SD_CODE_COPIES_PAGE), 0);
	assert_int_equal(sd_code_copies_look(&c), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(sd_code_copies_read(&c, getpid(), at + 4088, out, 16), 16);
	assert_true(out[1] == 0 && out[2] == 7 && out[11] == 7 && out[12] == 0);
	assert_int_equal(sd_code_copies_read(&c, getpid() + 1, at, out, 16), 0);
	assert_int_equal(sd_code_copies_read(&c, getpid(), at + 2 * 4096 - 4, out, 16), 4);
	m[100] = 9;
	assert_int_equal(sd_code_copies_look(&c), 0);
	assert_int_equal(sd_code_copies_read(&c, getpid(), at + 100, out, 1), 1);
	assert_int_equal(out[0], 9);
	m[100] = 8;
	assert_int_equal(sd_code_copies_look(&c), 0);
	assert_int_equal(sd_code_copies_read(&c, getpid(), at + 100, out, 1), 0);
	assert_int_equal(sd_code_copies_read(&c, getpid(), at + 4096, out, 1), 1);
	sd_code_copies_free(&c);
	munmap(m, 2 * SD_CODE_COPIES_PAGE);
}

static void an_event_tells_the_same_again(void **state)
{
	struct sd_data_maps m = {.n = 0}, again = {.n = 0};
	const struct sd_event e = {.kind = SD_EVENT_DATA,
		.pid = 3,
		.address = 0x1000,
		.size = 0x1000,
		.inode = 4,
		.name = "/f",
		.count = 1};
	const struct sd_event constants = {.kind = SD_EVENT_DATA,
		.pid = 3,
		.address = 0x3000,
		.size = 0x1000,
		.offset = 0x2000,
		.inode = 4,
		.name = "/f",
		.count = 2};
	const struct sd_event beyond = {
		.kind = SD_EVENT_DATA, .pid = 3, .address = UINT64_MAX - 8, .size = 64};
	struct sd_event out;

	(void)state;
	assert_int_equal(sd_data_maps_add(&m, &e), 0);
	assert_int_equal(sd_data_maps_add(&m, &e), 0);
	assert_int_equal(sd_data_maps_add(&m, &beyond), 0); /* of a file that is not ours */
	assert_int_equal(m.n, 1);
	out = sd_data_maps_event(&m, 0, 5);
	assert_int_equal(sd_data_maps_add(&again, &out), 0);
	check_name(&again, 3, 0x1010, "/f+0x10");
	assert_int_equal(again.map[0].shared, 1);
	assert_int_equal(sd_data_maps_add(&m, &constants), 0);
	out = sd_data_maps_event(&m, 1, 5);
	assert_int_equal(sd_data_maps_add(&again, &out), 0);
	assert_false(sd_data_maps_may_write(&again, 3, 0x3010));
	assert_true(sd_data_maps_may_write(&again, 3, 0x1010));
	sd_data_maps_free(&m);
	sd_data_maps_free(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_processes_write_or_share_has_names),
		cmocka_unit_test(code_of_no_file_is_copied_until_it_changes),
		cmocka_unit_test(an_event_tells_the_same_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
