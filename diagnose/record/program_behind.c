#include "record/program_behind.h"

#include <libconfig.h>
#include <string.h>

#include "base/config_fields.h"
#include "base/configs.h"

#define WORDS_MOST 9  /* before the program */
#define DEPTH_MOST 16 /* launchers that start launchers */

/* ---- the file ------------------------------------------------------------------------------- */

static int check_names(const char *file, const config_setting_t *s, const struct sd_sink *sink)
{
	if (!config_setting_is_array(s) ||
		(config_setting_length(s) > 0 && !config_setting_get_string_elem(s, 0)))
		return sd_config_fields_bad(sink, file, sd_config_fields_line(s),
			"%s: must be names in quotes: [\"a\", \"b\"]", config_setting_name(s));
	return 0;
}

static int check_row(const char *file, const config_setting_t *row, const struct sd_sink *sink)
{
	static const char *const keys[] = {
		"names", "values", "pairs", "chosen", "none", "passed", "words", "sets", NULL};
	int rc = config_setting_is_group(row)
			 ? sd_config_fields_only(sink, file, row, keys)
			 : sd_config_fields_bad(sink, file, sd_config_fields_line(row),
				   "a launcher is a group: { names = [...]; ... }");

	for (int i = 0; !rc && i < config_setting_length(row); i++) {
		const config_setting_t *const s = config_setting_get_elem(row, (unsigned)i);
		const char *const key = config_setting_name(s);
		const int words = strcmp(key, "words") == 0;

		if (words && (config_setting_type(s) != CONFIG_TYPE_INT ||
				     config_setting_get_int(s) < 0 ||
				     config_setting_get_int(s) > WORDS_MOST))
			rc = sd_config_fields_bad(sink, file, sd_config_fields_line(s),
				"words: must be a number, 0 to %d", WORDS_MOST);
		else if (strcmp(key, "sets") == 0 && config_setting_type(s) != CONFIG_TYPE_BOOL)
			rc = sd_config_fields_bad(sink, file, sd_config_fields_line(s),
				"sets: must be true or false");
		else if (!words && strcmp(key, "sets") != 0)
			rc = check_names(file, s, sink);
	}
	return rc;
}

/* The list of launchers; NULL after a message. */
static const config_setting_t *read_rows(
	config_t *config, const char *file, const struct sd_sink *sink)
{
	static const char *const keys[] = {"launchers", NULL};
	const config_setting_t *rows;

	if (sd_config_fields_only(sink, file, config_root_setting(config), keys) < 0)
		return NULL;
	rows = config_lookup(config, "launchers");
	if (!rows || !config_setting_is_list(rows)) {
		sd_config_fields_bad(sink, file, 0, "launchers = ( { ... }, ... ) is missing");
		return NULL;
	}
	for (int i = 0; i < config_setting_length(rows); i++)
		if (check_row(file, config_setting_get_elem(rows, (unsigned)i), sink) < 0)
			return NULL;
	return rows;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* Is `word` in the row's list? In that of names a version may follow: "python3.11". */
static int is_listed(const config_setting_t *row, const char *list, const char *word)
{
	const config_setting_t *const s = config_setting_get_member(row, list);
	const int names = strcmp(list, "names") == 0;

	for (int i = 0; s && i < config_setting_length(s); i++) {
		const char *const one = config_setting_get_string_elem(s, i);
		const size_t n = strlen(one);

		if (strncmp(word, one, n) == 0 &&
			(names ? strspn(word + n, "-.0123456789") == strlen(word + n) : !word[n]))
			return 1;
	}
	return 0;
}

static const char *base_of(const char *word)
{
	const char *const slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}

static const config_setting_t *row_of(const config_setting_t *rows, const char *word)
{
	for (int i = 0; i < config_setting_length(rows); i++) {
		const config_setting_t *const row = config_setting_get_elem(rows, (unsigned)i);

		if (is_listed(row, "names", base_of(word)))
			return row;
	}
	return NULL;
}

/* The word that the launcher argv[at] starts; `n`: none. */
static size_t behind(const config_setting_t *row, const char *const *argv, size_t n, size_t at)
{
	int words = 0, sets = 0;
	size_t i = at + 1;

	config_setting_lookup_int(row, "words", &words);
	config_setting_lookup_bool(row, "sets", &sets);
	for (; i < n; i++) {
		const char *const word = argv[i];

		if (is_listed(row, "none", word))
			return n;
		if (is_listed(row, "chosen", word))
			return i + 1;
		if (is_listed(row, "values", word))
			i++;
		else if (is_listed(row, "pairs", word))
			i += 2;
		else if (word[0] == '-' || is_listed(row, "passed", word) ||
			 (sets && strchr(word, '=')))
			continue;
		else if (words-- <= 0)
			break;
	}
	return i;
}

size_t sd_program_behind_by(const char *const *argv, size_t n, const char *name, const char *text,
	size_t size, const struct sd_sink *sink)
{
	const config_setting_t *rows, *row;
	size_t at = 0;
	config_t config;

	if (sd_config_fields_parse(&config, name, text, size, sink))
		return 0;
	rows = read_rows(&config, name, sink);
	for (unsigned i = 0; rows && i < DEPTH_MOST && (row = row_of(rows, argv[at])); i++) {
		const size_t next = behind(row, argv, n, at);

		/* "." is a folder, which names nothing */
		if (next >= n || !base_of(argv[next])[strspn(base_of(argv[next]), ".")])
			break;
		at = next;
	}
	config_destroy(&config);
	return at;
}

size_t sd_program_behind(
	const char *const *argv, size_t n, const char *dir, const struct sd_sink *sink)
{
	struct sd_texts names = {0};
	size_t at = 0;

	(void)sd_configs_list(dir, "programs", &names, NULL); /* others' configs may have none */
	for (size_t i = 0; !at && i < names.n; i++) {
		struct sd_config c;

		if (sd_configs_get(dir, names.text[i], &c, sink) < 0)
			break;
		at = sd_program_behind_by(argv, n, c.name, c.text, c.size, sink);
		sd_config_free(&c);
	}
	sd_texts_free(&names);
	return at;
}
