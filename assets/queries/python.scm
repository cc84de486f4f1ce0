; Additions to the grammar's own query; later patterns win.

["and" "in" "is" "not" "or" "is not" "not in"] @keyword
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ":" ";"] @punctuation.delimiter

(import_statement name: (dotted_name (identifier) @module))
(import_statement name: (aliased_import name: (dotted_name (identifier) @module)))
(import_from_statement module_name: (dotted_name (identifier) @module))

; A method is a property too; being called decides.
(call function: (attribute attribute: (identifier) @function.method))
((call function: (identifier) @constructor)
 (#match? @constructor "^[A-Z]"))
((call function: (attribute attribute: (identifier) @constructor))
 (#match? @constructor "^[A-Z]"))

(class_definition name: (identifier) @type)
(class_definition superclasses: (argument_list (identifier) @type))
(type (identifier) @type)
(generic_type (identifier) @type)
((type (identifier) @type.builtin)
 (#any-of? @type.builtin "int" "float" "str" "bool" "bytes" "object" "list" "dict" "set" "tuple" "complex"))
((generic_type (identifier) @type.builtin)
 (#any-of? @type.builtin "list" "dict" "set" "tuple" "frozenset" "type"))

(parameters (identifier) @variable.parameter)
(default_parameter name: (identifier) @variable.parameter)
(typed_parameter (identifier) @variable.parameter)
(typed_default_parameter name: (identifier) @variable.parameter)
(list_splat_pattern (identifier) @variable.parameter)
(dictionary_splat_pattern (identifier) @variable.parameter)
(lambda_parameters (identifier) @variable.parameter)
(keyword_argument name: (identifier) @variable.parameter)
((identifier) @variable.builtin
 (#any-of? @variable.builtin "self" "cls"))

(decorator "@" @attribute)
(decorator (identifier) @attribute)
(decorator (attribute attribute: (identifier) @attribute))
(decorator (call function: (identifier) @attribute))
(decorator (call function: (attribute attribute: (identifier) @attribute)))
; The line as a whole takes no colour: its arguments have their own.
(decorator) @none

; Docstrings.
(module . (comment)* . (expression_statement . (string) @comment.documentation .))
(function_definition body: (block . (expression_statement . (string) @comment.documentation .)))
(class_definition body: (block . (expression_statement . (string) @comment.documentation .)))
