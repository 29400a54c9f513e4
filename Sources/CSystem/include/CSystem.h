// What Swift's Glibc module lacks: epoll, eventfd, accept4 and a listener's filter, each as a plain function; reads that
// don't wait; a number for each thread; and what the build knows.
#pragma once

#include <linux/filter.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>

// The flags of a poller, as numbers that Swift can see.
static const uint32_t system_readable = EPOLLIN;
static const uint32_t system_writable = EPOLLOUT;
static const uint32_t system_peer_ended = EPOLLRDHUP;
static const uint32_t system_broken = EPOLLERR | EPOLLHUP;
static const uint32_t system_edge_triggered = EPOLLET;
static const uint32_t system_exclusive = EPOLLEXCLUSIVE;

static inline int system_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int system_epoll_add(int poller, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int system_epoll_remove(int poller, int descriptor) {
    struct epoll_event unused = {0};
    return epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, &unused);
}

// `struct epoll_event` is packed: Swift reads it through these.
static inline uint32_t system_event_flags(const struct epoll_event *events, int index) { return events[index].events; }
static inline uint64_t system_event_token(const struct epoll_event *events, int index) { return events[index].data.u64; }

static inline int system_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#ifndef SOCK_NONBLOCK
// Hidden without _GNU_SOURCE, which a module map cannot set.
#define SOCK_NONBLOCK 04000
#define SOCK_CLOEXEC 02000000
#endif

int accept4(int, struct sockaddr *restrict, socklen_t *restrict, int);

static inline int system_accept(int listener, struct sockaddr *address, socklen_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// From now on the kernel takes no SYN for this TCP listener; handshakes that have begun go on. The 14th octet of a TCP header
// has the flags, SYN is 2 (RFC 9293 §3.1).
static inline int system_refuse_handshakes(int listener) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

// `environ` is a mutable global, which Swift 6 does not let out of C.
extern char **environ;
static inline char **system_environment(void) { return environ; }

// Reads a file as `pread` does. On a thread that has said it won't wait, only what is in memory: EAGAIN where the disk would
// have to be asked, or where the file system cannot tell (preadv2 with RWF_NOWAIT, Linux 4.14).
ssize_t system_read(int file, void *buffer, size_t count, off_t offset);
void system_wait_for_reads(int waits);

// Of the calling thread: 0, 1, 2 … in the order in which threads first asked. Threads that count side by side, each in a
// place of its own, choose the place by it.
int system_thread_number(void);
// The commit that the program was built from; empty where the build was not told.
const char *system_build_commit(void);
