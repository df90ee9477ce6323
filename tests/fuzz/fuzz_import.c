/* Tables, counts and profiles of other tools from anywhere: what is taken must be a record that can
 * be written, read again and analysed. The first byte chooses the format. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/analyse.h"
#include "write/encode.h"
#include "import/import.h"
#include "record/record_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sd_eventmaps maps; /* until the end */

static void check(const struct sd_record *r)
{
	struct sd_record again = {0};
	struct sd_analysis a = {0};
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f || sd_encode(f, r) != 0 || fclose(f) != 0)
		abort();
	if (sd_record_parse(text, n, "again", &again, NULL) != 0)
		abort();
	if (r->plan.n_point < 16 && r->n_run < 64)
		sd_analyse(&again, NULL, NULL, &a);
	sd_analysis_free(&a);
	sd_record_free(&again);
	free(text);
}

/* Profiles, lines of a run that is there already, and regions. */
static int read_newer(struct sd_import *im, const struct sd_import_text *t, unsigned which)
{
	static const char text[] = "cores,seconds\n1,4\n2,3\n";
	const struct sd_import_text table = {.name = "t", .text = text, .size = sizeof text - 1};

	if (which % 4 == 0)
		return sd_import_script(im, t, 1 + which / 8);
	if (which % 4 == 1)
		return sd_import_csv(im, &table, NULL) ? -1 : sd_import_c2c(im, t, 0);
	return which % 4 == 2 ? sd_import_papi(im, t, 0) : sd_import_cpu_type(im, t, 1, "Zen4");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_import im = {0};
	struct sd_import_text t = {.name = "fuzz"};
	char *text;
	int rc;

	if (!maps.n && sd_event_map_set_load(&maps, NULL, NULL) < 0)
		abort();
	if (size < 2)
		return 0;
	text = malloc(size - 1);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	t.text = text;
	t.size = size - 1;
	im.cpu.maps = &maps;
	if (data[0] & 8) /* the names are those of a CPU's map */
		im.cpu = (struct sd_import_cpu){&maps, sd_event_map_set_find(&maps, "core2")};
	/* the low bits as they were before there were so many formats */
	if (data[0] >= 0xe0)
		rc = read_newer(&im, &t, data[0] - 0xe0u);
	else if (data[0] % 2)
		rc = sd_import_csv(&im, &t, data[0] & 2 ? "a" : NULL);
	else if (!(data[0] & 4))
		rc = sd_import_perf(&im, &t, 1 + data[0] / 16);
	else if (data[0] & 2)
		rc = data[0] & 8 ? sd_import_google(&im, &t, data[0] & 16 ? "a" : NULL)
				 : sd_import_hyperfine(&im, &t, data[0] / 16);
	else
		rc = sd_import_likwid(&im, &t, data[0] / 16);
	if (rc == 0 && sd_import_finish(&im, "fuzz", NULL) == 0)
		check(&im.record);
	sd_import_free(&im);
	free(text);
	return 0;
}
