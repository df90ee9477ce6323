#include "mcp/mcp_tools.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/json_values.h"

#define BUDGET_S 120.0 /* of a diagnosis, unless asked for another */
#define REPORT_S 60.0  /* beyond its budget: the last run, the analysis */
#define WORDS 256      /* of a program's command line */

/* ---- arguments ------------------------------------------------------------------------------- */

enum kind {
	PROGRAM, /* words: a file of the folder, and its arguments; last of the command line */
	RECORD,  /* a file of the folder that is read */
	WORD,    /* the value of the option */
	SECONDS, /* a time limit, which the option gets too */
};

struct argument {
	const char *name, *option; /* option: NULL: it is an operand */
	enum kind kind;
	int required;
	const char *says;
};

struct sd_mcp_tool {
	const char *name, *title, *says;
	const char *command[4]; /* ends with NULL */
	struct argument argument[6];
	int measures;
	json_t *(*pick)(json_t *printed); /* takes it; NULL: all of it */
};

static int refuse(char *why, const char *name, const char *says)
{
	snprintf(why, 256, "%s: %s", name, says);
	return -EINVAL;
}

/* Is the resolved path in the folder, or the folder? */
static int is_inside(const char *path, const char *folder)
{
	const size_t n = strcmp(folder, "/") == 0 ? 0 : strlen(folder);

	return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* The real path of a file of the folder: links are followed before it is judged. 0, -EINVAL. */
static int resolve(
	const char *name, const char *value, const char *folder, char out[PATH_MAX], char *why)
{
	char *path = NULL;
	int rc = 0;

	if (asprintf(&path, "%s%s%s", *value == '/' ? "" : folder, *value == '/' ? "" : "/",
		    value) < 0)
		return -ENOMEM;
	if (!realpath(path, out))
		rc = refuse(why, name, strerror(errno));
	else if (!is_inside(out, folder))
		rc = refuse(
			why, name, "lies outside of the folder that the server was started for");
	free(path);
	return rc;
}

static int add_program(
	const json_t *value, const struct sd_mcp_limits *limits, struct sd_texts *argv, char *why)
{
	const char *const first = json_string_value(json_array_get(value, 0));
	char path[PATH_MAX];
	int rc;

	if (!first || !*first || json_array_size(value) > WORDS)
		return refuse(why, "program", "a list of 1 to 256 words, the program's file first");
	if (limits->root)
		return refuse(why, "program",
			"the server runs as root, and starts programs then only with --allow-root");
	rc = resolve("program", first, limits->folder, path, why);
	rc = rc ? rc : sd_texts_add(argv, "--") ? -ENOMEM : sd_texts_add(argv, "%s", path);
	for (size_t i = 1; i < json_array_size(value) && !rc; i++) {
		const char *const word = json_string_value(json_array_get(value, i));

		rc = word ? sd_texts_add(argv, "%s", word)
			  : refuse(why, "program", "every word is a string");
	}
	return rc;
}

static int add_seconds(const struct argument *a, const json_t *value,
	const struct sd_mcp_limits *limits, struct sd_texts *argv, double *seconds, char *why)
{
	double wanted = value ? json_number_value(value) : BUDGET_S;

	if (value && !(json_is_number(value) && wanted >= 1 && wanted <= limits->timeout_s)) {
		snprintf(why, 256, "%s: a number of seconds from 1 to %g", a->name,
			limits->timeout_s);
		return -EINVAL;
	}
	if (wanted > limits->timeout_s)
		wanted = limits->timeout_s;
	*seconds = wanted + REPORT_S;
	return sd_texts_add(argv, "%s", a->option) || sd_texts_add(argv, "%g", wanted) ? -ENOMEM
										       : 0;
}

/* A word is the value of its option, or a file, and no option itself. */
static int add_word(const struct argument *a, const json_t *value,
	const struct sd_mcp_limits *limits, struct sd_texts *argv, char *why)
{
	const char *const text = json_string_value(value);
	char path[PATH_MAX];
	int rc = 0;

	if (!text || !*text)
		return refuse(why, a->name, "must be a string");
	if (a->kind == RECORD)
		rc = resolve(a->name, text, limits->folder, path, why);
	if (!rc && a->option)
		return sd_texts_add(argv, "%s=%s", a->option, text);
	return rc ? rc : sd_texts_add(argv, "%s", a->kind == RECORD ? path : text);
}

static int add(const struct argument *a, const json_t *value, const struct sd_mcp_limits *limits,
	struct sd_texts *argv, double *seconds, char *why)
{
	if (a->required && !value)
		return refuse(why, a->name, "is missing");
	if (a->kind == SECONDS)
		return add_seconds(a, value, limits, argv, seconds, why);
	if (!value)
		return 0;
	return a->kind == PROGRAM ? add_program(value, limits, argv, why)
				  : add_word(a, value, limits, argv, why);
}

static int check_names(const struct sd_mcp_tool *t, json_t *arguments, char *why)
{
	const char *name;
	const json_t *value;

	json_object_foreach(arguments, name, value)
	{
		const struct argument *a = t->argument;

		while (a->name && strcmp(a->name, name) != 0)
			a++;
		if (!a->name) {
			snprintf(why, 256, "%.100s: %s has no such argument", name, t->name);
			return -EINVAL;
		}
	}
	return 0;
}

int sd_mcp_tools_command(const struct sd_mcp_tool *t, json_t *arguments,
	const struct sd_mcp_limits *limits, struct sd_texts *argv, double *seconds, char *why)
{
	const char *missing = NULL; /* an operand: none may stand in its place */
	int rc = check_names(t, arguments, why);

	*seconds = limits->timeout_s;
	for (size_t i = 0; t->command[i] && !rc; i++)
		rc = sd_texts_add(argv, "%s", t->command[i]);
	for (const struct argument *a = t->argument; a->name && !rc; a++) {
		const json_t *const value = json_object_get(arguments, a->name);

		if (!a->option && value && missing)
			rc = refuse(why, missing, "is missing");
		else
			rc = add(a, value, limits, argv, seconds, why);
		if (!a->option && !value)
			missing = a->name;
	}
	return rc;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Lists longer than that lose their end, everywhere below. */
static void cut_lists(json_t *x, size_t most)
{
	const char *name;
	json_t *value;

	while (json_array_size(x) > most)
		json_array_remove(x, json_array_size(x) - 1);
	for (size_t i = 0; i < json_array_size(x); i++)
		cut_lists(json_array_get(x, i), most);
	json_object_foreach(x, name, value)
	{
		cut_lists(value, most);
	}
}

/* A report that was made for programs without such limits. */
static json_t *pick_short(json_t *printed)
{
	for (size_t most = 16; most; most /= 2) {
		if (json_dumpb(printed, NULL, 0, JSON_COMPACT) <= SD_MCP_TOOLS_ANSWER)
			break;
		cut_lists(printed, most);
		json_object_set_new(printed, "lists_cut_to", json_integer((json_int_t)most));
	}
	return printed;
}

/* These members alone. */
static json_t *pick_members(json_t *printed, const char *const *names)
{
	json_t *const out = json_object();

	for (; *names; names++)
		json_object_set(out, *names, json_object_get(printed, *names));
	json_decref(printed);
	return out;
}

static json_t *pick_source(json_t *printed)
{
	static const char *const names[] = {"id", "at", "where", "source", "record", NULL};

	return pick_members(printed, names);
}

/* null where there is none. */
static json_t *copied(const json_t *printed, const char *name)
{
	json_t *const member = json_object_get(printed, name);

	return member ? json_incref(member) : json_null();
}

static json_t *pick_next(json_t *printed)
{
	static const char *const names[] = {"id", "next", "next_says", "fix", "payoff", NULL};
	json_t *const causes = json_object_get(printed, "causes"), *steps = json_array(), *out;

	for (size_t i = 0; i < json_array_size(causes); i++)
		json_array_append_new(
			steps, pick_members(json_incref(json_array_get(causes, i)), names));
	out = sd_json("steps", steps, "settles", copied(printed, "settles"), "disturbed",
		copied(printed, "disturbed"), "record", copied(printed, "record"));
	json_decref(printed);
	return out;
}

/* ---- the table ------------------------------------------------------------------------------- */

#define THE_RECORD                                                                           \
	{                                                                                    \
		"record", NULL, RECORD, 0, "Path of a record; else the newest of the folder" \
	}
#define THE_CAUSE                                                                                                \
	{                                                                                                        \
		"cause", "--cause", WORD, 1,                                                                     \
			"The id of a cause, as diagnose and report have it; others too, such as one to rule out" \
	}

static const struct sd_mcp_tool tools[] = {
	{"diagnose", "Diagnose a program",
		"Runs a program of the folder at several core counts and says whether it scales, "
		"and which causes cost how many cores, where, and what to do. Keeps a record.",
		{"run", "--brief", NULL},
		{{"seconds", "--budget", SECONDS, 0, "For all runs together; 120 if not given"},
			{"cores", "--cores", WORD, 0,
				"Core counts: 1,2,4 or 1-8 or powers (if not given) or all"},
			{"experiments", "--experiments", WORD, 0,
				"auto (if not given), none, or names with commas between"},
			{"program", NULL, PROGRAM, 1,
				"The program's file and its arguments; {n} becomes the core count"}},
		1, NULL},
	{"report", "The answer again", "Answers from a record, without running anything.",
		{"report", "--brief", NULL}, {THE_RECORD}, 0, NULL},
	{"evidence", "Evidence of a cause",
		"All there is on one cause: evidence, places, what to do, lines of source.",
		{"report", "--brief", NULL}, {THE_CAUSE, THE_RECORD}, 0, NULL},
	{"source", "Source of a cause",
		"The lines of source around the place of a cause, as of the measurement.",
		{"report", "--brief", NULL}, {THE_CAUSE, THE_RECORD}, 0, pick_source},
	{"lines", "Contested cache lines",
		"Which cache lines the threads fight for: object, bytes by thread, code.",
		{"lines", "--json", NULL}, {THE_RECORD}, 0, pick_short},
	{"compare", "Compare two records",
		"Did a change help, and which causes came or went? Without names, the two newest "
		"records of the folder.",
		{"compare", "--brief", NULL},
		{{"before", NULL, RECORD, 0, "Path of the record before the change"},
			{"after", NULL, RECORD, 0, "Path of the record after it"}},
		0, NULL},
	{"next", "Next step", "What to do next, by cause, as words of a command where it is one.",
		{"report", "--brief", NULL}, {THE_RECORD}, 0, pick_next},
	{"doctor", "What can be measured here",
		"What a diagnosis would miss on this machine, and what enables it.",
		{"doctor", "--json", NULL}, {{0}}, 0, pick_short},
};

const struct sd_mcp_tool *sd_mcp_tools_find(const char *name)
{
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

int sd_mcp_tools_measures(const struct sd_mcp_tool *t)
{
	return t->measures;
}

json_t *sd_mcp_tools_answer(const struct sd_mcp_tool *t, json_t *printed)
{
	return t->pick ? t->pick(printed) : printed;
}

static json_t *put_argument(const struct argument *a)
{
	if (a->kind == PROGRAM)
		return sd_json("type", "array", "items", sd_json("type", "string"), "minItems", 1,
			"maxItems", WORDS, "description", a->says);
	if (a->kind == SECONDS)
		return sd_json("type", "number", "minimum", 1, "description", a->says);
	return sd_json("type", "string", "description", a->says);
}

static json_t *put_tool(const struct sd_mcp_tool *t)
{
	json_t *properties = json_object(), *required = json_array();

	for (const struct argument *a = t->argument; a->name; a++) {
		sd_json_set(&properties, a->name, put_argument(a));
		if (a->required)
			sd_json_add(&required, json_string(a->name));
	}
	return sd_json("name", t->name, "title", t->title, "description", t->says, "inputSchema",
		sd_json("type", "object", "properties", properties, "required", required,
			"additionalProperties", json_boolean(0)),
		"annotations", sd_json("readOnlyHint", json_boolean(!t->measures)));
}

json_t *sd_mcp_tools_list(void)
{
	json_t *out = json_array();

	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		sd_json_add(&out, put_tool(&tools[i]));
	return out;
}
