// A closed loop of HTTP/1.1 requests over many keep-alive connections, from one thread: for the mixes, the users and the idle
// connections that wrk has no words for. Latencies are kept one by one, so a percentile is exact and the worst is seen.
//
//   load PORT --seconds S --connections C --users N [--first K] KIND:WEIGHT:STATUS:FILE …
//   load PORT --hold N FILE
//
// FILE is a whole request. In it `%U` stands for a user's number, seven digits; `%M` for `function-01` and `function-02` in
// turn, pass after pass over the users, so that a move to the end of the list always changes it. Users come in a scattered
// order, each once a pass; K says how many were visited before. The answer has to have the STATUS. The result is one
// line of JSON on standard output.
//
// --hold opens N connections, has FILE answered once on each, prints `held`, and keeps them until standard input ends.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 8, LONGEST_REQUEST = 8192, LONGEST_HEAD = 65536 };
// Coprime to every round number of users: a step of it visits each of them once a pass.
static const uint64_t STRIDE = 7919;

struct kind {
    char name[32];
    int weight, status;
    char text[LONGEST_REQUEST];
    size_t length;
    ssize_t user_at, move_at;
    uint32_t *latencies;
    size_t count, room;
};

struct connection {
    int socket, kind;
    uint64_t sent_at;
    size_t received, content_left;
    bool in_content;
    char head[LONGEST_HEAD];
};

static struct kind kinds[KINDS];
static int kind_count, weights;
static uint64_t visited, users = 1, mix_state = 88172645463325252ull;

