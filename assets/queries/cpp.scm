; Additions to the grammar's own query; later patterns win.

(namespace_identifier) @module
((namespace_identifier) @type
 (#match? @type "^[A-Z]"))
(auto) @type.builtin
(class_specifier name: (type_identifier) @type)
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @function)))
(call_expression function: (field_expression field: (field_identifier) @function.method))
(parameter_declaration declarator: (reference_declarator (identifier) @variable.parameter))
(optional_parameter_declaration declarator: (identifier) @variable.parameter)
(raw_string_literal) @string
(user_defined_literal (literal_suffix) @type)
["static_assert" "decltype" "alignas"] @keyword
"::" @punctuation.delimiter
(template_argument_list ["<" ">"] @punctuation.bracket)
(template_parameter_list ["<" ">"] @punctuation.bracket)
(raw_string_literal ["(" ")"] @string)
