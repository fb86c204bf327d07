// What every load client needs: sockets, the clock, and how to give up.
#pragma once

#include <stddef.h>
#include <stdint.h>

double now(void);

// What this process has used so far.
double seconds_of_processor(void);

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void raise_descriptor_limit(void);

// A connection to 127.0.0.1 that does not block, watched by epoll under this key.
int connect_to(int port, int epoll, uint64_t key);

void write_all(int descriptor, const char *bytes, size_t count);

// The length of the whole answer, or 0 when its head has not come to the end. The text ends with a zero.
size_t answer_length(const char *answer);
