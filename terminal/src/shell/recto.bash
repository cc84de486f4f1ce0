# Marks prompts and commands for the terminal. Read instead of ~/.bashrc; reads that first.
# Nothing here changes $? as the user's own prompt sees it.

if [ -n "${RECTO_LOGIN-}" ]; then
    unset RECTO_LOGIN
    [ -r /etc/profile ] && . /etc/profile
    for __recto_file in ~/.bash_profile ~/.bash_login ~/.profile; do
        if [ -r "$__recto_file" ]; then
            . "$__recto_file"
            break
        fi
    done
    unset __recto_file
elif [ -r ~/.bashrc ]; then
    . ~/.bashrc
fi

# PS0 came with 4.4; without it there is no telling when a command begins.
if [[ $- == *i* ]] && ((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 4))); then
    __recto_nonce=$RECTO_NONCE
    unset RECTO_NONCE

    __recto_escape() {
        local text=$1
        text=${text//\\/\\\\}
        text=${text//;/\\x3b}
        text=${text//$'\n'/\\x0a}
        text=${text//$'\r'/\\x0d}
        text=${text//$'\e'/\\x1b}
        printf '%s' "${text//$'\a'/\\x07}"
    }

    # The number of the newest entry, and the entry itself.
    __recto_history() {
        HISTTIMEFORMAT='' builtin history 1
    }

    # First of all prompt commands: the exit code of what ran is still there.
    __recto_before() {
        local code=$?
        printf '\e]133;D;%s\a\e]633;P;Cwd=%s\a' "$code" "$(__recto_escape "$PWD")"
        return "$code"
    }

    # Last of them: whatever sets the prompt anew has done so.
    __recto_after() {
        local code=$? entry
        entry=$(__recto_history)
        entry=${entry#"${entry%%[![:space:]]*}"}
        __recto_number=${entry%%[!0-9]*}
        if [[ $PS1 != *'133;B'* ]]; then
            PS1='\[\e]133;A\a\]'$PS1'\[\e]133;B\a\]'
        fi
        if [[ $PS0 != *__recto_running* ]]; then
            PS0=$PS0'$(__recto_running)'
        fi
        return "$code"
    }

    # In a subshell, when a command was read and before it runs.
    __recto_running() {
        local entry number
        entry=$(__recto_history)
        entry=${entry#"${entry%%[![:space:]]*}"}
        number=${entry%%[!0-9]*}
        # The same number as before: it was not recorded (a leading blank, a repetition), so this is another command.
        if [[ -n $number && $number != "$__recto_number" ]]; then
            entry=${entry#"$number"}
            entry=${entry#'*'}
            entry=${entry#"${entry%%[![:space:]]*}"}
            printf '\e]633;E;%s;%s\a' "$(__recto_escape "$entry")" "$__recto_nonce"
        fi
        printf '\e]133;C\a'
    }

    if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
        PROMPT_COMMAND=(__recto_before "${PROMPT_COMMAND[@]}" __recto_after)
    else
        PROMPT_COMMAND=__recto_before$'\n'${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__recto_after
    fi
fi
