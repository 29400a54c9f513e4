// What the machine allows: two threads, an epoll each, and the same bytes for whatever comes. It looks for the end of a head
// and for nothing else, so no HTTP server does less.
//
//   responder FILE PORT        FILE is a whole response
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { THREADS = 2 };
static char response[1 << 20];
static size_t length;
static uint16_t port;

static int listen_(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) exit(1);
    return listener;
}

static void answer(int connection) {
    char request[16384];
    ssize_t count = read(connection, request, sizeof request);
    if (count <= 0) {
        close(connection);
        return;
    }
    if (count < 4 || memcmp(request + count - 4, "\r\n\r\n", 4)) return;
    if (write(connection, response, length) != (ssize_t)length) close(connection);
}

static void *serve(void *argument) {
    int listener = *(int *)argument, poll = epoll_create1(0), on = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poll, events, 256, -1);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd != listener) {
                answer(events[index].data.fd);
                continue;
            }
            int connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
            if (connection < 0) continue;
            setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            event.events = EPOLLIN | EPOLLET;
            event.data.fd = connection;
            epoll_ctl(poll, EPOLL_CTL_ADD, connection, &event);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 1;
    port = (uint16_t)atoi(argv[2]);
    length = fread(response, 1, sizeof response, file);
    int listeners[THREADS];
    for (int index = 0; index < THREADS; index++) listeners[index] = listen_();
    pthread_t thread;
    for (int index = 1; index < THREADS; index++) pthread_create(&thread, NULL, serve, &listeners[index]);
    serve(&listeners[0]);
}
