#include "CSystem.h"

// Here and not in the header: another commit compiles this file anew, and no Swift.
#ifndef PEGBOARD_COMMIT
#define PEGBOARD_COMMIT ""
#endif

const char *system_build_commit(void) { return PEGBOARD_COMMIT; }
