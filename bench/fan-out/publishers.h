// The publishers: connections that send one request after the other, each of which makes one event.
#pragma once

#include "client.h"

// Their keys for epoll are PUBLISHER_KEYS and up.
#define PUBLISHER_KEYS ((uint64_t)1 << 32)

void publishers_open(const struct options *options, int epoll);

// A publisher with nothing under way, or -1; they take turns.
int free_publisher(void);

void publish(int publisher, double due);

// Reads what has come for one. Calls `answered` with the number of its message when that has got its answer.
void publisher_read(int publisher, void (*answered)(uint32_t number, double time));

// A message is through: its publisher may send the next one.
void release_publisher_of(uint32_t number);
