#include "machine/memory_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "proc/textfile.h"

#define TABLE "/sys/firmware/dmi/tables/DMI"
#define TABLE_MAX ((size_t)1 << 20)
#define CHANNELS_MAX 128u
#define MEMORY_DEVICE 17u /* DSP0134 7.18 */
#define END_OF_TABLE 127u

/* One structure: its formatted part and the texts behind it. */
struct structure {
	const unsigned char *at;
	unsigned length;
	const char *texts, *end;
};

struct channel {
	char name[96];
	uint64_t transfers, bytes_wide;
};

struct channels {
	struct channel channel[CHANNELS_MAX];
	unsigned n;
};

static uint64_t field(const struct structure *s, unsigned at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | (at + i < s->length ? s->at[at + i] : 0);
	return v;
}

/* Text number `index`, which counts from 1. */
static void text(const struct structure *s, unsigned index, char *out, size_t size)
{
	const char *at = s->texts;

	out[0] = '\0';
	for (unsigned i = 1; i < index && at < s->end && *at; i++)
		at += strnlen(at, (size_t)(s->end - at)) + 1;
	if (index > 0 && at < s->end) {
		char raw[64];

		snprintf(raw, sizeof raw, "%.*s", (int)strnlen(at, (size_t)(s->end - at)), at);
		sd_textfile_clean(out, size, raw);
	}
}

/* Behind the texts of the structure at `from`; NULL: there is none. */
static const unsigned char *structure_next(
	const unsigned char *from, const unsigned char *end, struct structure *s)
{
	const unsigned char *at;

	if (end - from < 4 || from[1] < 4 || from[1] > end - from)
		return NULL;
	at = from + from[1];
	*s = (struct structure){from, from[1], (const char *)at, (const char *)at};
	while (end - at >= 2 && (at[0] || at[1]))
		at++;
	if (end - at < 2)
		return NULL;
	s->end = (const char *)at;
	return at + 2;
}

/* 7.18.5: MiB, or KiB with the high bit, or in the extended field. */
static uint64_t module_bytes(const struct structure *s)
{
	const uint64_t size = field(s, 0x0c, 2);

	if (size == 0 || size == 0xffff)
		return 0;
	if (size == 0x7fff)
		return (field(s, 0x1c, 4) & 0x7fffffff) << 20;
	return size & 0x8000 ? (size & 0x7fff) << 10 : size << 20;
}

/* The configured speed, else what the module can do; MT/s, extended where 0xffff. */
static uint64_t module_transfers(const struct structure *s)
{
	uint64_t v = field(s, 0x20, 2);

	if (v == 0xffff)
		v = field(s, 0x58, 4) & 0x7fffffff;
	if (v == 0)
		v = field(s, 0x15, 2);
	if (v == 0xffff)
		v = field(s, 0x54, 4) & 0x7fffffff;
	return v * 1000000;
}

static const char *kind_name(const struct structure *s)
{
	static const struct {
		unsigned type;
		const char *name;
	} kinds[] = {{0x18, "DDR3"}, {0x1a, "DDR4"}, {0x1e, "LPDDR4"}, {0x20, "HBM"},
		{0x21, "HBM2"}, {0x22, "DDR5"}, {0x23, "LPDDR5"}, {0x24, "HBM3"}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].type == field(s, 0x12, 1))
			return kinds[i].name;
	return "";
}

/* "P0 CHANNEL A/DIMM 0" to "P0 CHANNEL A": all up to the channel's own number or letter. */
static int name_channel(const char *locator, char *out, size_t size)
{
	const char *at = strcasestr(locator, "channel");
	size_t n;

	if (at)
		at += strlen("channel");
	else if ((at = strcasestr(locator, "ch")))
		at += strlen("ch");
	if (!at)
		return 0;
	at += strspn(at, " _-");
	n = strcspn(at, " _-/,");
	/* "ChA0" names channel A and slot 0 */
	if (n > 1 && strspn(at, "0123456789") == 0)
		n = 1;
	if (n == 0)
		return 0;
	snprintf(out, size, "%.*s", (int)(at + n - locator), locator);
	return 1;
}

