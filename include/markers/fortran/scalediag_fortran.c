/* The functions behind scalediag.f90: scalediag.h's macros. Free to copy into any program. */
#include <scalediag.h>

void sd_fortran_region_begin(const char *name);
void sd_fortran_region_end(const char *name);
void sd_fortran_progress(const char *name, int64_t n);

void sd_fortran_region_begin(const char *name)
{
	sd_region_begin(name);
}

void sd_fortran_region_end(const char *name)
{
	sd_region_end(name);
}

/* Its row is looked for each time: the place does not tell the name. */
void sd_fortran_progress(const char *name, int64_t n)
{
	struct sd_marker_row *row = NULL;

	if (sd_marker_wanted())
		sd_marker_add(&row, name, (uint64_t)n);
}
