# fish completion for scalediag: asks the program itself, so that it knows what this version knows.
function __scalediag_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program --complete $words $typed 2>/dev/null)
        switch $line
            case :files :program
                __fish_complete_path $typed
            case :folders
                __fish_complete_directories $typed
            case :records
                __fish_complete_suffix $typed .json
            case :programs
                __fish_complete_path $typed
                complete -C $typed
            case '*'
                echo $line
        end
    end
end
complete -c scalediag -f -a '(__scalediag_complete)'
