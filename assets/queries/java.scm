; Additions to the grammar's own query; later patterns win.

(formal_parameter name: (identifier) @variable.parameter)
(lambda_expression parameters: (identifier) @variable.parameter)
(inferred_parameters (identifier) @variable.parameter)
(field_declaration declarator: (variable_declarator name: (identifier) @property))
(field_access field: (identifier) @property)
((field_declaration declarator: (variable_declarator name: (identifier) @constant))
 (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
((field_access field: (identifier) @constant)
 (#match? @constant "^_*[A-Z][A-Z0-9_]+$"))
(enum_constant name: (identifier) @constant)
(record_declaration name: (identifier) @type)
(package_declaration (scoped_identifier) @module)
(package_declaration (scoped_identifier (identifier) @module))
(import_declaration (scoped_identifier scope: (scoped_identifier name: (identifier) @module)))
((import_declaration (scoped_identifier name: (identifier) @type))
 (#match? @type "^[A-Z]"))
((block_comment) @comment.documentation
 (#match? @comment.documentation "^/\\*\\*"))
"@" @attribute
(super) @variable.builtin

["=" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "!" "+" "-" "*" "/" "%" "&" "|" "^" "~" "?" "->" "::" "++" "--" "+=" "-=" "*=" "/="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ";" ":"] @punctuation.delimiter
(type_arguments ["<" ">"] @punctuation.bracket)
(type_parameters ["<" ">"] @punctuation.bracket)
