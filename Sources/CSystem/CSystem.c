#include "CSystem.h"

#include <stdatomic.h>

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
