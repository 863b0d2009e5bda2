/* The style and the script of HTML pages: the texts of page.css and page.js, which the build embeds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PAGE_PAGE_H
#define CONFORMANCE_PAGE_PAGE_H

extern const char conf_page_css[], conf_page_js[]; /* terminated */

#endif
