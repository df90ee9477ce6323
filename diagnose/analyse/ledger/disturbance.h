/*
 * The machine's disturbances of the measurement, in cores (METHODS 4.2). A doubt widens the bounds
 * of the statements that contain it, by its largest possible effect, and caps no verdict.
 */
#ifndef SD_DISTURBANCE_H
#define SD_DISTURBANCE_H

#include "analysis/analysis.h"
#include "ledger/statement.h"

/* identifier; name in JSON */
#define SD_DISTURBANCES(X)                \
	X(OTHERS_CPU, "others-cpu")       \
	X(OTHERS_PEERS, "others-peers")   \
	X(OTHERS_APART, "others-apart")   \
	X(QUOTA, "quota")                 \
	X(SHARED_CORES, "shared-cores")   \
	X(UNEVEN_CORES, "uneven-cores")   \
	X(TWO_SPEEDS, "two-speeds")       \
	X(DRIFT, "drift")                 \
	X(SHORT_RUNS, "short-runs")       \
	X(NOT_ACCOUNTED, "not-accounted") \
	X(FEW_RUNS, "few-runs")

enum sd_disturbance_kind {
#define X(id, name) SD_DISTURBANCE_##id,
	SD_DISTURBANCES(X)
#undef X
		SD_DISTURBANCE_COUNT
};
#define SD_DISTURBANCE_BIT(id) (1u << SD_DISTURBANCE_##id)

/* Those that the loss as a whole contains. Time that is not accounted for is a loss like any other,
 * and when threads were looked at does not change how long a run took. */
#define SD_DISTURBANCE_OF_LOSS                                                        \
	(SD_DISTURBANCE_BIT(OTHERS_CPU) | SD_DISTURBANCE_BIT(OTHERS_PEERS) |          \
		SD_DISTURBANCE_BIT(OTHERS_APART) | SD_DISTURBANCE_BIT(QUOTA) |        \
		SD_DISTURBANCE_BIT(SHARED_CORES) | SD_DISTURBANCE_BIT(UNEVEN_CORES) | \
		SD_DISTURBANCE_BIT(TWO_SPEEDS) | SD_DISTURBANCE_BIT(DRIFT) |          \
		SD_DISTURBANCE_BIT(FEW_RUNS))

/* Those that a component of the stack contains: what a statement that is read off these components
 * has in disturbed_by. */
extern const unsigned sd_disturbance_of[SD_COMPONENT_COUNT];

/* One disturbance. Absent: it could not be measured, widens nothing, and the report names it. */
struct sd_disturbance {
	enum sd_status status;
	double added;   /* cores it can have added to what was seen, at most */
	double removed; /* cores it can have taken away from it, at most */
	double times;   /* >= 1: so many times what was seen there may be, at most; INFINITY: any */
	double spread;  /* >= 1: by so much intervals are too narrow; INFINITY: there is none */
};

/* Inputs of the amounts: means over the judged point's runs, where nothing else is said. */
struct sd_disturbance_facts {
	double n;          /* cores */
	double efficiency; /* 0..1 and above */
	unsigned runs;     /* of the judged point or the reference, whichever has fewer */
	double student;    /* quantile .975 of Student's t with runs - 1 degrees of freedom */
	/* cores */
	struct sd_value others;    /* used by other processes and by measuring */
	struct sd_value stolen;    /* taken by the hypervisor */
	struct sd_value queue;     /* the program's threads ready without a CPU, stolen included */
	struct sd_value waited;    /* the same, of the point alone: not what it has more than the
				      reference */
	struct sd_value throttled; /* stopped by the quota */
	struct sd_value user;      /* in user code */
	struct sd_interval unaccounted;
	/* widths of CPUs (METHODS 2.3, cores shared unseen): of the reference, of the judged point,
	 * of its narrowest CPU of each moment */
	struct sd_value width_ref, width, width_least;
	struct sd_value width_whole; /* of a CPU that shares its core with nobody */
	/* what CPU time of the same work differs by at most, cores; absent: not known */
	struct sd_value cpu_differs;
	/* relative changes of times */
	struct sd_value states; /* between two speeds of the machine whose runs are used together */
	struct sd_value drift; /* the first count last against first, without what widths explain */
	double drift_noise;    /* of that, what the runs' own scatter makes */
	struct sd_value period, wall; /* s: between two looks at the threads, of a run */
};

/* 1 / share of the time in which a program has both of two cores, while others have each of them
 * for the share x of the time; INFINITY: it never has both. */
double sd_disturbance_apart(double x);

/* Share of the CPUs that others, the hypervisor and measuring used, whether it was wanted or not.
 */
double sd_disturbance_had(const struct sd_disturbance_facts *f);

/* All amounts: out[SD_DISTURBANCE_COUNT]. Pure. */
void sd_disturbance_make(const struct sd_disturbance_facts *f, struct sd_disturbance *out);

/* A statement's bounds with all that disturbed it, in cores of n. */
struct sd_disturbance_bounds {
	double lower; /* 0..n; 0: it bounds nothing from below */
	double upper; /* 0..n; n: nothing from above */
};
struct sd_disturbance_bounds sd_disturbance_widen(struct sd_interval at_least,
	struct sd_interval at_most, unsigned disturbed_by, const struct sd_disturbance *d,
	double n);

#endif
