/* The memory that the images and audio of all requests take: those of one request are made at a time, and as
 * many are held as fit. Thread-safe.
 *
 * A file of some kilobytes may hold an image of half a gigabyte: bounds on each image do not bound a number
 * of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_GATE_H
#define SERVER_REQUEST_GATE_H

#include <stddef.h>

typedef struct server_gate server_gate;

/* most: bytes of media that are held. NULL if out of memory. */
server_gate *server_gate_new(size_t most);
/* NULL allowed. Nothing is held any more. */
void server_gate_free(server_gate *g);

/* Waits until no other thread makes media, and returns how many bytes may still be held. */
size_t server_gate_enter(server_gate *g);
/* The calling thread, which has entered, makes no more media, and holds n bytes of them, no more than
 * server_gate_enter returned. */
void server_gate_leave(server_gate *g, size_t n);
/* Gives n bytes back. */
void server_gate_release(server_gate *g, size_t n);

#endif
