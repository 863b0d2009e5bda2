/* What the address sanitizer is to pass over in targets that read HDF5.
 *
 * SPDX-License-Identifier: Apache-2.0 */

/* libhdf5 (1.10.8) leaks what it had built up when it meets damage in the middle of an object; our own leaks
 * are looked for by the tests, which read damaged cases that libhdf5 itself can read. It also asks for any
 * amount of memory that a damaged file names, and is told that there is none, as it would be elsewhere. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:allocator_may_return_null=1";
}

/* It also reads beyond its heap, as in H5Aexists_by_name on a damaged file of the oldest format. The program
 * reads every file in a process of its own, so that the worst of it ends in an error; here only our own reads
 * are of interest. */
const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void)
{
    return "interceptor_via_lib:libhdf5\n";
}