static void fail(const char *what) {
    fprintf(stderr, "load: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

static uint64_t now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static ssize_t place(struct kind *kind, const char *mark, const char *widest) {
    char *found = memmem(kind->text, kind->length, mark, 2);
    if (!found) return -1;
    size_t width = strlen(widest), at = (size_t)(found - kind->text);
    memmove(found + width, found + 2, kind->length - at - 2);
    memcpy(found, widest, width);
    kind->length += width - 2;
    return (ssize_t)at;
}

static void read_kind(struct kind *kind, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail(path);
    kind->length = fread(kind->text, 1, sizeof kind->text - 64, file);
    fclose(file);
    // The user stands in the target, so before the content: widening what comes later moves nothing before it.
    kind->user_at = place(kind, "%U", "0000000");
    kind->move_at = place(kind, "%M", "function-01");
}

static void add_kind(const char *argument) {
    if (kind_count == KINDS) fail("too many kinds");
    struct kind *kind = &kinds[kind_count++];
    char path[4096];
    if (sscanf(argument, "%31[^:]:%d:%d:%4095s", kind->name, &kind->weight, &kind->status, path) != 4) fail(argument);
    read_kind(kind, path);
    weights += kind->weight;
}

static int connect_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int socket_ = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (socket_ < 0 || connect(socket_, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket_;
}

static int next_kind(void) {
    mix_state ^= mix_state << 13;
    mix_state ^= mix_state >> 7;
    mix_state ^= mix_state << 17;
    int rest = (int)(mix_state % (uint64_t)weights), kind = 0;
    while (rest >= kinds[kind].weight) rest -= kinds[kind++].weight;
    return kind;
}

static void send_next(struct connection *connection) {
    connection->kind = next_kind();
    struct kind *kind = &kinds[connection->kind];
    if (kind->user_at >= 0) {
        char digits[8];
        snprintf(digits, sizeof digits, "%07u", (unsigned)(visited % users * STRIDE % users));
        memcpy(kind->text + kind->user_at, digits, 7);
        if (kind->move_at >= 0) kind->text[kind->move_at + 10] = visited / users % 2 ? '2' : '1';
        visited++;
    }
    connection->received = connection->content_left = 0;
    connection->in_content = false;
    connection->sent_at = now_us();
    if (send(connection->socket, kind->text, kind->length, MSG_NOSIGNAL) != (ssize_t)kind->length) fail("send");
}

static void keep_latency(struct kind *kind, uint64_t microseconds) {
    if (kind->count == kind->room) {
        kind->room = kind->room ? kind->room * 2 : 65536;
        kind->latencies = realloc(kind->latencies, kind->room * sizeof *kind->latencies);
        if (!kind->latencies) fail("memory");
    }
    kind->latencies[kind->count++] = microseconds > UINT32_MAX ? UINT32_MAX : (uint32_t)microseconds;
}

static void check_status(const struct connection *connection) {
    int status = 0;
    sscanf(connection->head, "HTTP/1.1 %d", &status);
    if (status == kinds[connection->kind].status) return;
    fprintf(stderr, "load: %s was answered\n%.*s\n", kinds[connection->kind].name, 600, connection->head);
    exit(1);
}

// Whether the answer is there as a whole.
static bool receive(struct connection *connection) {
    size_t room = sizeof connection->head - 1;
    if (connection->in_content) {
        ssize_t count = recv(connection->socket, connection->head, room < connection->content_left ? room : connection->content_left, 0);
        if (count <= 0) fail("the server closed a connection");
        return (connection->content_left -= (size_t)count) == 0;
    }
    ssize_t count = recv(connection->socket, connection->head + connection->received, room - connection->received, 0);
    if (count <= 0) fail("the server closed a connection");
    connection->received += (size_t)count;
    connection->head[connection->received] = 0;
    char *end = strstr(connection->head, "\r\n\r\n");
    if (!end) {
        if (connection->received == room) fail("a head without an end");
        return false;
    }
    check_status(connection);
    char *length = strcasestr(connection->head, "\r\ncontent-length:");
    size_t content = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
    if (kinds[connection->kind].status == 304) content = 0;
    size_t have = connection->received - (size_t)(end + 4 - connection->head);
    if (have >= content) return true;
    connection->in_content = true;
    connection->content_left = content - have;
    return false;
}

static int ascending(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void report(double seconds) {
    printf("{\"seconds\":%.6f,\"visited\":%llu,\"kinds\":{", seconds, (unsigned long long)visited);
    for (int index = 0; index < kind_count; index++) {
        struct kind *kind = &kinds[index];
        qsort(kind->latencies, kind->count, sizeof *kind->latencies, ascending);
#define AT(share) (kind->count ? kind->latencies[(size_t)((double)(kind->count - 1) * (share))] : 0)
        printf("%s\"%s\":{\"requests\":%zu,\"p50_us\":%u,\"p99_us\":%u,\"p999_us\":%u,\"max_us\":%u}", index ? "," : "",
               kind->name, kind->count, AT(0.5), AT(0.99), AT(0.999), AT(1.0));
    }
    printf("}}\n");
}

static void run(int port, double seconds, int count) {
    int poll = epoll_create1(0);
    struct connection *connections = calloc((size_t)count, sizeof *connections);
    if (!connections) fail("memory");
    for (int index = 0; index < count; index++) {
        connections[index].socket = connect_to(port);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[index]};
        epoll_ctl(poll, EPOLL_CTL_ADD, connections[index].socket, &event);
    }
    uint64_t began = now_us(), end = began + (uint64_t)(seconds * 1e6), now = began;
    for (int index = 0; index < count; index++) send_next(&connections[index]);
    // What is under way at the end is waited for: every request that was sent is counted.
    for (int busy = count; busy > 0;) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 10000);
        if (ready <= 0) fail("no answer within 10 s");
        for (int index = 0; index < ready; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!receive(connection)) continue;
            now = now_us();
            keep_latency(&kinds[connection->kind], now - connection->sent_at);
            if (now < end) send_next(connection);
            else busy--;
        }
    }
    report((double)(now - began) / 1e6);
}

static void hold(int port, int count, const char *path) {
    weights = kinds[kind_count].weight = 1;
    kinds[kind_count].status = 200;
    read_kind(&kinds[kind_count++], path);
    static struct connection connection;
    for (int index = 0; index < count; index++) {
        connection.socket = connect_to(port);
        send_next(&connection);
        while (!receive(&connection)) {}
    }
    puts("held");
    fflush(stdout);
    while (getchar() != EOF) {}
}

int main(int argc, char **argv) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (argc < 3) fail("see the comment at the head of load.c");
    int port = atoi(argv[1]), connections = 1;
    double seconds = 1;
    errno = 0;
    for (int index = 2; index < argc; index++) {
        const char *value = index + 1 < argc ? argv[index + 1] : "";
        if (!strcmp(argv[index], "--hold") && index + 2 < argc) return hold(port, atoi(value), argv[index + 2]), 0;
        if (!strcmp(argv[index], "--seconds")) seconds = atof(value), index++;
        else if (!strcmp(argv[index], "--connections")) connections = atoi(value), index++;
        else if (!strcmp(argv[index], "--users")) users = strtoull(value, NULL, 10), index++;
        else if (!strcmp(argv[index], "--first")) visited = strtoull(value, NULL, 10), index++;
        else add_kind(argv[index]);
    }
    if (!kind_count) fail("no kinds of requests");
    run(port, seconds, connections);
}
