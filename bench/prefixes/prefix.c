// The least that a prefix can do, in C: raise oom_score_adj and become the shell.
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv) {
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)!write(fd, "1000", 4);
	argv[0] = "bash";
	execvp("bash", argv);
	return 127;
}
