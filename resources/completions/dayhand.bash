# Completions for bash.
_dayhand() {
    local line=${COMP_LINE:0:COMP_POINT} typed word before found
    read -ra typed <<<"$line"
    [[ $line != *[[:space:]] ]] || typed+=('')
    word=${typed[-1]}
    # Bash also splits words at these characters, and expects only the part after the last one.
    before=${word%"${word##*[:=]}"}
    mapfile -t found < <("$1" complete "${typed[@]:1}" 2>/dev/null)
    if [ "${found[0]-}" = :files ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${word#"$before"}")
    else
        found=("${found[@]%%$'\t'*}")
        COMPREPLY=("${found[@]#"$before"}")
    fi
}
complete -F _dayhand dayhand
