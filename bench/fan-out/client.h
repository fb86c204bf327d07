// What the parts of the load client share: the options, and what a message looks like.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "basics.h"

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
