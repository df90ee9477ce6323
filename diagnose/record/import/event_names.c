#include "import/event_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 24, WORD = 48 };

/* The words of a name, sorted: their order differs from tool to tool. */
struct words {
	char word[WORDS][WORD];
	size_t n;
};

/* Words that some tools write and others leave out: the usual case of an event. */
static int is_usual(const char *word)
{
	static const char *const usual[] = {"SELF", "THIS", "CORE", "AGENT", "A", "ANY", "ALL"};

	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (strcmp(usual[i], word) == 0)
			return 1;
	return 0;
}

/* Which agents are counted is no usual case: all of them are another event than one's own. */
static int is_agents(const char *word, const char *last)
{
	return strcmp(last, "ALL") == 0 && (strcmp(word, "AGENTS") == 0 || strcmp(word, "A") == 0);
}

static int is_fixed(const char *word)
{
	return strcmp(word, "THREAD") == 0 || strcmp(word, "CORE") == 0 || strcmp(word, "ANY") == 0;
}

static void add_word(struct words *w, const char *word)
{
	size_t i = w->n;

	if (w->n == WORDS)
		return;
	for (; i > 0 && strcmp(w->word[i - 1], word) > 0; i--)
		memcpy(w->word[i], w->word[i - 1], WORD);
	memcpy(w->word[i], word, WORD);
	w->n++;
}

static void split(const char *name, struct words *out)
{
	char word[WORD], last[WORD] = "";

	*out = (struct words){.n = 0};
	while (*name) {
		size_t n = 0;

		while (*name && !isalnum((unsigned char)*name))
			name++;
		memset(word, 0, sizeof word);
		for (; isalnum((unsigned char)*name); name++)
			if (n + 1 < WORD)
				word[n++] = (char)toupper((unsigned char)*name);
		if (n == 0)
			break;
		/* the general counters' name of a fixed counter's event: THREAD_P, ANY_P */
		if (strcmp(word, "P") == 0 && is_fixed(last))
			continue;
		if (is_agents(word, last)) {
			memset(word, 0, sizeof word);
			strcpy(word, "AGENTS");
			add_word(out, word);
		} else if (!is_usual(word)) {
			add_word(out, word);
		}
		memcpy(last, word, WORD);
	}
}

/* The name alone: without the PMU before it and the modifiers behind it. */
static void bare(const char *name, char *out, size_t size)
{
	const char *start = strstr(name, "::"), *end;
	size_t n;

	start = start ? start + 2 : name;
	if (strchr(name, '/') && !start[0])
		start = name;
	if (strchr(start, '/')) {
		start = strchr(start, '/') + 1;
		end = strchr(start, '/');
	} else {
		end = NULL;
	}
	n = end ? (size_t)(end - start) : strlen(start);
	/* ":u", ":pp", ":ukHG" */
	for (size_t i = n; i > 0; i--)
		if (start[i - 1] == ':' && i < n) {
			if (strspn(start + i, "ukhpGHSDIe") >= n - i)
				n = i - 1;
			break;
		}
	n = n < size ? n : size - 1;
	memcpy(out, start, n);
	out[n] = '\0';
}

static int same_words(const char *a, const char *b)
{
	struct words x, y;

	split(a, &x);
	split(b, &y);
	if (x.n == 0 || x.n != y.n)
		return 0;
	for (size_t i = 0; i < x.n; i++)
		if (strcmp(x.word[i], y.word[i]) != 0)
			return 0;
	return 1;
}

/* ---- raw codes ------------------------------------------------------------------------------- */

struct code {
	uint64_t config, config1;
	int has_config1;
};

/* "rHEX" with or without modifiers. */
static int raw_hex(const char *name, struct code *out)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return 0;
	out->config = strtoull(name + 1, &end, 16);
	return *end == '\0' || *end == ':';
}

/* A term of the kernel's PMU formats, and where its bits go. AMD's events have four bits more. */
static void add_term(const char *key, size_t n, uint64_t v, struct code *out, int *any)
{
	static const struct {
		const char *key;
		unsigned shift;
	} terms[] = {{"umask", 8}, {"edge", 18}, {"any", 21}, {"inv", 23}, {"cmask", 24}};

	if (n == 5 && strncmp(key, "event", 5) == 0) {
		out->config |= (v & 0xff) | (v & 0xf00) << 24;
		*any = 1;
	} else if (n == 6 && strncmp(key, "config", 6) == 0) {
		out->config |= v;
		*any = 1;
	} else if ((n == 7 && strncmp(key, "config1", 7) == 0) ||
		   (n == 11 && strncmp(key, "offcore_rsp", 11) == 0) ||
		   (n == 5 && strncmp(key, "ldlat", 5) == 0)) {
		out->config1 = v;
		out->has_config1 = 1;
	}
	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
		if (strlen(terms[i].key) == n && strncmp(key, terms[i].key, n) == 0)
			out->config |= v << terms[i].shift;
}

