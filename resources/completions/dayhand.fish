# Completions for fish.
function __dayhand_next
    set -l typed (commandline -opc)
    set -l found ($typed[1] complete $typed[2..] (commandline -ct) 2>/dev/null)
    if test "$found[1]" = :files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $found
    end
end
complete -c dayhand -f -a '(__dayhand_next)'
