/*
 * Facts that the conditions of advice test (advice_texts.h).
 */
#ifndef SD_ADVICE_FACTS_H
#define SD_ADVICE_FACTS_H

#include "analysis/analysis.h"
#include "base/status.h"

#define SD_FACTS(X)                                                                        \
	X(CORES, "cores", "cores of the largest point")                                    \
	X(WEAK, "weak", "1: the work grows with the cores")                                \
	X(SHARE, "share", "of the cores that the cause takes")                             \
	X(RFO_SHARE, "rfo_share", "of the lines, those read to be written")                \
	X(HITM, "hitm_per_1000", "modified lines of others per 1000 instructions")         \
	X(LOCKED, "locks_per_1000", "locked accesses per 1000 instructions")               \
	X(WALKS, "dtlb_walk_share", "of the cycles, those in page walks")                  \
	X(ALLOCATED, "allocated", "cores lost below malloc and its like")                  \
	X(OPENMP, "openmp", "0: its sampled stacks have no OpenMP in them")                \
	X(PROCESSES, "processes", "1: processes of one thread each do the work")           \
	X(ONE_WORKS, "one_works", "1: one thread did all the work, at the most cores too") \
	X(COUNT_GIVEN, "count_given", "1: its arguments or variables have the core count") \
	X(TASKING, "tasking", "cores lost to making and handing out tasks")                \
	X(FAULTS, "fault_share", "of the kernel's time, page faults and zeroing")          \
	X(ZEROING, "zeroing_share", "of the kernel's time, zeroing pages")                 \
	X(MMAP_LOCK, "mmap_lock_share", "of the kernel's time, the mmap lock")             \
	X(SHOOTDOWN, "shootdown_share", "of the kernel's time, flushing other TLBs")       \
	X(FORKING, "fork_share", "of the kernel's time, page tables of processes")         \
	X(NAMES, "names_share", "of the kernel's time, names of files")                    \
	X(DESCRIPTORS, "descriptors_share", "of the kernel's time, their table")           \
	X(MUTEX, "mutex", "1: the most contended lock is a mutex")                         \
	X(RWLOCK, "rwlock", "1: it is a read-write lock")                                  \
	X(FILE_LOCK, "file_lock", "1: it is a lock on a file")                             \
	X(WRITER_LOCK, "writer_lock", "1: it is a database's, which one writer has")       \
	X(POSITION_LOCK, "position_lock", "1: it is the position of a file descriptor")    \
	X(INODE_LOCK, "inode_lock", "1: it is a file's own, which writing takes")          \
	X(DIRECTORY_LOCK, "directory_lock", "1: it is a directory's")                      \
	X(PIPE_LOCK, "pipe_lock", "1: it is a pipe's")                                     \
	X(SOCKET_LOCK, "socket_lock", "1: it is a socket's")                               \
	X(RING_LOCK, "ring_lock", "1: it is an io_uring's")                                \
	X(FUTEX_BUCKET, "futex_bucket", "1: of the kernel's locks it is a futex's place")  \
	X(EPOLL_LOCK, "epoll_lock", "1: of the kernel's locks it is an epoll's")           \
	X(OBJECT_LOCK, "object_lock", "1: it is any of these, which the kernel takes")     \
	X(SEMAPHORE, "semaphore", "1: it is a semaphore")                                  \
	X(TURNS, "turns", "1: one thread works for those who wait")                        \
	X(RUNTIME_LOCK, "runtime_lock", "1: it is a language runtime's own")               \
	X(LIBRARY_LOCK, "library_lock", "1: a function of a library took it for itself")   \
	X(CHANNEL_LOCK, "channel_lock", "1: it is a Go channel's")                         \
	X(CRITICAL, "critical", "1: it is, or the lock is, critical of OpenMP")            \
	X(LOCALE_LOCK, "locale_lock", "1: it guards what C++'s locales share")             \
	X(LOCK_BUSY, "lock_busy", "of the time, that somebody waits for it")               \
	X(LOCK_WORD, "lock_word", "1: it is in a lock of the system's library")            \
	X(REFERENCES, "references", "1: it counts references of a shared object of C++")   \
	X(RWLOCK_WORD, "rwlock_word", "1: what locks cost is mostly at read-write locks")  \
	X(LOCK_WAITED, "lock_waited", "of what locks cost, the waiting for them")          \
	X(RANKS, "ranks", "ranks of an MPI program whose calls were logged")               \
	X(MESSAGE_BYTES, "message_bytes", "mean size of messages between two ranks")       \
	X(FILES_ALONE, "files_alone", "of one thread's work alone, reading and writing")   \
	X(USABLE, "usable", "of the CPUs, those that its threads' affinity lets them use") \
	X(BOUND, "bound", "1: threads wait for the one CPU they are bound to")             \
	X(CROWDED, "crowded", "of the time, that more threads are ready than these CPUs")  \
	X(PARALLEL_BODY, "parallel_body", "1: it is the body of a parallel loop")          \
	X(PARALLEL_CALLER, "parallel_caller", "1: such a body called it")                  \
	X(INTERPRETER_LOCK, "interpreter_lock", "1: it waits for a Python interpreter's")  \
	X(MUSL, "musl", "1: memory is musl's malloc()'s")                                  \
	X(JEMALLOC, "jemalloc", "1: it is jemalloc's")                                     \
	X(MIMALLOC, "mimalloc", "1: it is mimalloc's")                                     \
	X(TCMALLOC, "tcmalloc", "1: it is tcmalloc's")                                     \
	X(TBB_MALLOC, "tbb_malloc", "1: it is oneTBB's")                                   \
	X(SMALL_REGIONS, "small_regions", "1: OpenMP's regions take less than 20 us each") \
	X(CHUNKS, "chunks", "1: it is where a loop's pieces are handed out")               \
	X(MESSAGES, "messages", "of the cause, making messages of objects")                \
	X(IN_LOCK, "in_lock", "of the cause, taking and releasing locks")                  \
	X(MAKING, "making", "of the cause, making tasks and handing them out")             \
	X(EVENT_LOOP, "event_loop", "of the serial code, what an event loop calls")        \
	X(STRAND, "strand", "of the serial code, what a strand of Asio calls")             \
	X(FORKS, "forks", "of the serial code, fork(), which copies page tables")          \
	X(MANAGER, "manager", "of the serial code, requests for objects of a process")     \
	X(COLLECTOR, "collector", "1: it is in a runtime's garbage collector")             \
	X(COLLECTORS, "collectors", "1: a runtime took another collector with more cores") \
	X(NATIVE, "native", "1: no runtime below is known to run it")                      \
	X(GO, "go", "1: Go's does")                                                        \
	X(JAVA, "java", "1: the Java virtual machine does")                                \
	X(JAVASCRIPT, "javascript", "1: Node.js does")                                     \
	X(PYTHON, "python", "1: a Python interpreter does")                                \
	X(RUST, "rust", "1: it is linked with Rust's standard library")                    \
	X(HANDED, "handed", "of the waits for peers, those of hand-overs")                 \
	X(JOINED, "joined", "of the waits for peers, those for a thread's end")            \
	X(BROADCAST, "broadcast", "of the kernel's work for threads, waking all")          \
	X(CREATED, "created", "of the kernel's work for threads, making and ending them")  \
	X(DISCARDED, "discarded", "of the time, waits for a future where it is made")      \
	X(PREFETCH_GAIN, "prefetch_gain", "of the cores, free without prefetchers")        \
	X(WARM_GAIN, "warm_gain", "of the cores, free when its files are cached")          \
	X(READ_CACHED, "read_cached", "of its files, what is cached as it is")             \
	X(RACE, "race", "1: its results differ between runs, as with a race")

enum sd_fact {
#define X(id, name, meaning) SD_FACT_##id,
	SD_FACTS(X)
#undef X
		SD_FACT_COUNT
};

struct sd_advice_facts {
	struct sd_value value[SD_FACT_COUNT];
};

/* Sets the facts that hold for all causes of the record; the rest is absent. */
struct sd_case;
void sd_advice_facts_gather(const struct sd_case *c, struct sd_advice_facts *f);

/* Sets the facts about the place of one cause. */
void sd_advice_facts_place(
	const struct sd_case *c, const struct sd_finding *f, struct sd_advice_facts *facts);

#endif
