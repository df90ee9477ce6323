/*
 * Sentences on the largest point from the logs of MPI ranks.
 */
#ifndef SD_RANK_WAITS_H
#define SD_RANK_WAITS_H

#include "case/case.h"

/* The replayed ranks of both points; what they lost to each other is then known exactly. */
int sd_rank_waits_divided(const struct sd_case *c);

/* Waits in MPI are known to be for messages under way: by the replay, or in an imported table of
 * POP times. */
int sd_rank_waits_transfer_known(const struct sd_case *c);

/* Cores were seen to wait in MPI, and nobody knows what for: nothing that a rank may wait for can
 * be ruled out. */
int sd_rank_waits_undivided(const struct sd_case *c);

/* Why the ranks' calls were logged and not replayed ("more than ... calls"), borrowed of the
 * record; NULL: they were replayed, or not logged. */
const char *sd_rank_waits_why_undivided(const struct sd_case *c);

/* Says who waits for whom, most first, as evidence. */
void sd_rank_waits_say(struct sd_case *c, struct sd_finding *f);

/* The calls in which ranks spend most, and how large their messages are. */
void sd_rank_waits_say_calls(struct sd_case *c, struct sd_finding *f);

/* Mean size, bytes, of the messages sent between two ranks; 0: none was logged. */
double sd_rank_waits_message_bytes(const struct sd_case *c);

/* Fills a->ranks. 0 or -ENOMEM. */
int sd_rank_waits_show(struct sd_case *c);

#endif
