#define _GNU_SOURCE
#include "CSystem.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <unistd.h>

static _Thread_local int refuses_to_wait;

void system_wait_for_reads(int waits) { refuses_to_wait = !waits; }

ssize_t system_read(int file, void *buffer, size_t count, off_t offset) {
    if (!refuses_to_wait) return pread(file, buffer, count, offset);
    struct iovec part = {.iov_base = buffer, .iov_len = count};
    ssize_t got = preadv2(file, &part, 1, offset, RWF_NOWAIT);
    if (got < 0 && errno != EINTR) errno = EAGAIN;
    return got;
}

int system_thread_number(void) {
    static atomic_int count;
    static _Thread_local int number = -1;
    if (number < 0) number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return number;
}

// Here and not in the header: another commit compiles this file anew, and no Swift.
#ifndef PEGBOARD_COMMIT
#define PEGBOARD_COMMIT ""
#endif

const char *system_build_commit(void) { return PEGBOARD_COMMIT; }