static void add_channel(struct channels *all, const char *name, const struct structure *s)
{
	const uint64_t transfers = module_transfers(s), bytes = field(s, 0x0a, 2) / 8;
	unsigned i = 0;

	while (i < all->n && strcmp(all->channel[i].name, name) != 0)
		i++;
	if (i == CHANNELS_MAX)
		return;
	if (i == all->n) {
		snprintf(all->channel[all->n].name, sizeof all->channel->name, "%s", name);
		all->channel[all->n].transfers = transfers;
		all->channel[all->n++].bytes_wide = bytes;
	} else if (transfers < all->channel[i].transfers) {
		all->channel[i].transfers = transfers;
	}
}

static void add_module(
	const struct structure *s, struct sd_memory_modules *out, struct channels *all)
{
	char locator[64], bank[64], both[140], name[96];
	const uint64_t bytes = module_bytes(s), transfers = module_transfers(s);

	if (bytes == 0 || transfers == 0 || field(s, 0x0a, 2) < 8 || field(s, 0x0a, 2) > 1024)
		return;
	text(s, (unsigned)field(s, 0x10, 1), locator, sizeof locator);
	text(s, (unsigned)field(s, 0x11, 1), bank, sizeof bank);
	snprintf(both, sizeof both, "%s %s", bank, locator);
	if (!name_channel(both, name, sizeof name)) {
		out->channels_named = 0;
		snprintf(name, sizeof name, "module %u", out->modules);
	}
	add_channel(all, name, s);
	out->modules++;
	out->bytes += bytes;
	if (!out->transfers || transfers < out->transfers)
		out->transfers = transfers;
}

void sd_memory_modules_parse(const unsigned char *table, size_t n, struct sd_memory_modules *out)
{
	const unsigned char *at = table, *const end = table + n;
	struct channels all = {.n = 0};
	struct structure s;
	char kind[16] = "";
	double peak = 0;

	*out = (struct sd_memory_modules){.channels_named = 1, .peak = SD_NOT(ABSENT)};
	while ((at = structure_next(at, end, &s)) && s.at[0] != END_OF_TABLE)
		if (s.at[0] == MEMORY_DEVICE && s.length >= 0x17) {
			add_module(&s, out, &all);
			if (out->modules && !kind[0])
				snprintf(kind, sizeof kind, "%s", kind_name(&s));
		}
	if (!out->modules)
		return;
	out->channels = all.n;
	for (unsigned i = 0; i < all.n; i++)
		peak += (double)all.channel[i].transfers * (double)all.channel[i].bytes_wide;
	out->peak = SD_OK(peak);
	snprintf(out->text, sizeof out->text, "%u x %.3g GiB %s at %" PRIu64 " MT/s, %u %s",
		out->modules, (double)out->bytes / out->modules / (1 << 30), kind,
		out->transfers / 1000000, out->channels,
		out->channels_named ? "channels" : "channels at most");
}

void sd_memory_modules_read(struct sd_memory_modules *out, const char *root)
{
	unsigned char *const table = malloc(TABLE_MAX);
	char path[4096];
	size_t n = 0;
	ssize_t got = 0;
	int fd;

	*out = (struct sd_memory_modules){.peak = SD_NOT(ABSENT)};
	snprintf(path, sizeof path, "%s%s", root ? root : "", TABLE);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		out->peak = SD_NOT(DENIED);
	while (table && fd >= 0 && n < TABLE_MAX && (got = read(fd, table + n, TABLE_MAX - n)) > 0)
		n += (size_t)got;
	if (table && fd >= 0 && got >= 0)
		sd_memory_modules_parse(table, n, out);
	if (fd >= 0)
		close(fd);
	free(table);
}
