; The grammar's own query lists the general after the special; said again in the order in which later patterns win.

(identifier) @variable
(field_identifier) @property
(type_identifier) @type
(package_identifier) @module
(label_name) @label

(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @function.method)
(method_elem name: (field_identifier) @function.method)
(call_expression function: (identifier) @function)
(call_expression function: (selector_expression field: (field_identifier) @function.method))
((call_expression function: (identifier) @function.builtin)
 (#any-of? @function.builtin
  "append" "cap" "clear" "close" "complex" "copy" "delete" "imag" "len" "make" "max" "min" "new" "panic" "print"
  "println" "real" "recover"))

(parameter_declaration name: (identifier) @variable.parameter)
(variadic_parameter_declaration name: (identifier) @variable.parameter)
(const_spec name: (identifier) @constant)
(keyed_element . (literal_element (identifier) @property))
((type_identifier) @type.builtin
 (#match? @type.builtin "^(any|bool|byte|comparable|complex(64|128)|error|float(32|64)|u?int(8|16|32|64)?|uintptr|rune|string)$"))

["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ":" ";"] @punctuation.delimiter
