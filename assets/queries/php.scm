; Additions to the grammar's own query; later patterns win.

(class_declaration name: (name) @type)
(interface_declaration name: (name) @type)
(trait_declaration name: (name) @type)
(enum_declaration name: (name) @type)
(enum_case name: (name) @constant)
(base_clause (name) @type)
(class_interface_clause (name) @type)
(class_constant_access_expression . (name) @type)

(simple_parameter name: (variable_name) @variable.parameter)
(variadic_parameter name: (variable_name) @variable.parameter)
(variable_name "$" @variable)
(simple_parameter name: (variable_name "$" @variable.parameter))
(variadic_parameter name: (variable_name "$" @variable.parameter))
((variable_name "$" @variable.builtin (name) @_name)
 (#eq? @_name "this"))
((variable_name) @variable.builtin
 (#eq? @variable.builtin "$this"))
(attribute (name) @attribute)
(escape_sequence) @escape
((comment) @comment.documentation
 (#match? @comment.documentation "^/\\*\\*"))

["=" "==" "===" "!=" "!==" "<" ">" "<=" ">=" "<=>" "&&" "||" "!" "+" "-" "*" "/" "%" "." "??" "?->" "->" "=>" "::" "+=" "-=" ".="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":"] @punctuation.delimiter
