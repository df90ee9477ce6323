/*
 * Texts of a fleet's store from anywhere, each up to a NUL: a node, its kind, its facts and its
 * pairs of CPUs. What is read of them is judged and printed, without a control character for the
 * terminal.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/fleet_report.h"
#include "store/fleet_store.h"
#include "store/store_statements.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sd_fleet_store *store; /* until the end; of one node */
static sqlite3_stmt *change[4];
static char path[64];

static void must(int holds)
{
	if (!holds)
		abort();
}

static void remove_store(void)
{
	for (size_t i = 0; i < 4; i++)
		sqlite3_finalize(change[i]);
	sd_fleet_store_close(store);
	(void)unlink(path);
}

static void make_store(void)
{
	static const char *const sql[4] = {"UPDATE node SET text = ?", "UPDATE kind SET text = ?",
		"UPDATE facts SET text = ?", "UPDATE node SET pairs = ?"};
	static const struct sd_node_facts facts;
	struct sd_fleet_node node = {.host = "n1", .group = "a CPU", .start = 1, .facts = &facts};

	for (size_t i = 0; i < SD_NODE_NUMBERS; i++)
		node.number[i] = (struct sd_interval){2, 1, 3, SD_STATUS_OK};
	snprintf(path, sizeof path, "/dev/shm/fuzz-store-%d", (int)getpid());
	must(sd_fleet_store_open(&store, path, 1, NULL) == 0 && atexit(remove_store) == 0);
	must(sd_fleet_store_add(store, &node) == 0);
	/* one transaction that never ends: nothing is written to a disk */
	must(sd_fleet_store_begin(store) == 0);
	for (size_t i = 0; i < 4; i++)
		must((change[i] = sd_store_prepare(store, sql[i])) != NULL);
}

static void set(sqlite3_stmt *q, const uint8_t *text, size_t size)
{
	sqlite3_reset(q);
	sqlite3_bind_text(q, 1, (const char *)text, (int)size, SQLITE_STATIC);
	must(sd_store_step(store, q) == 0);
	sqlite3_reset(q);
}

static void print(struct sd_fleet *fleet)
{
	struct sd_fleet_findings f = {0};
	char *text = NULL;
	size_t n = 0;
	FILE *const out = open_memstream(&text, &n);

	must(out && sd_fleet_judge(fleet, .05, &f) == 0);
	must(sd_fleet_text(out, fleet, &f, NULL) == 0 && fclose(out) == 0);
	for (size_t i = 0; i < n; i++)
		must(((unsigned char)text[i] >= 0x20 || text[i] == '\n') && text[i] != 0x7f);
	free(text);
	sd_fleet_findings_free(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sd_fleet_selection newest = {0};
	struct sd_fleet fleet = {.n = 0};

	if (!store)
		make_store();
	for (size_t i = 0; i < 4; i++) {
		const uint8_t *const end = size ? memchr(data, 0, size) : NULL;
		const size_t n = end ? (size_t)(end - data) : size;

		set(change[i], size ? data : (const uint8_t *)"", n);
		data += n + (end != NULL);
		size -= n + (end != NULL);
	}
	must(sd_fleet_store_read(store, &newest, &fleet) == 0);
	if (fleet.n)
		print(&fleet);
	sd_fleet_free(&fleet);
	return 0;
}
