/*
 * The result of the analysis, which reports print. A pure function of the record; reports compute
 * nothing.
 */
#ifndef SD_ANALYSIS_H
#define SD_ANALYSIS_H

#include <stddef.h>

#include "analysis/event_hotspots.h"
#include "analysis/other_state.h"
#include "analysis/rank_losses.h"
#include "analysis/region_losses.h"
#include "record/cause.h"
#include "record/core_time.h"
#include "record/experiment.h"
#include "record/plan.h"
#include "record/run.h"
#include "base/status.h"
#include "base/texts.h"

/* A number the report shows beside the stack. */
struct sd_shown {
	const char *name, *unit; /* static strings */
	struct sd_interval value;
	const char *source; /* "os", "perf", "counters"; static */
	/* for metrics of the tables, which outlive the analysis; else NULL and 0 */
	const char *meaning, *reference; /* what it means; its source */
	const char *advice;              /* what to do beyond its threshold; NULL: none */
	const char *part_of;     /* the metric that it is a part of; "slots": of all; NULL */
	enum sd_quality quality; /* that of its worst count */
	int over;                /* beyond its threshold: worth a look */
	int shared;              /* its counts may include SMT siblings */
	int multiplexed;         /* counted for part of the time and scaled up */
};

struct sd_point {
	unsigned cores;       /* as asked */
	unsigned n;           /* N of the stack: min(cores, CPUs bound) */
	size_t runs;          /* used for the numbers below */
	int exact;            /* one, of a modelled machine: no other would differ */
	size_t runs_other;    /* finished, but in another machine state or across a change */
	size_t runs_outlying; /* those of `runs` with outlying times: part of the median time, not
				 of the stack */
	struct sd_interval wall, speedup, efficiency;
	struct sd_interval parallelism; /* degree of parallelism: mean number of cores doing the
					   program's work, without spinning */
	struct sd_interval karp_flatt;  /* serial fraction e(n); absent at the reference */
	struct sd_interval stack[SD_COMPONENT_COUNT]; /* cores; absent: not part of this stack.
							 Those present sum to n within 1e-9 */
	struct sd_shown *shown;                       /* owned */
	size_t n_shown;
};

/* A place in the program's own code. Strings are owned, NULL unknown; names are complete, as in the
 * symbol table and DWARF, and may contain any byte. */
struct sd_where {
	char *function, *file;
	char *module; /* path of the program or library */
	char *in;     /* library or kernel function it called, in which the time was spent */
	char *from;   /* its most frequent caller in the program */
	char *object; /* the data that it is about: a variable, memory by where it is allocated */
	unsigned line;
	double share;    /* of the cause's cores */
	int interpreter; /* it is one of an interpreter's own functions: whose code that runs is not
			    known */
};

/*
 * A function and the cores it costs at the largest point beyond those at the reference (times
 * omega), mean of the sampled runs. `cost` covers its lines and what libraries and the kernel do
 * for them; over all rows and the rest it sums to the components. For functions outside the
 * program's own code it is 0: their cores are charged to the callers.
 */
struct sd_loss_row {
	struct sd_where at; /* line: its costliest; share: unused */
	int own;            /* of the program's own code */
	double cost[SD_COST_COUNT];
	struct sd_interval total; /* of cost */
	struct sd_interval exclusive,
		inclusive; /* of its own instructions; including all it calls */
};

/* Cores lost in `callee`, and below it, when called by `caller`; both index rows. */
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
	double rest[SD_COST_COUNT];    /* of functions without a row */
	double unknown[SD_COST_COUNT]; /* cores without a call stack */
	struct sd_loss_call *call;     /* owned; most first */
	size_t n_call;
	struct sd_loss_path *path; /* owned; most first */
	size_t n_path;
	struct sd_loss_line *line; /* owned; most first */
	size_t n_line;
};

/* A lock that threads waited for at the largest point; means per run. */
#define SD_LOCK_ROWS 16
struct sd_lock_row {
	char *name;       /* owned; NULL unknown */
	const char *kind; /* static: "mutex" */
	double waits, wait_s, longest_s;
	struct sd_interval cores;         /* waiting for it, mean */
	struct sd_value conflict;         /* share of the acquisitions that waited */
	struct sd_value busy;             /* share of the time in which somebody waited for it */
	struct sd_where *holder, *waiter; /* owned; most first; share: of wait_s */
	size_t n_holder, n_waiter;
};

