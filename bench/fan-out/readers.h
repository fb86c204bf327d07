// The readers of the stream: each an open GET whose answer does not end.
#pragma once

#include "client.h"

// Opens them all and returns when each has the head of its answer. Their keys for epoll are 0 and up.
void readers_open(const struct options *options, int epoll);

// Reads what has come for one. Calls `received` with the number of each message in it.
void reader_read(uint32_t reader, void (*received)(uint32_t number, uint32_t reader, double time));

uint64_t bytes_read(void);

// Fails when two readers have received the messages in different orders.
void readers_compare(void);
