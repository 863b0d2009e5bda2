/* Text in XML 1.0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_XML_H
#define CONFORMANCE_SUPPORT_XML_H

#include <stdio.h>

/* Writes text as character data that may also stand in an attribute, without the characters that XML 1.0
 * cannot represent. Nothing if out of memory. */
void conf_xml_text(FILE *out, const char *text);

/* Writes ` name="value"`. */
void conf_xml_attribute(FILE *out, const char *name, const char *value);

/* Writes the attributes timestamp and hostname, which are required of a suite. */
void conf_xml_origin(FILE *out);

#endif
