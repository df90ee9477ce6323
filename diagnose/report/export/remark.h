/*
 * Words of a cause of the view beside a line of code.
 */
#ifndef SD_REMARK_H
#define SD_REMARK_H

#include "analysis/analysis.h"
#include "record/record.h"
#include "view/view.h"

/* Share of a cause; places with less have no remark. */
#define SD_REMARK_SHARE .05

/* "lock-contention", "lock contention"; of growth that is open "work-inflation". Static. */
const char *sd_remark_name(const struct sd_view_cause *c);
const char *sd_remark_label(const struct sd_view_cause *c);
/* Is the cause surely one? */
int sd_remark_is_sure(const struct sd_view_cause *c);

/* "71 % of it in relax()."; clean, a fresh string or NULL. */
char *sd_remark_share(const struct sd_where *at);

/*
 * The cause in the words of the text: its title, the first evidence, where it stands, what to do
 * and what that is worth. Clean, a fresh string or NULL.
 */
char *sd_remark_text(const struct sd_view_cause *c);

/* "lock-contention:f": names the same cause at the same function in the next record, whatever its
 * line. A fresh string of any bytes or NULL. */
char *sd_remark_key(const struct sd_view_cause *c);

/* The folder that files are named from: the top of the repository, else the working folder; NULL
 * unknown. Borrowed. */
const char *sd_remark_root(const struct sd_record *r);

/* The file of a place from there; "" unknown. Borrowed, any bytes. */
const char *sd_remark_file(const struct sd_record *r, const struct sd_where *at);

/* The same, or the program's where none is known or `at` is NULL: formats that must name one. */
const char *sd_remark_file_or_program(const struct sd_record *r, const struct sd_where *at);

#endif
