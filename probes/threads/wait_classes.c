#include "threads/wait_classes.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

struct syscall_row {
	long nr;
	enum sd_wait wait;
};

/* Waits whose class the system call alone tells. What an architecture has not is left out. */
static const struct syscall_row by_syscall[] = {
	{SYS_wait4, SD_WAIT_JOIN},
	{SYS_waitid, SD_WAIT_JOIN},
	{SYS_rt_sigsuspend, SD_WAIT_JOIN}, /* how shells wait for SIGCHLD */
	{SYS_clone, SD_WAIT_JOIN},         /* CLONE_VFORK: until the child's exec or exit */
#ifdef SYS_vfork
	{SYS_vfork, SD_WAIT_JOIN},
#endif
#ifdef SYS_clone3
	{SYS_clone3, SD_WAIT_JOIN},
#endif
	/* for a signal: whoever waits so has nothing to compute, like one who joins */
	{SYS_rt_sigtimedwait, SD_WAIT_JOIN},
#ifdef SYS_pause
	{SYS_pause, SD_WAIT_JOIN},
#endif
	{SYS_nanosleep, SD_WAIT_SLEEP},
	{SYS_clock_nanosleep, SD_WAIT_SLEEP},
	{SYS_fsync, SD_WAIT_DISK},
	{SYS_fdatasync, SD_WAIT_DISK},
	{SYS_sync_file_range, SD_WAIT_DISK},
	{SYS_msync, SD_WAIT_DISK},
	{SYS_sync, SD_WAIT_DISK},
	{SYS_syncfs, SD_WAIT_DISK},
	{SYS_io_getevents, SD_WAIT_DISK},
	{SYS_flock, SD_WAIT_LOCK},
	{SYS_semop, SD_WAIT_SYNC},
	{SYS_semtimedop, SD_WAIT_SYNC},
#ifdef SYS_futex_waitv
	{SYS_futex_waitv, SD_WAIT_SYNC},
#endif
};

/* Reads, writes and polls: interruptible on a pipe, socket or terminal, not so on a file. */
static const long on_a_file[] = {
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_pread64,
	SYS_pwrite64,
	SYS_preadv,
	SYS_pwritev,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_recvmmsg,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_sendfile,
	SYS_splice,
	SYS_accept,
	SYS_accept4,
	SYS_connect,
	SYS_ppoll,
	SYS_pselect6,
	SYS_epoll_pwait,
	SYS_msgrcv,
	SYS_msgsnd,
	SYS_mq_timedreceive,
	SYS_mq_timedsend,
	SYS_openat,
#ifdef SYS_open
	SYS_open,
#endif
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_select
	SYS_select,
#endif
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
	SYS_epoll_pwait2,
#endif
};

/* Calls that take the lock of the address space to write; waiting for it is uninterruptible. */
static const long on_memory[] = {
	SYS_mmap,
	SYS_munmap,
	SYS_mprotect,
	SYS_madvise,
	SYS_mremap,
	SYS_brk,
	SYS_mlock,
	SYS_munlock,
	SYS_exit,
	SYS_exit_group,
};

struct wchan_row {
	const char *prefix;
	enum sd_wait wait;
};

/*
 * Kernel functions threads sleep in, for when the system call may not be read. A futex wait is then
 * of unknown value: a peer is waited for, with or without a lock.
 */