/*
 * A thread's bottle (bottle graph, Du Bois 2013). Height: its share of the time in which any thread
 * ran, divided at every moment equally among the running threads. Width: mean number of threads
 * running while it ran.
 */
struct sd_thread_row {
	int tid;
	char name[16];                     /* any bytes */
	unsigned stage, stages, processes; /* of a pipeline, 0: none; brief ones of that name */
	double height_s, width, share;
};

/* How many threads were running or ready at a time at the largest point, and which. */
#define SD_THREAD_ROWS 16
struct sd_busiest_threads {
	double *together; /* owned; [k]: share of the time with exactly k, mean of the runs */
	size_t n_together;
	int by_switches; /* from context switches in every run; 0: from polled thread states */
	struct sd_where *alone; /* owned; where a thread ran alone; share: of that time */
	size_t n_alone;
	struct sd_thread_row *row; /* owned; of one run near the median; highest first */
	size_t n_row, n_seen;
};

/* The source of functions and wait reasons, over the used runs of all points. */
struct sd_sampling {
	enum sd_status status; /* ok: sampled; absent: sampling was off */
	enum sd_status switch_stacks, kernel, wakers, programs; /* the worst of the runs */
	int idle;                                               /* waits by switches in every run */
	int mixed; /* some of the used runs have no samples */
	int ended; /* in some runs an exec made the kernel close the events (SD_RUN_UNREADABLE) */
	double hz_least, hz_most; /* samples a second and core */
	struct sd_value sample_s; /* cost of one sample: the largest */
	double samples, switches, lost;
	double unwatched; /* share of the time without recorded switches: the largest */
	double stack_least, stack_most; /* bytes of its stack that a sample copied; 0 unknown */
	struct sd_value pointed;        /* share of stacks with callers by frame pointers */
	struct sd_value unwound;        /* share of complete stacks */
	struct sd_value cost;           /* CPU time of reading them / the program's CPU time */
};

/* The constructs that make the program parallel: 1, or 0 for not; absent: nobody looked. */
struct sd_constructs {
	struct sd_value openmp;    /* an OpenMP runtime, or code that one runs, is in its stacks */
	struct sd_value threads;   /* several threads of one process worked */
	struct sd_value processes; /* several processes worked */
};

struct sd_finding {
	enum sd_cause cause;
	enum sd_verdict verdict;
	int of_growth;    /* its cost is a part of the growth of user time */
	int contradicted; /* possible, but a measurement speaks against it */
	int disagree;     /* two sources contradict each other about its cores */
	/* Lost at the largest point: the best estimate, at least, and at most (METHODS 4); absent
	 * when nobody has measured it. */
	struct sd_interval cores;
	struct sd_interval share; /* of the largest point's N, 0..1 */
	struct sd_interval worth; /* speed-up at the largest point if removed; high is INFINITY
				     where all of the cores may be its doing; absent unknown */
	struct sd_texts evidence; /* sentences, numbers with units */
	size_t named; /* index into the evidence from which on a simulated run shows a cause that is
			 not measurable; 0 none */
	struct sd_where *where;
	size_t n_where;
	struct sd_texts advice;
	char *what, *next; /* owned, NULL none: what most of it is, said; what would decide it */
};

/* An experiment that was considered, and its effect on the program's time. */
struct sd_tested {
	enum sd_experiment experiment;
	unsigned cores;          /* of the point where it was done */
	size_t pairs;            /* of plain and changed runs, each within one machine state */
	unsigned elsewhere;      /* they are of hardware in the state that is not compared: 1 near,
				    2 far; 0: they are not, or it does not matter */
	struct sd_interval time; /* changed run / plain run; for copies their mean; absent: no
				    pairs, or the program was not part of it */
	struct sd_interval reference; /* the same at the reference, of an experiment at both */
	struct sd_interval loss; /* share of the largest point's N lost to what was changed, as far
				    as it shows; absent unknown */
	double cost_s;           /* what its runs took */
	int decided;             /* more pairs would not change what it says */
	char *skipped;           /* owned; why it was not done, or stopped; NULL */
	int lacked_time;         /* it was not done for want of time alone */
	int left_out;            /* there was time, and it was not expected to tell more */
	struct sd_texts seen;    /* sentences */
};

