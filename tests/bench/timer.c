/*
 * timer.c - timer RUNS OUTPUT COMMAND...: runs a command so many times, its
 * output going to a file, and prints the best processor time and the best
 * wall time in seconds, the highest peak of memory in KiB, its exit status.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double
seconds(struct timeval time)
{
	return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void
become(const char *output, char **command)
{
	int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
		_exit(127);
	fd = open("/dev/null", O_WRONLY);
	if (fd >= 0)
		(void)dup2(fd, STDERR_FILENO);
	(void)execvp(command[0], command);
	_exit(127);
}

int
main(int argc, char **argv)
{
	double cpu, wall, best_cpu = 1e9, best_wall = 1e9;
	struct rusage usage;
	long peak = 0;
	int status = 0;

	if (argc < 4)
		return 2;
	for (int run = atoi(argv[1]); run > 0 && status == 0; run--) {
		double start = now();
		pid_t pid = fork();

		if (pid == 0)
			become(argv[2], argv + 3);
		if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
			return 1;
		wall = now() - start;
		cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
		best_wall = wall < best_wall ? wall : best_wall;
		best_cpu = cpu < best_cpu ? cpu : best_cpu;
		peak = usage.ru_maxrss > peak ? usage.ru_maxrss : peak;
	}
	printf("%.3f %.3f %ld %d\n", best_cpu, best_wall, peak,
	    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
