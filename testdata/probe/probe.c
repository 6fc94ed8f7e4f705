// probe prepare COMMAND…   puts this process into an odd but legal state (signals, limits, umask, descriptors), then runs COMMAND
// probe report [WORD…]     prints everything that a process can inherit, and the words
// In C, since the runtime of anything else changes some of it before the program begins.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void ignore_all(const char *list) {
  char *copy = strdup(list);
  for (char *s = strtok(copy, ","); s; s = strtok(NULL, ",")) signal(atoi(s), SIG_IGN);
}

static int prepare(char **command) {
  if (getenv("PROBE_IGNORE")) ignore_all(getenv("PROBE_IGNORE"));
  if (getenv("PROBE_BLOCK")) {
    sigset_t set;
    if (!strcmp(getenv("PROBE_BLOCK"), "all")) sigfillset(&set);
    else { sigemptyset(&set); sigaddset(&set, atoi(getenv("PROBE_BLOCK"))); }
    sigprocmask(SIG_BLOCK, &set, NULL);
  }
  if (getenv("PROBE_CLOSE")) for (const char *p = getenv("PROBE_CLOSE"); *p; p++) close(*p - '0');
  umask(0137);
  struct rlimit core = {4096, 8192}, nofile = {300, 4000}, stack = {7 << 20, 9 << 20};
  setrlimit(RLIMIT_CORE, &core); setrlimit(RLIMIT_NOFILE, &nofile); setrlimit(RLIMIT_STACK, &stack);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 1;
  dup2(pair[0], 3);                                       // OpenClaw's lineage socket
  dup2(open("/dev/null", O_WRONLY | O_APPEND | O_NONBLOCK), 17);
  dup2(open("/", O_RDONLY | O_DIRECTORY), 99);
  for (int fd = 4; fd < 17; fd++) close(fd);
  execvp(command[0], command);
  perror(command[0]);
  return 127;
}

static int report(int argc, char **argv) {
  for (int i = 0; i < argc; i++) printf("word %s\n", argv[i]);
  for (char **e = environ; *e; e++) printf("env %s\n", *e);
  char dir[4096];
  printf("cwd %s\n", getcwd(dir, sizeof dir));
  mode_t mask = umask(0); umask(mask);
  printf("umask %04o\npgid_is_parents %d\nsid_is_parents %d\n", mask, getpgrp() == getpgid(getppid()), getsid(0) == getsid(getppid()));
  for (int r = 0; r < RLIM_NLIMITS; r++) {
    struct rlimit l; getrlimit(r, &l);
    printf("rlimit %d %llu %llu\n", r, (unsigned long long)l.rlim_cur, (unsigned long long)l.rlim_max);
  }
  char line[256]; FILE *status = fopen("/proc/self/status", "re");
  while (fgets(line, sizeof line, status))
    if (!strncmp(line, "Sig", 3) || !strncmp(line, "Shd", 3) || !strncmp(line, "NoNewPrivs", 10) || !strncmp(line, "Cap", 3)) {
      if (strncmp(line, "SigQ", 4)) fputs(line, stdout);
    }
  fclose(status);
  for (int fd = 0; fd < 1024; fd++) {
    int flags = fcntl(fd, F_GETFL); struct stat st; char path[64], target[4096]; ssize_t n;
    if (flags < 0) continue;
    fstat(fd, &st);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    n = readlink(path, target, sizeof target - 1); target[n > 0 ? n : 0] = 0;
    if (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) strcpy(target, "(pipe or socket)"); // its number differs from run to run
    printf("fd %d mode %o flags %o cloexec %d %s\n", fd, st.st_mode, flags, fcntl(fd, F_GETFD), target);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "prepare")) return prepare(argv + 2);
  if (argc > 1 && !strcmp(argv[1], "report")) return report(argc - 2, argv + 2);
  return 64;
}
