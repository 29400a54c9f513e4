// Preloaded: every call that changes files below $RECORDER_FOLDER goes, in one order, to $RECORDER_LOG. powercut.py
// rebuilds from it what a power cut may leave. A synchronization is logged when it begins and when it has succeeded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, TRUNCATE, SYNC_BEGINS, SYNC_ENDS, UNLINK, RENAME, FOLDER_SYNC };
struct entry { uint32_t what, length; uint64_t file, time, offset; };

#define MOST 65536
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder;
static size_t folder_length;
static int out = -1;
static uint64_t inode[MOST];   // of the descriptors that are watched; 0 for the others
static char is_folder[MOST];

__attribute__((constructor)) static void begin(void) {
    const char *log = getenv("RECORDER_LOG");
    folder = getenv("RECORDER_FOLDER");
    if (!folder || !log) { folder = NULL; return; }
    folder_length = strlen(folder);
    out = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Called with the lock held.
static void note(uint32_t what, uint64_t file, uint64_t offset, const void *data, uint32_t length) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct entry entry = {what, length, file, now.tv_sec * 1000000000ull + now.tv_nsec, offset};
    if (syscall(SYS_write, out, &entry, sizeof entry) < 0) abort();
    if (length && syscall(SYS_write, out, data, length) < 0) abort();
}

static int is_ours(const char *path) { return folder && path && !strncmp(path, folder, folder_length); }
static uint64_t file_of(int fd) { return fd >= 0 && fd < MOST ? inode[fd] : 0; }

#define REAL(name) static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name)

static void opened(int fd, const char *path, int flags) {
    if (fd < 0 || fd >= MOST) return;
    inode[fd] = 0;
    if (!is_ours(path)) return;
    struct stat status;
    if (fstat(fd, &status)) return;
    pthread_mutex_lock(&lock);
    inode[fd] = status.st_ino;
    is_folder[fd] = S_ISDIR(status.st_mode);
    if (!is_folder[fd]) note(OPEN, status.st_ino, (flags & O_TRUNC) != 0, path, strlen(path));
    pthread_mutex_unlock(&lock);
}

#define MODE(flags) int mode = 0; va_list rest; va_start(rest, flags); mode = va_arg(rest, int); va_end(rest)
#define OPENING(name) int name(const char *path, int flags, ...) { \
    REAL(name); MODE(flags); int fd = real(path, flags, mode); opened(fd, path, flags); return fd; }
OPENING(open)
OPENING(open64)

int close(int fd) {
    REAL(close);
    if (fd >= 0 && fd < MOST) inode[fd] = 0;
    return real(fd);
}

#define WRITING(name, type) ssize_t name(int fd, const void *data, size_t length, type offset) { \
    REAL(name); uint64_t file = file_of(fd); if (!file) return real(fd, data, length, offset); \
    pthread_mutex_lock(&lock); ssize_t done = real(fd, data, length, offset); \
    if (done > 0) note(WRITE, file, offset, data, done); \
    pthread_mutex_unlock(&lock); return done; }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t length) {
    REAL(write);
    uint64_t file = file_of(fd);
    if (!file) return real(fd, data, length);
    pthread_mutex_lock(&lock);
    off_t offset = lseek(fd, 0, SEEK_CUR);
    ssize_t done = real(fd, data, length);
    if (done > 0) note(WRITE, file, offset, data, done);
    pthread_mutex_unlock(&lock);
    return done;
}

#define CUTTING(name, type) int name(int fd, type length) { \
    REAL(name); uint64_t file = file_of(fd); if (!file) return real(fd, length); \
    pthread_mutex_lock(&lock); int code = real(fd, length); if (!code) note(TRUNCATE, file, length, NULL, 0); \
    pthread_mutex_unlock(&lock); return code; }
CUTTING(ftruncate, off_t)
CUTTING(ftruncate64, off64_t)

// A disk takes its time, and memory none: what a server does and answers meanwhile is what a cut can catch.
static const struct timespec flush = {0, 2000000};

#define SYNCING(name) int name(int fd) { \
    REAL(name); uint64_t file = file_of(fd); if (!file) return real(fd); int folder_too = is_folder[fd]; \
    pthread_mutex_lock(&lock); if (!folder_too) note(SYNC_BEGINS, file, 0, NULL, 0); pthread_mutex_unlock(&lock); \
    nanosleep(&flush, NULL); \
    int code = real(fd); \
    pthread_mutex_lock(&lock); if (!code) note(folder_too ? FOLDER_SYNC : SYNC_ENDS, file, 0, NULL, 0); \
    pthread_mutex_unlock(&lock); return code; }
SYNCING(fsync)
SYNCING(fdatasync)

int unlink(const char *path) {
    REAL(unlink);
    if (!is_ours(path)) return real(path);
    pthread_mutex_lock(&lock);
    int code = real(path);
    if (!code) note(UNLINK, 0, 0, path, strlen(path));
    pthread_mutex_unlock(&lock);
    return code;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (!is_ours(to)) return real(from, to);
    char both[8192];
    size_t first = strlen(from) + 1, second = strlen(to);
    if (first + second > sizeof both) abort();
    memcpy(both, from, first);
    memcpy(both + first, to, second);
    pthread_mutex_lock(&lock);
    int code = real(from, to);
    if (!code) note(RENAME, 0, 0, both, first + second);
    pthread_mutex_unlock(&lock);
    return code;
}
