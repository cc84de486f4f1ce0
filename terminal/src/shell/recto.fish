# Marks prompts and commands for the terminal. Read after the user's configuration.

if status is-interactive; and not functions -q __recto_prompt
    set -g __recto_nonce $RECTO_NONCE
    set -e RECTO_NONCE

    function __recto_escape
        string replace -a '\\' '\\\\' -- $argv | string replace -a ';' '\\x3b' | string replace -a \e '\\x1b' \
            | string replace -a \a '\\x07' | string join '\\x0a'
    end

    function __recto_directory --on-variable PWD
        printf '\e]633;P;Cwd=%s\a' (__recto_escape $PWD)
    end

    function __recto_preexec --on-event fish_preexec
        printf '\e]633;E;%s;%s\a\e]133;C\a' (__recto_escape $argv[1]) $__recto_nonce
    end

    function __recto_postexec --on-event fish_postexec
        printf '\e]133;D;%s\a' $status
    end

    function __recto_status
        return $argv[1]
    end

    functions -q fish_prompt; and functions -c fish_prompt __recto_prompt
    functions -q __recto_prompt; or function __recto_prompt
        echo '> '
    end

    function fish_prompt
        set -l code $status
        printf '\e]133;A\a'
        __recto_status $code
        __recto_prompt
        printf '\e]133;B\a'
    end

    __recto_directory
end
