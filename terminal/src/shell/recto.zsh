# Marks prompts and commands for the terminal. Read as .zshenv of a folder of ours; puts the user's own back and reads it.
# zsh keeps $? over its hooks.

if [[ -n ${RECTO_ZDOTDIR+x} ]]; then
    export ZDOTDIR=$RECTO_ZDOTDIR
    unset RECTO_ZDOTDIR
else
    unset ZDOTDIR
fi
if [[ -r ${ZDOTDIR:-$HOME}/.zshenv ]]; then
    builtin source "${ZDOTDIR:-$HOME}/.zshenv"
fi

if [[ -o interactive ]]; then
    typeset -g __recto_nonce=$RECTO_NONCE
    unset RECTO_NONCE

    __recto_escape() {
        builtin emulate -L zsh
        local text=$1
        text=${text//\\/\\\\}
        text=${text//;/\\x3b}
        text=${text//$'\n'/\\x0a}
        text=${text//$'\r'/\\x0d}
        text=${text//$'\e'/\\x1b}
        builtin print -rn -- "${text//$'\a'/\\x07}"
    }

    __recto_precmd() {
        local code=$?
        builtin printf '\e]133;D;%s\a\e]633;P;Cwd=%s\a' "$code" "$(__recto_escape "$PWD")"
        # Again each time: themes set the prompt anew.
        if [[ $PS1 != *'133;B'* ]]; then
            PS1=$'%{\e]133;A\a%}'$PS1$'%{\e]133;B\a%}'
        fi
    }

    __recto_preexec() {
        builtin printf '\e]633;E;%s;%s\a\e]133;C\a' "$(__recto_escape "$1")" "$__recto_nonce"
    }

    # At the first prompt everything of the user's is loaded: ours comes last then, and sees the prompt that is shown.
    __recto_begin() {
        precmd_functions=(${precmd_functions:#__recto_begin} __recto_precmd)
        preexec_functions=(${preexec_functions} __recto_preexec)
        __recto_precmd
    }
    typeset -ga precmd_functions
    precmd_functions+=(__recto_begin)
fi
