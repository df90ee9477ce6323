/*
 * The result of the analysis: what reports print. A pure function of the record; reports never
 * compute.
 */
#ifndef SD_ANALYSIS_H
#define SD_ANALYSIS_H

#include <stddef.h>

#include "record/cause.h"
#include "record/core_time.h"
#include "record/experiment.h"
#include "record/run.h"
#include "base/status.h"
#include "base/texts.h"

/* Ordered from strongest to weakest as findings are sorted. */
#define SD_VERDICTS(X)                      \
	X(CONFIRMED, "confirmed")           \
	X(LIKELY, "likely")                 \
	X(POSSIBLE, "possible")             \
	X(NOT_MEASURABLE, "not-measurable") \
	X(RULED_OUT, "ruled-out")

enum sd_verdict {
#define X(id, name) SD_VERDICT_##id,
	SD_VERDICTS(X)
#undef X
		SD_VERDICT_COUNT
};
extern const char *const sd_verdict_name[SD_VERDICT_COUNT];

/* A number the report shows beside the stack. */
struct sd_shown {
	const char *name, *unit; /* static strings */
	struct sd_interval value;
	const char *source; /* "os", "perf", "counters"; static */
	/* of a metric of the tables, which outlive the analysis; else NULL and 0 */
	const char *meaning, *reference; /* what it says; the text it is from */
	enum sd_quality quality;         /* of its worst count */
	int over;                        /* its threshold is passed: worth a look */
	int shared;                      /* SMT siblings may be in its counts */
	int multiplexed;                 /* counted for part of the time and scaled up */
};

struct sd_point {
	unsigned cores;       /* as asked */
	unsigned n;           /* N of the stack: min(cores, CPUs bound) */
	size_t runs;          /* used for the numbers below */
	size_t runs_other;    /* finished, but in another machine state or mixed */
	size_t runs_outlying; /* of `runs`, those whose times are outliers: in the median time, but
				 not in the stack */
	struct sd_interval wall, speedup, efficiency;
	struct sd_interval parallelism; /* degree of parallelism: mean cores that did the program's
					   work at a time, spinning not counted */
	struct sd_interval karp_flatt;  /* serial fraction e(n); absent at the reference */
	struct sd_interval
		stack[SD_COMPONENT_COUNT]; /* cores; absent ones are not part of this stack; the
					      values of the present ones sum to n within 1e-9 */
	struct sd_shown *shown;            /* owned */
	size_t n_shown;
};

/* A place in the program's own code; strings are owned, NULL unknown. Names are whole, as the
 * symbols and DWARF have them, any bytes. */
struct sd_where {
	char *function, *file;
	char *module; /* path of the program or library */
	char *in;     /* function of a library or of the kernel that it called, and where it was */
	char *from;   /* function of the program that mostly called it */
	unsigned line;
	double share; /* of the cause's cores */
};

/*
 * A function and the cores it costs at the largest point more than at the reference (there times
 * omega), mean over the runs that were sampled. `cost` is that of its lines and of what libraries
 * and the kernel do for them: over all rows and the rest they sum to the components. Of functions
 * outside the program's own code that is 0: their cores stand with the callers.
 */
struct sd_loss_row {
	struct sd_where at; /* line: the one with the most; share: unused */
	int own;            /* of the program's own code */
	double cost[SD_COST_COUNT];
	struct sd_interval total;                /* of cost */
	struct sd_interval exclusive, inclusive; /* of its own instructions; and of all it calls */
};

/* Cores lost in `callee` when called by `caller`, and further down: indices of rows. */
struct sd_loss_call {
	size_t caller, callee;
	double cores;
};

/* Cores lost in one calling context: the functions, outermost first, joined by ';'. */
struct sd_loss_path {
	char *path; /* owned */
	double cores;
};

/* A line of the program's own code and the cores it costs. */
struct sd_loss_line {
	size_t row;
	unsigned line;
	double cores;
};

#define SD_LOSS_ROWS 64
#define SD_LOSS_CALLS 256
#define SD_LOSS_PATHS 32
#define SD_LOSS_LINES 64

struct sd_losses {
	struct sd_loss_row *row; /* owned; most total first, then most exclusive */
	size_t n_row;
	double rest[SD_COST_COUNT];    /* of functions that are no row */
	double unknown[SD_COST_COUNT]; /* cores that no stack stands for */
	struct sd_loss_call *call;     /* owned; most first */
	size_t n_call;
	struct sd_loss_path *path; /* owned; most first */
	size_t n_path;
	struct sd_loss_line *line; /* owned; most first */
	size_t n_line;
};

