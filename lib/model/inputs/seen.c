/* SPDX-License-Identifier: Apache-2.0 */
#include "model/inputs/seen.h"

media_seen media_list_seen(const media_list *list, size_t token)
{
    const size_t end = media_list_find(list, token + 1);
    size_t first = end > 0 ? end - 1 : 0;
    while (first > 0 && list->place[first - 1].first + 1 == list->place[first].first) first--;
    return (media_seen){first, end};
}
