# bash completion for assay: commands, their options as their --help prints them, engines, cases and directories.
#
# SPDX-License-Identifier: Apache-2.0

_assay_options() {
    "$1" ${2:+"$2"} --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,'
}

_assay_commands() {
    "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
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
    COMPREPLY=()
    if [[ $previous == --engine || $previous == -e ]]; then
        mapfile -t COMPREPLY < <(compgen -W 'ref64 ref32' -- "$word"; compgen -f -X '!*.so' -- "$word"; compgen -d -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_assay_options "$program" "$command")" -- "$word")
    elif [[ -z $command ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_assay_commands "$program")" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word" | grep -E '\.(h5|json|json\.gz)$'; compgen -d -- "$word")
    fi
}

complete -o filenames -F _assay assay
