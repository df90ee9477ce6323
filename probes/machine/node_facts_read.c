#include "machine/node_facts.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "machine/memory_modules.h"
#include "machine/topology.h"
#include "proc/textfile.h"

#define CPU "/sys/devices/system/cpu/"
#define THP "/sys/kernel/mm/transparent_hugepage/"
#define DMI "/sys/class/dmi/id/"

/* Facts that are one short file. */
static const struct {
	enum sd_node_fact fact;
	const char *path;
} files[] = {
	{SD_NODE_FACT_SMT, CPU "smt/control"},
	{SD_NODE_FACT_NUMA, "/sys/devices/system/node/online"},
	{SD_NODE_FACT_KERNEL, "/proc/sys/kernel/osrelease"},
	{SD_NODE_FACT_MICROCODE, CPU "cpu0/microcode/version"},
};

/* Words that a node's boot loader or installer adds for this node alone. */
static const char *const own_words[] = {"BOOT_IMAGE=", "root=", "initrd=", "resume=", "ip=",
	"ifname=", "BOOTIF=", "hostname=", "systemd.machine_id=", "systemd.hostname=", "rd.luks.",
	"rd.md.uuid=", "nfsroot=", "cloud-config-url="};

static void read_file(const char *root, const char *path, char *out)
{
	char text[SD_NODE_FACT_SIZE];

	if (sd_textfile_read(root, path, text, sizeof text) == 0)
		sd_textfile_clean(out, SD_NODE_FACT_SIZE, text);
}

/* Reads the governors of all CPUs that have one; CPUs that differ are a setting of their own. */
static void read_governor(const char *root, char *out)
{
	char path[96], text[SD_NODE_FACT_SIZE];

	for (unsigned cpu = 0; cpu < SD_CPU_MAX; cpu++) {
		snprintf(path, sizeof path, CPU "cpu%u/topology/core_id", cpu);
		if (cpu > 0 && sd_textfile_read(root, path, text, sizeof text) != 0)
			break;
		text[0] = '\0';
		snprintf(path, sizeof path, CPU "cpu%u/cpufreq/scaling_governor", cpu);
		read_file(root, path, text);
		if (text[0] && out[0] && strcmp(text, out) != 0) {
			snprintf(out, SD_NODE_FACT_SIZE, "different from CPU to CPU");
			return;
		}
		if (text[0])
			memcpy(out, text, sizeof text);
	}
}

static void read_switch(const char *root, const char *path, const char *on, char *out)
{
	char text[16];

	if (!out[0] && sd_textfile_read(root, path, text, sizeof text) == 0 && text[0])
		snprintf(out, SD_NODE_FACT_SIZE, "%s", strcmp(text, on) == 0 ? "on" : "off");
}

/* "always [madvise] never": what stands in brackets. */
static void read_choice(const char *root, const char *path, char *out, size_t size)
{
	char text[256], *from, *end;

	out[0] = '\0';
	if (sd_textfile_read(root, path, text, sizeof text) != 0 || !(from = strchr(text, '[')) ||
		!(end = strchr(from, ']')))
		return;
	*end = '\0';
	sd_textfile_clean(out, size, from + 1);
}

static void read_pages(const char *root, char *out)
{
	char enabled[64], defrag[64];

	read_choice(root, THP "enabled", enabled, sizeof enabled);
	read_choice(root, THP "defrag", defrag, sizeof defrag);
	if (enabled[0])
		snprintf(out, SD_NODE_FACT_SIZE, "%s%s%s", enabled, defrag[0] ? ", defrag " : "",
			defrag);
}

/*
 * Rounded up to a sixteenth of the power of two below: the kernel keeps 1 to 3 % for itself, which
 * differs from one to the next, and a module that is missing is a sixteenth or more.
 */
static void read_memory(const char *root, char *out)
{
	char text[4096], digits[32];
	const char *at;
	uint64_t kib, step = 1;

	if (sd_textfile_read(root, "/proc/meminfo", text, sizeof text) != 0 ||
		!(at = strstr(text, "MemTotal:")) ||
		sscanf(at, "MemTotal: %31[0-9] kB", digits) != 1 ||
		sd_number_u64(digits, 1, UINT64_MAX / 1024, &kib) != 0)
		return;
	while (step * 32 <= kib)
		step *= 2;
	kib = (kib + step - 1) / step * step;
	snprintf(out, SD_NODE_FACT_SIZE, "%.6g GiB", (double)kib / (1 << 20));
}

static void read_bios(const char *root, char *out)
{
	char vendor[64] = "", version[64] = "", date[32] = "", line[200];

	sd_textfile_read(root, DMI "bios_vendor", vendor, sizeof vendor);
	sd_textfile_read(root, DMI "bios_version", version, sizeof version);
	sd_textfile_read(root, DMI "bios_date", date, sizeof date);
	snprintf(line, sizeof line, "%s %s %s", vendor, version, date);
	sd_textfile_clean(out, SD_NODE_FACT_SIZE, line);
}

static int is_own(const char *word)
{
	for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++)
		if (strncmp(word, own_words[i], strlen(own_words[i])) == 0)
			return 1;
	return 0;
}

/* Reads the kernel's words; those behind "--" are for the first process. */
static void read_boot(const char *root, char *out)
{
	char text[4096], *rest = text, *word;

	if (sd_textfile_read(root, "/proc/cmdline", text, sizeof text) != 0)
		return;
	while ((word = strtok_r(rest, " \t\n", &rest)) && strcmp(word, "--") != 0) {
		char clean[SD_NODE_FACT_SIZE];
		const size_t used = strlen(out);

		sd_textfile_clean(clean, sizeof clean, word);
		if (!is_own(word))
			snprintf(out + used, SD_NODE_FACT_SIZE - used, "%s%s", used ? " " : "",
				clean);
	}
}

/* ARM has no such file; x86's /proc/cpuinfo has it also where /sys/…/microcode is not there. */
static void read_microcode(const char *root, char *out)
{
	char text[4096], word[32];
	const char *at;

	if (!out[0] && sd_textfile_read(root, "/proc/cpuinfo", text, sizeof text) == 0 &&
		(at = strstr(text, "\nmicrocode")) && sscanf(at, "\nmicrocode : %31s", word) == 1)
		sd_textfile_clean(out, SD_NODE_FACT_SIZE, word);
}

void sd_node_facts_read(struct sd_node_facts *out, const char *root)
{
	struct sd_memory_modules modules;

	*out = (struct sd_node_facts){0};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		read_file(root, files[i].path, out->text[files[i].fact]);
	read_governor(root, out->text[SD_NODE_FACT_GOVERNOR]);
	read_switch(root, CPU "intel_pstate/no_turbo", "0", out->text[SD_NODE_FACT_TURBO]);
	read_switch(root, CPU "cpufreq/boost", "1", out->text[SD_NODE_FACT_TURBO]);
	read_switch(root, "/proc/sys/kernel/numa_balancing", "1",
		out->text[SD_NODE_FACT_NUMA_BALANCING]);
	read_pages(root, out->text[SD_NODE_FACT_THP]);
	read_memory(root, out->text[SD_NODE_FACT_MEMORY]);
	sd_memory_modules_read(&modules, root);
	snprintf(out->text[SD_NODE_FACT_MODULES], SD_NODE_FACT_SIZE, "%s", modules.text);
	read_bios(root, out->text[SD_NODE_FACT_BIOS]);
	read_microcode(root, out->text[SD_NODE_FACT_MICROCODE]);
	read_boot(root, out->text[SD_NODE_FACT_BOOT]);
}