/* A lock that threads waited for at the largest point; numbers are means of a run. */
#define SD_LOCK_ROWS 16
struct sd_lock_row {
	char *name;       /* owned; NULL unknown */
	const char *kind; /* static: "mutex" */
	double waits, wait_s, longest_s;
	struct sd_interval cores;         /* that waited for it at a time */
	struct sd_value conflict;         /* share of the acquisitions that waited */
	struct sd_value busy;             /* share of the time in which somebody waited for it */
	struct sd_where *holder, *waiter; /* owned; most first; share: of wait_s */
	size_t n_holder, n_waiter;
};

/*
 * The height of a thread (bottle graph, Du Bois 2013): its share of the time in which any thread
 * ran, divided at every moment among those that ran; its width: how many ran with it, mean.
 */
struct sd_thread_row {
	int tid;
	char name[16]; /* any bytes */
	double height_s, width, share;
};

/* How many threads were on a CPU or ready at a time at the largest point, and which. */
#define SD_THREAD_ROWS 16
struct sd_busiest_threads {
	double *together; /* owned; [k]: share of the time with exactly k, mean of the runs */
	size_t n_together;
	int by_switches;        /* in every run; 0: from looking at thread states */
	struct sd_where *alone; /* owned; where a thread ran alone; share: of that time */
	size_t n_alone;
	struct sd_thread_row *row; /* owned; of one run near the median; highest first */
	size_t n_row, n_seen;
};

/* Where the functions and the reasons for waits are from, over the used runs of all points. */
struct sd_sampling {
	enum sd_status status;                        /* ok: samples; absent: nobody took any */
	enum sd_status switch_stacks, kernel, wakers; /* the worst of the runs */
	int idle;                                     /* waits by switches in every run */
	int mixed;                                    /* some of the used runs have no samples */
	int ended; /* of some the kernel took them away at an exec (SD_RUN_UNREADABLE) */
	double hz_least, hz_most; /* samples a second and core */
	struct sd_value sample_s; /* that one took: the most */
	double samples, switches, lost;
	double unwatched; /* share of the time in which switches were not recorded: the most */
	struct sd_value unwound; /* share of the stacks that are whole */
	struct sd_value cost;    /* reading them, against the program's CPU time */
};

struct sd_finding {
	enum sd_cause cause;
	enum sd_verdict verdict;
	int of_growth;            /* what it takes is a part of the growth of user time */
	int contradicted;         /* possible, but something that was measured speaks against it */
	struct sd_interval cores; /* lost at the largest point; absent when not measurable */
	struct sd_interval share; /* of the largest point's N, 0..1 */
	struct sd_interval
		worth; /* speed-up at the largest point if removed, "at most"; absent unknown */
	struct sd_texts evidence; /* sentences, numbers with units */
	size_t named;             /* of the evidence: from here on, what a simulated run shows of
				     a cause that is not measurable; 0 nothing */
	struct sd_where *where;
	size_t n_where;
	struct sd_texts advice;
	char *next; /* owned; the command or setting that would decide; NULL none */
};

/* An experiment that was considered: what it did to the program's time. */
struct sd_tested {
	enum sd_experiment experiment;
	unsigned cores;          /* of the point it was done at */
	size_t pairs;            /* of runs in the state that is compared, plain and changed */
	struct sd_interval time; /* of a changed run by that of a plain one; of copies the mean of
				    theirs; absent: no pairs, or the program was not in it */
	struct sd_interval reference; /* the same at the reference, of an experiment at both */
	struct sd_interval loss; /* share of the largest point's N that goes to what was changed, as
				    far as it shows; absent unknown */
	double cost_s;           /* what its runs took */
	int decided;             /* more pairs would not change what it says */
	char *skipped;           /* owned; why it was not done, or not gone on with; NULL */
	struct sd_texts seen;    /* sentences */
};

/* A least-squares summary of the speedups, never a cause. */
struct sd_fits {
	struct sd_value amdahl_serial;                  /* serial fraction */
	struct sd_value usl_alpha, usl_beta, usl_gamma; /* METHODS 1.8; needs >= 6 points */
	struct sd_value usl_peak;  /* cores at the maximum; absent when beta = 0 */
	struct sd_value usl_limit; /* gamma / alpha */
};

