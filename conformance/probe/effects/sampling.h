/* Effects of members that choose tokens: temperature, truncation, penalties, seeds, numbers of choices.
 *
 * What is certain needs no statistics: with top_k 1 any temperature gives the truth's most likely tokens, and
 * with one seed a member that has an effect gives other samples, its default the same ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_EFFECTS_SAMPLING_H
#define CONFORMANCE_PROBE_EFFECTS_SAMPLING_H

#include "conformance/probe/effects/effect.h"

/* Requests with one seed, then as many with other seeds: answers of a server that ignores it are the same by
 * chance, and often, where the model has few likely tokens. */
enum { PROBE_SEED_SAME = 6, PROBE_SEED_OTHER = 6 };

/* Two requests without the member and with one seed, and one with the member; then more seeds, without and
 * with: two, or one for a default. */
enum { PROBE_PAIRS = 7, PROBE_PAIRS_OF_DEFAULT = 5 };

void probe_write_greedy(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_greedy(const probe_trial *t);
void probe_judge_temperature(const probe_trial *t);
void probe_write_pairs(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_change(const probe_trial *t);
void probe_judge_default(const probe_trial *t);
void probe_write_seed(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_seed(const probe_trial *t);
void probe_judge_n(const probe_trial *t);
void probe_judge_choices(const probe_trial *t);
void probe_write_bias(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_bias(const probe_trial *t);

#endif
