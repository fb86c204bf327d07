#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "basics.h"

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double seconds_of_processor(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("client: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

void raise_descriptor_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int connect_to(int port, int watched_by, uint64_t key) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (descriptor < 0) fail("no more sockets: %m");
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) fail("cannot connect: %m");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = key};
    if (epoll_ctl(watched_by, EPOLL_CTL_ADD, descriptor, &event) < 0) fail("cannot watch a socket: %m");
    return descriptor;
}

void write_all(int descriptor, const char *bytes, size_t count) {
    if (write(descriptor, bytes, count) != (ssize_t)count) fail("cannot send: %m");
}

size_t answer_length(const char *answer) {
    const char *end = strstr(answer, "\r\n\r\n");
    if (!end) return 0;
    const char *field = strcasestr(answer, "\r\nContent-Length:");
    if (!field || field > end) fail("an answer has no Content-Length: %s", answer);
    return (size_t)(end + 4 - answer) + strtoul(field + 17, NULL, 10);
}