/* What the latency model of the simulated runs makes of a core count: never measured. */
struct sd_estimate {
	unsigned cores;
	double wall;    /* s, against the reference's measured time; NAN: of another machine */
	double speedup; /* against the reference's */
	int timed;      /* the count was measured as well */
	int partial;    /* of a simulation that did not see the whole program */
	int usual;      /* by usual costs: the machine that was modelled is not calibrated */
	struct sd_value
		error; /* of the estimated time where it was measured: estimate / time - 1 */
	double lost;   /* cores, against the reference's efficiency */
	/* cores of these that the model's charges explain, each as much as it is more than at the
	 * reference, together at most all; absent: it has no charge for it, or only a part of the
	 * program was simulated. Extra work: instructions, those of waiting in loops among them. */
	struct sd_value cost[SD_CAUSE_COUNT];
};

/* The speedup at a count that was not measured. */
struct sd_predicted {
	unsigned cores;
	struct sd_interval speedup; /* the envelope, `value` the middle of what the laws say;
				       absent: not predictable */
	int beyond;                 /* as if the machine had more of the same CPUs */
	char *refused;              /* owned; why there is none; NULL */
};

/*
 * What is to be expected past the counts that were measured (METHODS 6.1): never a number without
 * its envelope, never across a border of the machine that no measured count has crossed.
 */
struct sd_outlook {
	struct sd_predicted *count; /* owned; cores rising, at most twice the last measured */
	size_t n_count;
	unsigned last, points; /* the last measured count; the counts the laws were fitted to */
	char *refused;         /* owned; why nothing is predicted at all; NULL */
	struct sd_texts basis; /* sentences: which laws, which limits, what must hold */
	/*
	 * The count from which on one more doubling gains less than a tenth, measured or predicted:
	 * from `stops_low` that cannot be excluded, from `stops_high` it is so. 0: not within what
	 * was measured and can be predicted, up to `stops_known`; that is 0 when no count was
	 * doubled.
	 */
	unsigned stops, stops_low, stops_high, stops_known;
	unsigned next_run; /* the count whose measurement would narrow this most; 0: none here */
	char *next_why;    /* owned; NULL none */
};

enum sd_scales { SD_SCALES_NO, SD_SCALES_YES, SD_SCALES_UNKNOWN };

struct sd_analysis {
	struct sd_point *point; /* owned; cores rising; [0] is the reference */
	size_t n_point;
	struct sd_finding finding[SD_CAUSE_COUNT]; /* every cause once, worst first */
	struct sd_losses losses;                   /* empty without samples at both ends */
	struct sd_lock_row *lock;                  /* owned; most wait first */
	size_t n_lock, n_lock_seen;                /* seen: the most in any run */
	struct sd_busiest_threads threads;         /* empty when nobody looked */
	struct sd_sampling sampling;
	struct sd_tested *tested; /* owned; of the plan's experiments, in its order */
	size_t n_tested;
	const struct sd_cause_info *growth; /* the cause that experiments gave most of the growth of
					       user time to; static; NULL none */
	struct sd_fits fits;
	struct sd_estimate *estimate; /* owned; cores rising; empty without simulated cycles */
	size_t n_estimate;
	struct sd_outlook outlook;
	enum sd_scales scales;
	/* static; why these runs decide nothing: neither that it scales or not, nor that a cause is
	 * likely or ruled out by its amount, nor a requirement; NULL: they may */
	const char *no_verdict;
	struct sd_interval
		lost; /* cores lost at the largest point: N - speedup stack's useful part */
	struct sd_interval whole;  /* efficiency at the largest point on cores that nobody else
				      uses; absent: they were whole, or it is not known */
	struct sd_value undecided; /* cores of growth that no rule could attribute */
	struct sd_value smallest;  /* smallest difference of efficiency that could have been seen
				      (METHODS 5) */
	struct sd_value
		drift;   /* change of the first count's time, last against first, as a fraction */
	unsigned states; /* speeds the machine was seen in: 1, 2 or 0 unknown */
	struct sd_value state_line[2]; /* round trip of each state, s */
	struct sd_value noise; /* largest share of steal + foreign CPU time of any used run */
	size_t bootstraps;
	struct sd_texts warnings; /* what the reader must know before believing the above */
};

void sd_where_free(struct sd_where *w);       /* leaves the zeroed value, accepts it */
void sd_lock_row_free(struct sd_lock_row *l); /* the same */
void sd_analysis_free(struct sd_analysis *a); /* accepts the zeroed value */

#endif
