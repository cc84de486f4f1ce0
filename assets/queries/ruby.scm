; Additions to the grammar's own query; later patterns win. Which bare names are local variables is not resolved: a name
; is a method where it is called with a receiver, with arguments or with parentheses, or defined.

(identifier) @variable
(constant) @type
((constant) @constant
 (#match? @constant "^[A-Z][A-Z0-9_]+$"))

((identifier) @keyword
 (#any-of? @keyword "private" "protected" "public" "module_function"))
((identifier) @constant.builtin
 (#match? @constant.builtin "^__(FILE|LINE|ENCODING|method|dir)__$"))
(call method: [(identifier) (constant)] @function.method)
((call !receiver method: (identifier) @function.builtin)
 (#any-of? @function.builtin "require" "require_relative" "raise" "puts" "loop" "lambda" "proc"))
(alias (identifier) @function.method)
(setter (identifier) @function.method)
(method name: [(identifier) (constant)] @function.method)
(singleton_method name: [(identifier) (constant)] @function.method)

(block_parameters (identifier) @variable.parameter)
(destructured_parameter (identifier) @variable.parameter)
(hash_splat_parameter (identifier) @variable.parameter)
(lambda_parameters (identifier) @variable.parameter)
(method_parameters (identifier) @variable.parameter)
(splat_parameter (identifier) @variable.parameter)
(block_parameter (identifier) @variable.parameter)
(keyword_parameter name: (identifier) @variable.parameter)
(optional_parameter name: (identifier) @variable.parameter)

(global_variable) @variable.builtin
["==" "!=" "<" ">" "<=" ">=" "&&" "||" "!" "+" "-" "*" "/" "%" "**" "<<" "=~" ".." "..." "+=" "-=" "||=" "&&="] @operator
