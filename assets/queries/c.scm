; Additions to the grammar's own query; later patterns win. Also used for C++.

(primitive_type) @type.builtin
(sized_type_specifier) @type.builtin
(char_literal) @string
(escape_sequence) @escape
[(true) (false) (null)] @constant.builtin

(enumerator name: (identifier) @constant)
(preproc_def name: (identifier) @constant)
(preproc_function_def name: (identifier) @function.macro)
(preproc_params (identifier) @variable.parameter)
(parameter_declaration declarator: (identifier) @variable.parameter)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @variable.parameter))
(parameter_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @variable.parameter)))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @variable.parameter))

[(storage_class_specifier) (type_qualifier)] @keyword
["goto"] @keyword

["/" "%" "!" "~" "|" "^" "<<" ">>" "<=" ">=" "*=" "/=" "%=" "&=" "|=" "^=" "<<=" ">>=" "?"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":"] @punctuation.delimiter
