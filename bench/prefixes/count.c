// count PROGRAM ARGUMENT... runs it and prints how many threads it started and the most memory it held, in KiB. Both end
// with what it becomes: the shell has one thread and almost no memory.
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc < 2)
		return 125;
	// A child of a small program: getrusage(2) counts what was there before its execve, too.
	pid_t child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	int status, threads = 0;
	struct rusage usage;
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, child, 0, 0);
	for (;;) {
		pid_t pid = wait4(-1, &status, __WALL, &usage);
		if (pid < 0)
			return 125;
		if (WIFSTOPPED(status)) {
			int event = status >> 16, signal = WSTOPSIG(status);
			threads += event == PTRACE_EVENT_CLONE;
			// A new thread begins with a stop of its own.
			ptrace(PTRACE_CONT, pid, 0, event || signal == SIGSTOP ? 0 : signal);
		} else if (pid == child) {
			printf("%d %ld\n", threads, usage.ru_maxrss);
			return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
		}
	}
}
