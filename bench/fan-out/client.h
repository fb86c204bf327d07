// What the parts of the load client share: the options, the clock, and how it gives up.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
    int port;
    int readers;
    int publishers;
    const char *stream;   // what readers GET
    const char *method;   // how publishers publish,
    const char *target;   // where to,
    const char *body;     // and what; absent when NULL
    double rate;          // publishes a second; 0: a publisher goes on as soon as its last message is answered and received
    double seconds;
    bool quiet;           // the readers must receive nothing
};

// A message is known by this byte, which occurs once in an event, and the number that follows it.
enum { MARK = '~', DIGITS = 8 };

double now(void);

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A connection to 127.0.0.1 that does not block, watched by epoll under this key.
int connect_to(int port, int epoll, uint64_t key);

void write_all(int descriptor, const char *bytes, size_t count);