static const struct wchan_row by_wchan[] = {
	{"futex_", SD_WAIT_SYNC},
	{"do_futex", SD_WAIT_SYNC},
	{"rt_mutex", SD_WAIT_LOCK},
	{"locks_lock_", SD_WAIT_LOCK},
	{"flock_lock_", SD_WAIT_LOCK},
	{"posix_lock_", SD_WAIT_LOCK},
	{"fcntl_setlk", SD_WAIT_LOCK},
	/* locks of an object that threads share by a system call: a descriptor's position, a
	 * socket, a directory; the caller is named where the lock's function is left out */
	{"fdget_pos", SD_WAIT_LOCK},
	{"__fdget_pos", SD_WAIT_LOCK},
	{"__lock_sock", SD_WAIT_LOCK},
	{"lock_sock_", SD_WAIT_LOCK},
	{"filename_create", SD_WAIT_LOCK},
	{"do_unlinkat", SD_WAIT_LOCK},
	{"do_rmdir", SD_WAIT_LOCK},
	{"lock_rename", SD_WAIT_LOCK},
	{"open_last_lookups", SD_WAIT_LOCK},
	{"do_wait", SD_WAIT_JOIN},
	{"wait_for_vfork_done", SD_WAIT_JOIN},
	{"kernel_clone", SD_WAIT_JOIN},
	{"hrtimer_nanosleep", SD_WAIT_SLEEP},
	{"do_nanosleep", SD_WAIT_SLEEP},
	{"pipe_", SD_WAIT_PIPE},
	{"anon_pipe_", SD_WAIT_PIPE},
	{"poll_schedule", SD_WAIT_NETWORK},
	{"do_poll", SD_WAIT_NETWORK},
	{"do_sys_poll", SD_WAIT_NETWORK},
	{"do_select", SD_WAIT_NETWORK},
	{"ep_poll", SD_WAIT_NETWORK},
	{"do_epoll_wait", SD_WAIT_NETWORK},
	{"wait_woken", SD_WAIT_NETWORK},
	{"n_tty_read", SD_WAIT_NETWORK},
	{"unix_", SD_WAIT_NETWORK},
	{"sk_wait", SD_WAIT_NETWORK},
	{"__skb_wait", SD_WAIT_NETWORK},
	{"tcp_", SD_WAIT_NETWORK},
	{"inet_csk_accept", SD_WAIT_NETWORK},
	{"folio_", SD_WAIT_DISK},
	{"filemap_", SD_WAIT_DISK},
	{"io_schedule", SD_WAIT_DISK},
	/* Locks of the kernel itself. The functions that sleep in one are left out of wchan by most
	 * kernels (__sched): their callers on the way of a fault or a change of the mappings. */
	{"lock_mm", SD_WAIT_KERNEL},
	{"lock_vma", SD_WAIT_KERNEL},
	{"do_user_addr_fault", SD_WAIT_KERNEL},
	{"vm_mmap_pgoff", SD_WAIT_KERNEL},
	{"__vm_munmap", SD_WAIT_KERNEL},
	{"vm_munmap", SD_WAIT_KERNEL},
	{"do_mprotect", SD_WAIT_KERNEL},
	{"do_madvise", SD_WAIT_KERNEL},
	{"rwsem_", SD_WAIT_KERNEL},
	{"down_", SD_WAIT_KERNEL},
	{"__down", SD_WAIT_KERNEL},
	{"mutex_", SD_WAIT_KERNEL},
	{"__mutex", SD_WAIT_KERNEL},
	{"userfaultfd", SD_WAIT_UNKNOWN},
	{"handle_userfault", SD_WAIT_UNKNOWN},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct wchan_row *find_wchan(const char *wchan)
{
	for (size_t i = 0; wchan && i < COUNT(by_wchan); i++)
		if (strncmp(wchan, by_wchan[i].prefix, strlen(by_wchan[i].prefix)) == 0)
			return &by_wchan[i];
	return NULL;
}

/*
 * Classifies a futex by how the libraries in use wait on theirs:
 *
 * - A mutex is 0 free, 1 held, 2 held and waited for (Drepper, "Futexes are tricky", 2011): glibc,
 *   Rust. libgomp writes -1 for 2. musl writes the owner's number and its top bit.
 * - glibc's barrier has its round counter there, which is 2 for one round when two take part; but
 *   the counter is the second word of the barrier, and a mutex is the first word of an 8-byte
 *   aligned object, so that the address tells them apart. The same holds for libgomp's generation.
 *   A mutex may lie elsewhere when the language has small ones (Rust): see sd_wait_classes_again.
 * - glibc's rwlock waits by FUTEX_WAIT_BITSET for 2 or 3.
 * - pthread_join waits for the word that holds the thread's number, which the kernel clears; it is
 *   the only wait of glibc that is not private.
 */
static enum sd_wait classify_futex(const struct sd_wait_facts *f)
{
	const uint64_t *const arg = f->syscall->arg;
	const uint64_t op = arg[1] & FUTEX_CMD_MASK & 0xffffffff;
	const uint32_t value = (uint32_t)arg[2], number = value & FUTEX_TID_MASK;
	const int private = (arg[1] & FUTEX_PRIVATE_FLAG) != 0;

	if (op == FUTEX_LOCK_PI || op == 13 /* FUTEX_LOCK_PI2, Linux 5.14 */)
		return SD_WAIT_LOCK;
	if (op != FUTEX_WAIT && op != FUTEX_WAIT_BITSET)
		return SD_WAIT_SYNC;
	if (!private && value == number && f->is_thread && f->is_thread(f->ctx, value))
		return SD_WAIT_JOIN;
	if ((value & FUTEX_WAITERS) && value != UINT32_MAX && f->is_thread &&
		f->is_thread(f->ctx, number))
		return SD_WAIT_LOCK;
	if (op == FUTEX_WAIT_BITSET)
		return value == 2 || value == 3 ? SD_WAIT_LOCK : SD_WAIT_SYNC;
	if (value == UINT32_MAX || (value == 2 && arg[0] % 8 == 0))
		return SD_WAIT_LOCK;
	return SD_WAIT_SYNC;
}

static int is_among(const long *calls, size_t n, long nr)
{
	for (size_t i = 0; i < n; i++)
		if (calls[i] == nr)
			return 1;
	return 0;
}

/* A file's write function sleeps by itself for the file's lock only: what it waits for of the disk
 * is called below it. */
static int is_write_of_file(const char *wchan)
{
	static const char end[] = "_write_iter";
	const size_t n = wchan ? strlen(wchan) : 0;

	return n >= sizeof end && strcmp(wchan + n + 1 - sizeof end, end) == 0;
}

/* State D: uninterruptible. A block device, unless the kernel function or the call says that it is
 * a lock: one that the kernel takes of what threads share, or one of its own. */
static enum sd_wait classify_disk(const struct sd_wait_facts *f)
{
	const struct wchan_row *const row = find_wchan(f->wchan);

	/* data are waited for interruptibly, the pipe's mutex not; of a lock without an owner the
	 * call says what it is of */
	if (is_write_of_file(f->wchan) || (row && row->wait == SD_WAIT_PIPE) ||
		(row && row->wait == SD_WAIT_KERNEL && f->syscall &&
			f->syscall->where == SD_PROC_SYSCALL &&
			is_among(on_a_file, COUNT(on_a_file), f->syscall->nr)))
		return SD_WAIT_LOCK;
	if (row && row->wait != SD_WAIT_NETWORK)
		return row->wait;
	if (!f->syscall)
		return SD_WAIT_DISK;
	if (f->syscall->where != SD_PROC_SYSCALL) /* a page fault: for a page or for a lock */
		return SD_WAIT_UNKNOWN;
	return is_among(on_memory, COUNT(on_memory), f->syscall->nr) ? SD_WAIT_KERNEL
								     : SD_WAIT_DISK;
}

static enum sd_wait classify_syscall(const struct sd_wait_facts *f)
{
	const long nr = f->syscall->nr;

	for (size_t i = 0; i < COUNT(by_syscall); i++)
		if (by_syscall[i].nr == nr)
			return by_syscall[i].wait;
	/* for whoever has locked the file; other commands of fcntl() wait for nobody */
	if (nr == SYS_fcntl &&
		(f->syscall->arg[1] == F_SETLKW || f->syscall->arg[1] == F_OFD_SETLKW))
		return SD_WAIT_LOCK;
	if (f->state == 'D')
		return classify_disk(f);
	if (is_among(on_a_file, COUNT(on_a_file), nr))
		return f->on_pipe ? SD_WAIT_PIPE : f->on_timer ? SD_WAIT_SLEEP : SD_WAIT_NETWORK;
	return SD_WAIT_UNKNOWN;
}

int sd_wait_classes_names_file(long nr)
{
	static const long calls[] = {SYS_read, SYS_write, SYS_readv, SYS_writev};

	return is_among(calls, COUNT(calls), nr);
}

struct sd_wait_seen sd_wait_classes_classify(const struct sd_wait_facts *f)
{
	const struct sd_proc_syscall *const call = f->syscall;
	const struct wchan_row *row;
	struct sd_wait_seen seen = {.wait = SD_WAIT_UNKNOWN};

	if (f->state == 'R') {
		seen.wait = SD_WAIT_NONE;
	} else if (strchr("ZXxTtIP", f->state)) {
		seen.wait = SD_WAIT_GONE;
	} else if (call && call->where == SD_PROC_SYSCALL && call->nr == SYS_futex) {
		seen.wait = classify_futex(f);
		seen.address = call->arg[0];
		seen.plain = (call->arg[1] & FUTEX_CMD_MASK & 0xffffffff) == FUTEX_WAIT;
		seen.maybe_lock =
			seen.wait == SD_WAIT_SYNC && seen.plain && (uint32_t)call->arg[2] == 2;
	} else if (call && call->where == SD_PROC_SYSCALL) {
		seen.wait = classify_syscall(f);
	} else if (f->state == 'D') {
		seen.wait = classify_disk(f);
	} else {
		row = find_wchan(f->wchan);
		seen.wait = row ? row->wait : SD_WAIT_UNKNOWN;
	}
	return seen;
}

void sd_wait_classes_again(struct sd_wait_seen *seen, uint64_t *last)
{
	if (seen->maybe_lock && seen->address == *last)
		seen->wait = SD_WAIT_LOCK;
	*last = seen->maybe_lock ? seen->address : 0;
}