/* A least-squares summary of the speedups, never a cause. */
struct sd_fits {
	struct sd_value amdahl_serial;                  /* serial fraction */
	struct sd_value usl_alpha, usl_beta, usl_gamma; /* METHODS 1.8; needs >= 6 points */
	struct sd_value usl_peak;  /* cores at the maximum; absent when beta = 0 */
	struct sd_value usl_limit; /* gamma / alpha */
};

/* The latency model's prediction for a core count, from simulated runs; never measured. */
struct sd_estimate {
	unsigned cores;
	double wall;    /* s, scaled from the reference's measured time; NAN: another machine was
			   modelled */
	double speedup; /* against the reference's */
	int timed;      /* the count was also measured */
	int partial;    /* not the whole program was simulated */
	int usual;      /* with default costs: the modelled machine is not calibrated */
	struct sd_value error; /* estimated / measured time - 1 */
	double lost;           /* cores, against the reference's efficiency */
	/* cores of `lost` that each charge of the model explains by its growth from the reference,
	 * together at most all. Absent: the model has no such charge, or only a part of the program
	 * was simulated. Extra work means instructions, including those of wait loops. */
	struct sd_value cost[SD_CAUSE_COUNT];
};

/* The predicted speedup at a count that was not measured. */
struct sd_predicted {
	unsigned cores;
	struct sd_interval speedup; /* the envelope, with the laws' median as `value`; absent: not
				       predictable */
	int beyond;                 /* assumes a machine with more of the same CPUs */
	char *refused;              /* owned; why there is none; NULL */
};

/*
 * The prediction for counts beyond those measured (METHODS 6.1): never a number without its
 * envelope, never across a machine border that no measured count has crossed.
 */
struct sd_outlook {
	struct sd_predicted *count; /* owned; cores rising, at most twice the last measured */
	size_t n_count;
	unsigned last, points; /* the last measured count; the counts the laws were fitted to */
	char *refused;         /* owned; why nothing is predicted at all; NULL */
	struct sd_texts basis; /* sentences: which laws, which limits, what must hold */
	/*
	 * The count from which one more doubling gains less than 10 %, measured or predicted:
	 * possible from `stops_low` on, certain from `stops_high` on. 0: not up to `stops_known`,
	 * the largest count measured or predictable, which is 0 if no count was doubled.
	 */
	unsigned stops, stops_low, stops_high, stops_known;
	unsigned next_run; /* the count whose measurement would narrow the envelope most; 0: none
			      here */
	char *next_why;    /* owned; NULL none */
};

/* A program scales from this efficiency on ("above .8 acceptable", POP; METHODS 1.4). */
#define SD_SCALES_FROM .8

enum sd_scales { SD_SCALES_NO, SD_SCALES_YES, SD_SCALES_UNKNOWN };

/* A step that was run: runs of one kind for one reason, one after the other. */
struct sd_step_row {
	enum sd_run_kind kind;
	enum sd_experiment experiment; /* COUNT: none */
	size_t runs;
	struct sd_value at, took;    /* s: since the first run began; of its runs with theirs */
	int rests;                   /* no run: it waited until the machine changed its state */
	int chosen;                  /* else it was due in any case */
	struct sd_run_choice choice; /* expected of its first run; narrows 0: asked for, or begun */
	double planned;              /* s that all of it was expected to take */
};

/* Why no more is to be done. */
enum sd_stop {
	SD_STOP_NOT,
	SD_STOP_SHORT,
	SD_STOP_DECIDED,
	SD_STOP_NOTHING,
	SD_STOP_BUDGET,
	SD_STOP_KNOWN,  /* another window would not change the answer */
	SD_STOP_WINDOWS /* it would, and as many as were asked for, or at most, were made */
};

/* The worth of more plain runs: ENOUGH: they would not change the answer; NARROW, FIRST: they tell
 * less, or more, for each second than the experiment that tells most. */
enum sd_runs_wanted { SD_RUNS_ENOUGH, SD_RUNS_NARROW, SD_RUNS_FIRST };

