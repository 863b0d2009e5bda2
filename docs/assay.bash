# bash completion for assay: commands, their options as their --help prints them, engines, cases and directories.
#
# SPDX-License-Identifier: Apache-2.0

_assay_options() {
    "$1" ${2:+"$2"} --help 2>/dev/null | grep -oE '(^|[ ,])--[a-z0-9-]+' | tr -d ' ,'
}

_assay_commands() {
    "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# _assay_expected COMMAND...: the names that its error message lists.
_assay_expected() {
    "$@" 2>&1 </dev/null | sed -n 's/.*\(expected\( one of\)\?\|there are\) \([A-Za-z0-9_., -]*\)\(, or a path: .*\)\?$/\3/p' | sed 's/,\| or / /g'
}

# The engines in the directories that the program searches, the user's ASSAY_ENGINE_PATH among them.
_assay_engines() {
    local directory module
    "$1" run --engine '?' 2>&1 | sed -n 's/.*there is no ?\.so in //p' | sed 's/, /\n/g' |
        while read -r directory; do
            for module in "$directory"/*.so; do
                if [[ -e $module ]]; then basename "$module" .so; fi
            done
        done
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
    # In --name=value bash takes the '=' for a word of its own.
    if [[ $word == = ]]; then word=''
    elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    local words
    if [[ $previous == --engine || $previous == -e ]]; then
        words=$(compgen -W "$(_assay_engines "$program")" -- "$word"; compgen -f -X '!*.so' -- "$word"; compgen -d -- "$word")
    elif [[ $command == kernels && ($previous == fastpath || $previous == *.so) && $word != -* ]]; then
        words=$(compgen -W "$(_assay_expected "$program" kernels fastpath '?')" -- "$word")
    elif [[ $previous == --kernels || $command == kernels && $word != -* ]]; then
        words=$(compgen -W fastpath -- "$word"; compgen -f -X '!*.so' -- "$word"; compgen -d -- "$word")
    elif [[ $command == probe && $previous == --compute ]]; then
        words=$(compgen -W "$(_assay_expected "$program" probe http://localhost --compute '?')" -- "$word")
    elif [[ $previous == --fail-class || $previous == --compute || $previous == --manner ]]; then
        words=$(compgen -W "$(_assay_expected "$program" run "$previous" '?')" -- "$word")
    elif [[ $previous == --part ]]; then
        words=$(compgen -W "$(_assay_expected "$program" diff --part '?')" -- "$word")
    elif [[ $previous == --only ]]; then
        words=$(compgen -W "$(_assay_expected "$program" probe http://localhost --only '?')" -- "$word")
    elif [[ $previous == --shape ]]; then
        words=$(compgen -W "$(_assay_expected "$program" schedule --shape '?')" -- "$word")
    elif [[ $previous == --endpoint ]]; then
        words=$(compgen -W "$(_assay_expected "$program" events --endpoint '?' -)" -- "$word")
    elif [[ $previous == --reasoning-parser || $previous == --tool-parser ]]; then
        words=$(compgen -W "$(_assay_expected "$program" events --endpoint chat "$previous" '?' -)" -- "$word")
    elif [[ ( $command == merge || $command == compare ) && $word != -* ]]; then
        words=$(compgen -f -X '!*.json' -- "$word"; compgen -d -- "$word")
    elif [[ $command == weights && $word != -* ]]; then
        words=$(compgen -f -X '!*.gguf' -- "$word"; compgen -d -- "$word")
    elif [[ $command == events && $word != -* ]]; then
        words=$(compgen -f -X '!*.sse' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --replay ]]; then
        words=$(compgen -f -X '!*.json' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --image ]]; then
        words=$(compgen -f -- "$word" | grep -iE '\.(png|jpe?g|pgm|ppm)$'; compgen -d -- "$word")
    elif [[ $previous == --audio ]]; then
        words=$(compgen -f -- "$word" | grep -iE '\.(wav|flac)$'; compgen -d -- "$word")
    elif [[ $command == probe && $previous == --save ]]; then
        words=$(compgen -f -X '!*.jsonl' -- "$word"; compgen -d -- "$word")
    elif [[ $previous == --save || $previous == --dump || $previous == --bundle || $previous == --files || $previous == --checkpoint-root ]]; then
        words=$(compgen -d -- "$word")
    elif [[ $previous == --model || ( $command == arrays && $word != -* ) ]]; then
        words=$(compgen -f -X '!*.gguf' -- "$word"; compgen -d -- "$word")
    elif [[ $command == info && $word != -* ]]; then
        words=$(compgen -f -- "$word" | grep -E '\.(gguf|h5|json|json\.gz)$'; compgen -d -- "$word")
    elif [[ $previous == --api-key-env ]]; then
        words=$(compgen -e -- "$word")
    elif [[ $word == -* ]]; then
        words=$(compgen -W "$(_assay_options "$program" "$command")" -- "$word")
    elif [[ -z $command ]]; then
        words=$(compgen -W "$(_assay_commands "$program")" -- "$word")
    elif [[ $command == probe && $previous != --truth ]]; then
        words=$(compgen -f -X '!*.jsonl' -- "$word"; compgen -d -- "$word")
    else
        words=$(compgen -f -- "$word" | grep -E '\.(h5|json|json\.gz)$'; compgen -d -- "$word")
    fi
    COMPREPLY=()
    if [[ -n $words ]]; then mapfile -t COMPREPLY <<<"$words"; fi
}

complete -o filenames -F _assay assay
