// What was published, who has received it, and when.
#pragma once

#include "client.h"

// `readers` are to receive each message from now on; 0 when none may receive any.
void messages_begin(uint32_t readers);

// Forgets the figures, not the messages; what is published from now on counts.
void messages_restart(void);

// Notes a message whose publishing was due at `time`, and returns its number.
uint32_t message_published(double time);

// Each returns whether the message has now been both answered and received by all.
bool message_received(uint32_t number, uint32_t reader, double time);
bool message_answered(uint32_t number, double time);

bool message_is_through(uint32_t number);

uint64_t messages_published(void);
uint64_t messages_not_through(void);
uint64_t deliveries_missing(void);

// The figures as members of a JSON object, without the braces.
void print_figures(double start);
