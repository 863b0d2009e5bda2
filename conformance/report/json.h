/* The JSON report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_JSON_H
#define CONFORMANCE_REPORT_JSON_H

#include "conformance/report/results.h"

#define CONF_JSON_SCHEMA "assay-results/1"

/* One JSON object:
 *   schema   "assay-results/1"
 *   totals   passed, failed, skipped, broken, warnings: counts; expected, with --expect
 *   kernels  the kernel library, as the user named it; else null
 *   kernels_module  digest of its file; "" without one
 *   compute  "f32", "bf16" or "int8" if engines were asked to compute in it; else null
 *   settings
 *            version         of Assay
 *            manner, vector, seed, timeout, memory, context_shift   options that change results; null where
 *                            they have their default
 *            timeout_fixed   whether the user gave the timeout
 *            allow_unknown   an array of members
 *            expected        with --expect: the digest of its file
 *   engines  an array: {engine, unit, version, module}: version is the name and the version that the engine
 *            states, module the digest of its file; "" for a program
 *   machines an array, of the machines that these results come from; missing if they are not known
 *            processor       its name
 *            architecture    as uname gives it
 *            instructions    its instruction sets
 *            processors      a count
 *            blas            version, core and number of threads of the engines' BLAS, or ""
 *            isa, workers    ASSAY_ISA and ASSAY_WORKERS; missing if not set
 *            jobs            how many cases ran at once, at most; missing if not known
 *   shard
 *            index, total    the part of the cases that was run: shard `index` (from 1) of `total`
 *            selected        how many files were found, those of all shards together
 *            selection       a digest of their ids, in order
 *            division        a digest of each file's shard, and of whether the file is a case; zeros if
 *                            there is one shard
 *            passed_over     an array: the positions of files that are no cases
 *            passed_over_cases   an array: the ids of these files
 *            interrupted     whether a signal ended the run early: cases are missing
 *            finished        when the run ended, UTC
 *   results  an array, ordered by case, then by engine:
 *     case, path, engine   as the user names them
 *     position             of the case among those of all shards, from 0
 *     digest               of the file of the case; "" if it could not be read
 *     kind                 of the case; "" if it could not be read
 *     family               model_type of its checkpoint; "" if it has none, or that is not known
 *     outcome              "passed", "failed", "skipped", "broken" or "expected"
 *     class                class of the failure: "logits", "crash", … as verdict.h lists them; else ""
 *     measured             whether there is a multiple
 *     multiple             the worst error divided by the unit; null where not measured or infinite
 *     rows, same_best      only of failures with rows of logits: how many were compared, and how many have
 *                          the best token of the truth
 *     unit                 what `multiple` counts: "noise", or "bound" of a float64 engine
 *     bound                the largest `multiple` that passes: 4 times the noise, or 1 times the bound
 *     stage                the last conf_stage (verdict.h) that was entered
 *     trace, last_trace    the first tensor that diverges, and the last one that the engine gave
 *     reason, where, notes   texts, empty where there is nothing to say
 *     other_traces         whether the case has tensors, and the engine traced others only
 *     manner               the manner of evaluation that failed, whole included, or that was asked for
 *                          and does not apply; else empty
 *     manners_left_out     an array: {manners: an array of names, reason: a text} for the manners that the
 *                          engine lacks or refuses, or that do not fit the case
 *     vector               "GROUP/ID", the first diverging one of a textual case; else empty
 *     profile              only with --html or --profiles, of the ten most severe failures: their errors in
 *                          multiples of the bound, null where infinite. of: "logits", "rope", or
 *                          "positions", whose errors are differences; tensors, manners: arrays, each with
 *                          at most 256 elements {name, multiple}; rows: at most 512 {sample, pos, decode,
 *                          multiple}, as conf_place has them; found, recorded: 8 counts each of elements by
 *                          their error (conf_profile_sizes), of the engine and of the recorded run, which
 *                          is null for a float64 engine
 *     expected             what the file of --expect says of the case; only of failures that it has
 *     remark               what the engine says of the model; only if it does
 *     seconds              that its process ran
 *     repro                the command that shows this result again
 * A digest has 16 hexadecimal digits: FNV-1a, 64 bits. Fails with ASSAY_ENOMEM. */
assay_status conf_json_print(FILE *out, const conf_results *results, assay_error *err);

/* The object `settings` of that document, whose caller owns a reference to it. NULL: out of memory. */
json_object *conf_json_settings(const conf_results *results);

#endif
