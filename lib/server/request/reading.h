/* A request while it is read, and its JSON values by name: an error names the member with its path.
 *
 * Functions that return a status fail with ASSAY_EINVAL, after filling in r->refusal, or with ASSAY_ENOMEM.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_READING_H
#define SERVER_REQUEST_READING_H

#include "base/json.h"
#include "server/request/context.h"
#include "server/request/refusal.h"
#include "server/request/request.h"

/* An image or an audio clip of a request: its bytes, or the path of its file. */
typedef struct server_medium {
    char member[96]; /* the path of the member, for messages */
    char *path;      /* owned; NULL: bytes */
    uint8_t *bytes;  /* [n]; owned */
    size_t n;
} server_medium;

typedef struct server_reading {
    const server_requests *context;
    const server_wanted *wanted; /* NULL: until the request is read */
    server_request *out;
    server_refusal *refusal;
    json_object *body;
    bool thinking_off;   /* the template's enable_thinking is false */
    bool has_thinking;   /* … or the request says that it is true */
    bool no_prompt;      /* add_generation_prompt is false */
    bool declines_tools; /* tool_choice is none */
    bool no_special;     /* completions: add_special_tokens is false */
    bool has_max_tokens;
    json_object *arguments; /* chat_template_kwargs; borrowed from the body */
    json_object *tools;     /* for the template, in the form of chat completions; owned; NULL: none */
    json_object *messages;  /* for the template; owned */
    server_medium *images;  /* [n_images]; owned */
    size_t n_images;
    server_medium *audios; /* [n_audios]; owned */
    size_t n_audios;
} server_reading;

/* "messages[3].content" */
typedef struct server_path {
    char text[96];
} server_path;

server_path server_path_top(const char *name);
server_path server_path_member(const server_path *parent, const char *name);
server_path server_path_element(const server_path *parent, size_t index);

assay_status server_out_of_memory(const server_reading *r);

/* Refuses a value: "found …, expected …". */
assay_status server_unexpected(const server_reading *r, const server_path *path, json_object *found,
                               const char *expected);

/* A member of this type (json_type_int: an integer; json_type_double: any finite number). *out is NULL if it
 * is absent or null. */
assay_status server_optional(const server_reading *r, const server_path *parent, json_object *object,
                             const char *name, json_type type, json_object **out);
/* The same, and it must be there. */
assay_status server_required(const server_reading *r, const server_path *parent, json_object *object,
                             const char *name, json_type type, json_object **out);

/* Refuses an object's members that are not among `names`, which ends with NULL; null counts as absent. */
assay_status server_only(const server_reading *r, const server_path *parent, json_object *object,
                         const char *const *names);

bool server_is(json_object *text, const char *expected);

/* Adds a value that the call owns; NULL is out of memory. False if out of memory. */
bool server_add(json_object *object, const char *name, json_object *value);
bool server_append(json_object *list, json_object *value);

#endif
