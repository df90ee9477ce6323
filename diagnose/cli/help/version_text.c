#include "help/version_text.h"

#include <elfutils/libdwfl.h>
#include <hwloc.h>
#include <jansson.h>
#include <perfmon/pfmlib.h>

#include "base/configs.h"
#include "base/texts.h"
#include "help/topics.h"
#include "learn/lesson_files.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static size_t count_configs(const char *folder)
{
	struct sd_texts names = {0};
	size_t n = 0;

	if (sd_configs_list(NULL, folder, &names, NULL) == 0)
		n = names.n;
	sd_texts_free(&names);
	return n;
}

static size_t count_lessons(void)
{
	size_t n = 0;

	while (sd_lesson_files[n].folder)
		n++;
	return n;
}

static size_t count_topics(void)
{
	size_t n = 0;

	while (sd_topics[n].name)
		n++;
	return n;
}

void sd_version_text(FILE *f)
{
	const unsigned hwloc = hwloc_get_api_version();
	const int pfm = pfm_get_version();

	fprintf(f, "scalediag " SD_VERSION "\n");
	fprintf(f, "commit    %s, %s\n", sd_version_commit, sd_version_date);
	fputs("compiler  " COMPILER "\n", f);
	fprintf(f, "libraries hwloc API %u.%u, libpfm API %d.%d, elfutils %s, jansson %s\n",
		hwloc >> 16, hwloc >> 8 & 0xff, PFM_MAJ_VERSION(pfm), PFM_MIN_VERSION(pfm),
		dwfl_version(NULL), jansson_version_str());
	fprintf(f, "built in  event maps: %zu, machines: %zu, lessons: %zu, topics: %zu%s\n",
		count_configs("events"), count_configs("machines"), count_lessons(), count_topics(),
#if defined __SANITIZE_ADDRESS__
		", AddressSanitizer"
#elif defined __SANITIZE_THREAD__
		", ThreadSanitizer"
#else
		""
#endif
	);
}