struct sd_analysis {
	struct sd_point *point; /* owned; ascending by cores; [0] is the reference */
	size_t n_point;
	struct sd_finding finding[SD_CAUSE_COUNT]; /* every cause once, worst first */
	struct sd_losses losses;                   /* empty unless both ends were sampled */
	struct sd_event_hotspots events;           /* empty unless events were sampled */
	struct sd_lock_row *lock;                  /* owned; most wait first */
	size_t n_lock, n_lock_seen;                /* n_lock_seen: the most in any run */
	struct sd_rank_losses ranks;               /* of an MPI program */
	struct sd_region_losses regions;           /* of a program that has some */
	struct sd_busiest_threads threads;         /* empty if nobody looked */
	struct sd_sampling sampling;
	struct sd_constructs constructs;
	struct sd_tested *tested; /* owned; of the plan's experiments, in its order */
	size_t n_tested;
	size_t next; /* index of the one that narrows most for each second; n_tested: none */
	enum sd_runs_wanted runs_wanted; /* plain runs, beyond those that every count gets */
	int is_decided; /* causes that are likely or confirmed surely have most of the loss, or the
			   first of them in all likelihood; no other can have more than the first;
			   or there is no loss */
	struct sd_run_choice next_is, runs_are; /* of that experiment; of a run of every count */
	/* of a burst of samples of loads and stores, where this machine can; does it tell most for
	 * each second then? */
	struct sd_run_choice burst_is;
	int burst_first;
	struct sd_rest rest;        /* before those runs */
	struct sd_pass_list passes; /* those that runs are wanted for; n 0: none */
	struct sd_step_row *step;   /* owned; in their order */
	size_t n_step;
	enum sd_stop
		stop;   /* of what may narrow causes; NOT: there is more to do, or one count only */
	int needs_node; /* what was counted would say more with a calibration of this node, for
			   which there is time */
	const struct sd_cause_info *growth; /* the cause to which experiments attribute most of the
					       growth of user time; static; NULL none */
	struct sd_fits fits;
	struct sd_estimate
		*estimate; /* owned; ascending by cores; empty without simulated cycles */
	size_t n_estimate;
	double work; /* with a throughput: the work that all times are for, in its unit; else 0 */
	struct sd_outlook outlook;
	enum sd_scales scales;
	/* the speedup at the largest point with all that may have disturbed it: what `scales` is
	 * decided by; absent where nothing bounds it */
	struct sd_interval surely;
	/* static; why these runs decide nothing: neither whether it scales, nor that a cause is
	 * likely or ruled out by its amount, nor a requirement; NULL: they can decide */
	const char *no_verdict;
	/* s that the reference takes, where that is too little to tell a cause from its start, or
	 * mostly its start: no cause is named then. Absent: it takes long enough, or nobody looked
	 */
	struct sd_value too_short;
	int is_start; /* of that time more than half was seen in its start: loading and linking */
	struct sd_interval lost;  /* cores lost at the largest point: N - the stack's useful part */
	struct sd_interval whole; /* efficiency at the largest point on unshared cores; absent: they
				     were unshared, or it is unknown */
	/* s, least and most CPU time of a run of the reference, where that differs by more than
	 * cores do; absent: as much each time */
	struct sd_interval varied;
	struct sd_value undecided; /* cores of growth that no rule could attribute */
	struct sd_value smallest;  /* smallest detectable difference of efficiency (METHODS 5) */
	struct sd_value drift; /* relative change of the first count's time from first to last */
	unsigned states;       /* number of machine states seen: 1, 2, or 0 unknown */
	struct sd_value state_line[2]; /* round trip of each state, s */
	/* where runs take longer in one of two states: the speedup at the largest point in each,
	 * of medians, near first, and of how many runs at least */
	struct sd_value state_speedup[2];
	size_t state_runs[2];
	struct sd_other_state other; /* what the one says whose runs are not compared */
	struct sd_value noise;       /* largest share of steal + foreign CPU time of any used run */
	size_t bootstraps;
	/* waits that the program chose, SLEEP or NETWORK; absent: not surely half of the loss */
	struct sd_interval own_wait;
	enum sd_component own_wait_of;
	struct sd_where own_wait_at;
	struct sd_texts warnings; /* what the reader must know before trusting the above */
};

void sd_where_free(struct sd_where *w);       /* leaves the zeroed value, accepts it */
void sd_lock_row_free(struct sd_lock_row *l); /* the same */
void sd_analysis_free(struct sd_analysis *a); /* accepts the zeroed value */

/* The throughput of a program that has one (--rate, attach --cores); absent without. */
struct sd_interval sd_point_throughput(const struct sd_point *p);
/* The time that records are compared by: the wall time, or with a throughput the time that the work
 * of `a` takes. */
struct sd_interval sd_point_time(const struct sd_analysis *a, const struct sd_point *p);
/* Work per time for a time, and the other way round. */
struct sd_interval sd_analysis_inverse(double work, struct sd_interval v);

#endif
