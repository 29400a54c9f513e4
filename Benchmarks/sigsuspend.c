// Preloaded under Valgrind 3.19, which writes into the mask that a program hands to sigsuspend; libdispatch hands over a
// constant, and Valgrind dies of the write. Here it gets a copy.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
