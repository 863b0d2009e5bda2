/* Rules by which a field is judged: by the request, by the fields beside it, or by the answers before it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_RULES_H
#define CONFORMANCE_PROBE_FIELDS_RULES_H

#include "conformance/probe/fields/field.h"

#define PROBE_IDS_MAX ((size_t)1 << 14)

/* How many seconds the clocks of server and client may differ: as Kerberos allows hosts, and less than two
 * time zones do, of which the nearest are 15 minutes apart. */
#define PROBE_CLOCKS_APART 300

/* The ids that answers have had. */
typedef struct probe_ids {
    struct probe_id {
        char text[128];
        const char *kind; /* what has it: the end of the row's path, which whole answers and streams share */
        probe_endpoint endpoint;
        size_t answer, owner;
    } * at; /* [n] */
    size_t n;
} probe_ids;

/* A value under judgement. parent: the object that holds it. root: the body, or the event. position: of the
 * element that holds it, in its list. request: the body of the request; model: the name that was asked for.
 * answer: the number of the answer. sent, ended: when the request was sent and the answer ended, on the
 * client's clock in seconds since 1970; 0: a saved run does not say. */
typedef struct probe_value {
    const probe_field *field;
    json_object *value, *parent, *root, *request;
    const char *model;
    size_t position, answer;
    double sent, ended;
    probe_endpoint endpoint;
    bool stream;
    probe_ids *ids;
} probe_value;

/* text: what holds, in words. holds: if not, *why [256] says what was found. */
typedef struct probe_field_rule {
    const char *text;
    bool (*holds)(const probe_value *v, char why[256]);
} probe_field_rule;

extern const probe_field_rule probe_rule_is; /* the value of the row, one of several divided by | */
extern const probe_field_rule probe_rule_new_id;
extern const probe_field_rule probe_rule_given; /* not empty */
/* Seconds since 1970 within the time of the exchange on the client's clock, give or take PROBE_CLOCKS_APART.
 */
extern const probe_field_rule probe_rule_seconds, probe_rule_seconds_or_null;
extern const probe_field_rule probe_rule_model;
extern const probe_field_rule probe_rule_sum;
extern const probe_field_rule probe_rule_position; /* that in its list; in a stream below n */
extern const probe_field_rule probe_rule_empty;    /* null, "", [] or {} */
extern const probe_field_rule probe_rule_repeats;  /* empty, or as in the request */
extern const probe_field_rule probe_rule_asked;    /* not null only if the request asks by the row's value */

extern const probe_field_rule probe_rule_item_status;

void probe_ids_free(probe_ids *ids);

#endif
