/* A server on a loopback port that answers in one fixed, often hostile way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_HOSTILE_H
#define CONFORMANCE_PROBE_TESTS_HOSTILE_H

#include <stddef.h>

/* answer: what is sent after the head of a request, [n]. The connection is closed then, unless `stays`: it
 * stays open without another byte. repeat: the last `repeat` bytes of the answer are sent without end;
 * dribbles: 50 times a second. */
typedef struct hostile_server {
    const char *answer;
    size_t n, repeat;
    int stays, closes_at_once, dribbles;
    int port;
    int listener;
    long child;
} hostile_server;

/* Starts it in a process of its own; fails the test if that is impossible. */
void hostile_start(hostile_server *s);
void hostile_stop(hostile_server *s);

#endif
