; Additions to the grammar's own query; later patterns win.

(variable_name) @variable
(special_variable_name) @variable.builtin
(simple_expansion) @embedded
(number) @number
(ansi_c_string) @string
(test_operator) @operator
(regex) @string.special
((command_name (word) @function.builtin)
 (#any-of? @function.builtin "cd" "echo" "eval" "exec" "exit" "printf" "read" "set" "shift" "source" "test" "trap" "true" "false" "umask" "wait"))
((command_name (word) @keyword)
 (#any-of? @keyword "return" "break" "continue"))
(heredoc_end) @string
["declare" "typeset" "readonly" "local" "unsetenv"] @keyword
["||" "&" ";" ";;" "<<" "<<<" ">&" "&>" "=" "+=" "==" "!=" "=~" "!"] @operator
["(" ")" "((" "))" "[" "]" "[[" "]]" "{" "}" "${" "$("] @punctuation.bracket
