/*
 * Stops what should watch over it, or itself:
 *   parent   its parent, once, and ends
 *   again    its parent, again and again, by a child that lives on
 *   traces   is its parent's tracer, and hangs
 *   traced   is traced by its parent, works and ends
 *   waits    is traced by its parent, and stops itself
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t heard;

static void hear(int signal)
{
	heard = signal;
}

static void nap(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static int stop_again_and_again(pid_t victim)
{
	if (fork() != 0) {
		nap(300);
		return 0;
	}
	setsid();
	signal(SIGTERM, SIG_IGN);
	while (kill(victim, SIGSTOP) == 0)
		;
	return 0;
}

static int trace(pid_t victim)
{
	if (ptrace(PTRACE_ATTACH, victim, NULL, NULL))
		return 77;
	waitpid(victim, NULL, __WALL);
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static int be_traced(void)
{
	char *const argv[] = {"stops", "heard", NULL};

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 77;
	execv("/proc/self/exe", argv);
	return 1;
}

int main(int argc, char **argv)
{
	const char *const how = argc > 1 ? argv[1] : "";
	const pid_t parent = getppid();

	if (strcmp(how, "parent") == 0) {
		nap(20);
		return kill(parent, SIGSTOP) != 0;
	}
	if (strcmp(how, "again") == 0)
		return stop_again_and_again(parent);
	if (strcmp(how, "traces") == 0)
		return trace(parent);
	if (strcmp(how, "traced") == 0)
		return be_traced();
	if (strcmp(how, "heard") == 0) {
		signal(SIGUSR1, hear);
		raise(SIGUSR1);
		nap(20);
		return heard != SIGUSR1;
	}
	if (strcmp(how, "waits") == 0 && ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
		raise(SIGSTOP);
		return 0;
	}
	return 77;
}
