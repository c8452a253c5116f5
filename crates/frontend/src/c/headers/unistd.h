/* Sleeping, which takes no time here, and what else the system has. */
#ifndef PALISADE_UNISTD_H
#define PALISADE_UNISTD_H

#include <sys/types.h>

typedef unsigned int useconds_t;

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84

extern unsigned int sleep(unsigned int seconds);
extern int usleep(useconds_t microseconds);
extern unsigned int alarm(unsigned int seconds);
extern long syscall(long number, ...);
extern ssize_t write(int file, const void *text, size_t size);
extern ssize_t read(int file, void *text, size_t size);
extern int close(int file);
static inline pid_t getpid(void) { return 1000; }
/* Pages and processors; -1 for what is not known. */
static inline long sysconf(int name)
{
    return name == _SC_PAGESIZE ? 4096 : name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN ? 4 : -1;
}
extern int getopt(int count, char *const *arguments, const char *options);
extern char *optarg;
extern int optind;
extern void _exit(int status);

#endif