/* "cpu/event=0xd1,umask=0x04/" */
static int raw_terms(const char *name, struct code *out)
{
	const char *p = strchr(name, '/');
	int any = 0;

	for (p = p ? p + 1 : NULL; p && *p && *p != '/';) {
		const size_t n = strcspn(p, "=,/");
		uint64_t v = 1;

		if (p[n] == '=')
			v = strtoull(p + n + 1, NULL, 0);
		add_term(p, n, v, out, &any);
		p += strcspn(p, ",/");
		p += *p == ',';
	}
	return any;
}

static int same_pmu(const char *name, const struct sd_map_event *e)
{
	const char *slash = strchr(name, '/');
	const size_t n = e->pmu ? strlen(e->pmu) : 0;

	if (!e->pmu)
		return !slash || strncmp(name, "cpu", 3) == 0 || strncmp(name, "armv8", 5) == 0;
	return slash && strncmp(name, e->pmu, n) == 0 && (name[n] == '/' || name[n] == '_');
}

static int same_code(const char *name, const struct sd_map_event *e)
{
	struct code c = {0};

	if (!raw_hex(name, &c) && !raw_terms(name, &c))
		return 0;
	if (!e->code && !e->config)
		return 0;
	return same_pmu(name, e) && c.config == (e->pmu ? e->config : e->code) &&
	       (c.has_config1 ? c.config1 == e->config1 : e->config1 == 0);
}

/* ---- the contract ---------------------------------------------------------------------------- */

int sd_event_names_is(const char *name, const struct sd_map_event *e)
{
	char ours[256], theirs[256];
	const char *const full = e->event ? e->event : e->name;

	if (same_code(name, e))
		return 1;
	if (!full)
		return 0;
	bare(name, theirs, sizeof theirs);
	bare(full, ours, sizeof ours);
	return same_words(theirs, ours);
}

void sd_event_names_words(const char *name, char *out, size_t size)
{
	char only[256];
	struct words w;
	size_t n = 0;

	bare(name, only, sizeof only);
	split(only, &w);
	*out = '\0';
	for (size_t i = 0; i < w.n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "_" : "", w.word[i]);
}

enum sd_role sd_event_names_common(const char *name)
{
	static const struct {
		const char *name;
		enum sd_role role;
	} common[] = {
		{"INST_RETIRED", SD_ROLE_INSTRUCTIONS},
		{"INSTR_RETIRED", SD_ROLE_INSTRUCTIONS},
		{"INSTRUCTION_RETIRED", SD_ROLE_INSTRUCTIONS},
		{"RETIRED_INSTRUCTIONS", SD_ROLE_INSTRUCTIONS},
		{"CPU_CLK_UNHALTED", SD_ROLE_CYCLES},
		{"CPU_CLK_UNHALTED.THREAD", SD_ROLE_CYCLES},
		{"CPU_CLOCKS_UNHALTED", SD_ROLE_CYCLES},
		{"UNHALTED_CORE_CYCLES", SD_ROLE_CYCLES},
		{"CPU_CLK_UNHALTED.REF", SD_ROLE_REF_CYCLES},
		{"CPU_CLK_UNHALTED.REF_TSC", SD_ROLE_REF_CYCLES},
		{"UNHALTED_REFERENCE_CYCLES", SD_ROLE_REF_CYCLES},
		{"LONGEST_LAT_CACHE.MISS", SD_ROLE_LLC_MISSES},
		{"LAST_LEVEL_CACHE_MISSES", SD_ROLE_LLC_MISSES},
		{"CAS_COUNT_RD", SD_ROLE_DRAM_READ_LINES},
		{"CAS_COUNT_WR", SD_ROLE_DRAM_WRITE_LINES},
	};
	char theirs[256];

	bare(name, theirs, sizeof theirs);
	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		if (same_words(theirs, common[i].name))
			return common[i].role;
	return SD_ROLE_COUNT;
}
