# bash completion for assay: commands, their options as their --help prints them, engines, cases and directories.
#
# SPDX-License-Identifier: Apache-2.0

_assay_options() {
    "$1" ${2:+"$2"} --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,'
}

_assay_commands() {
    "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_assay_classes() {
    "$1" run --fail-class '?' 2>&1 | sed -n 's/.*expected one of \([a-z, ]*\).*/\1/p' | tr -d ,
}

_assay_types() {
    "$1" run --compute '?' 2>&1 | sed -n 's/.*expected one of \([a-z0-9, ]*\).*/\1/p' | tr -d ,
}

_assay_shapes() {
    "$1" schedule --shape '?' 2>&1 | sed -n 's/.*expected one of \([a-z, ]*\).*/\1/p' | tr -d ,
}

_assay_endpoints() {
    "$1" events --endpoint '?' - 2>&1 | sed -n 's/.*expected \([a-z, ]*\)/\1/p' | sed 's/,\| or / /g'
}

_assay() {
    local program=$1 word=$2 previous=$3 command='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) ;;
        *)
            command=${COMP_WORDS[i]}
            break
            ;;
        esac
    done
    local words
    if [[ $previous == --engine || $previous == -e ]]; then
        words=$(compgen -W 'ref64 ref32 fastpath' -- "$word"; compgen -f -X '!*.so' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --kernels || $previous == kernels && $word != -* ]]; then
        words=$(compgen -W fastpath -- "$word"; compgen -f -X '!*.so' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --fail-class ]]; then
        words=$(compgen -W "$(_assay_classes "$program")" -- "$word")
    elif [[ $previous == --compute ]]; then
        words=$(compgen -W "$(_assay_types "$program")" -- "$word")
    elif [[ $previous == --shape ]]; then
        words=$(compgen -W "$(_assay_shapes "$program")" -- "$word")
    elif [[ $previous == --endpoint ]]; then
        words=$(compgen -W "$(_assay_endpoints "$program")" -- "$word")
    elif [[ $command == events && $word != -* ]]; then
        words=$(compgen -f -X '!*.sse' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --replay ]]; then
        words=$(compgen -f -X '!*.json' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --save ]]; then
        words=$(compgen -d -- "$word")
    elif [[ $word == -* ]]; then
        words=$(compgen -W "$(_assay_options "$program" "$command")" -- "$word")
    elif [[ -z $command ]]; then
        words=$(compgen -W "$(_assay_commands "$program")" -- "$word")
    else
        words=$(compgen -f -- "$word" | grep -E '\.(h5|json|json\.gz)$'; compgen -d -- "$word")
    fi
    COMPREPLY=()
    if [[ -n $words ]]; then mapfile -t COMPREPLY <<<"$words"; fi
}

complete -o filenames -F _assay assay
