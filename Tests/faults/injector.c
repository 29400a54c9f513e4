// Preloaded: counts the calls that change files below $INJECTOR_FOLDER. At call $INJECTOR_AT, or from there on
// ($INJECTOR_FOREVER, until a file of that name exists), it fails with $INJECTOR_ERRNO; without an errno the process dies
// there, with half of a write done. How many calls there were goes to $INJECTOR_COUNT when the process exits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 65536
static const char *folder, *forever, *tally;
static long at = -1, code;
static atomic_long calls;
static char watched[MOST];

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    folder = getenv("INJECTOR_FOLDER");
    forever = getenv("INJECTOR_FOREVER");
    tally = getenv("INJECTOR_COUNT");
    at = number("INJECTOR_AT", -1);
    code = number("INJECTOR_ERRNO", 0);
}

__attribute__((destructor)) static void end(void) {
    if (!tally) return;
    FILE *file = fopen(tally, "w");
    if (!file) return;
    fprintf(file, "%ld\n", (long)calls);
    fclose(file);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

static int is_ours(const char *path) {
    return folder && path && !strncmp(path, folder, strlen(folder)) && !strstr(path, "-shm") && !strstr(path, ".lock");
}

static int strikes(int fd, const void *data, size_t length, off64_t offset) {
    long call = ++calls;
    if (at < 0 || call < at || (call > at && !forever) || (forever && access(forever, F_OK) == 0)) return 0;
    if (code) { errno = code; return 1; }
    if (data && length > 1) {
        static ssize_t (*writes)(int, const void *, size_t, off64_t);
        writes = dlsym(RTLD_NEXT, "pwrite64");
        if (writes(fd, data, length / 2, offset) < 0) errno = 0;
    }
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int is_watched(int fd) { return fd >= 0 && fd < MOST && watched[fd]; }

#define OPENING(name) int name(const char *path, int flags, ...) { \
    REAL(name); int mode; va_list rest; va_start(rest, flags); mode = va_arg(rest, int); va_end(rest); \
    if ((flags & O_CREAT) && is_ours(path) && access(path, F_OK) && strikes(-1, NULL, 0, 0)) return -1; \
    int fd = real(path, flags, mode); if (fd >= 0 && fd < MOST) watched[fd] = is_ours(path); return fd; }
OPENING(open)
OPENING(open64)

#define WRITING(name, type) ssize_t name(int fd, const void *data, size_t length, type offset) { \
    REAL(name); if (is_watched(fd) && strikes(fd, data, length, offset)) return -1; \
    return real(fd, data, length, offset); }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

#define CUTTING(name, type) int name(int fd, type length) { \
    REAL(name); if (is_watched(fd) && strikes(fd, NULL, 0, 0)) return -1; return real(fd, length); }
CUTTING(ftruncate, off_t)
CUTTING(ftruncate64, off64_t)

#define SYNCING(name) int name(int fd) { \
    REAL(name); if (is_watched(fd) && strikes(fd, NULL, 0, 0)) return -1; return real(fd); }
SYNCING(fsync)
SYNCING(fdatasync)

int unlink(const char *path) {
    REAL(unlink);
    if (is_ours(path) && access(path, F_OK) == 0 && strikes(-1, NULL, 0, 0)) return -1;
    return real(path);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (is_ours(to) && strikes(-1, NULL, 0, 0)) return -1;
    return real(from, to);
}
