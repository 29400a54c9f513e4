// Preloaded: the wall clock is $CLOCK_FILE's number of seconds ahead, and with $CLOCK_MONOTONIC the monotonic one, too.
// (libfaketime does as much, but it moves `environ`, from which Swift's runtime finds the arguments of the command line.)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int file = -1, moves_monotonic;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CLOCK_FILE");
    moves_monotonic = getenv("CLOCK_MONOTONIC") != NULL;
    if (path) file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

static long ahead(void) {
    char text[32] = {0};
    if (file < 0 || syscall(SYS_pread64, file, text, sizeof text - 1, 0) <= 0) return 0;
    return atol(text);
}

static int is_moved(clockid_t id) {
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) return 1;
    return moves_monotonic && (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE || id == CLOCK_BOOTTIME
                               || id == CLOCK_MONOTONIC_RAW);
}

int clock_gettime(clockid_t id, struct timespec *now) {
    int code = syscall(SYS_clock_gettime, id, now);
    if (!code && is_moved(id)) now->tv_sec += ahead();
    return code;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    int code = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return code;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
