; Additions to the queries of JavaScript and TypeScript; later patterns win.

(class name: (type_identifier) @type)
(new_expression constructor: (identifier) @type)

(arrow_function parameter: (identifier) @variable.parameter)

(shorthand_property_identifier) @property
(private_property_identifier) @property
(call_expression function: (member_expression property: (private_property_identifier) @function.method))
(method_definition name: (private_property_identifier) @function.method)

(escape_sequence) @escape
(statement_identifier) @label
((comment) @comment.documentation
 (#match? @comment.documentation "^/\\*\\*"))

; TypeScript calls every capitalised name a type; some are constants.
(class_declaration name: (type_identifier) @type)
((identifier) @constant
 (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(new_expression constructor: (identifier) @type)
(type_parameter name: (type_identifier) @type)
(enum_declaration name: (identifier) @type)
(enum_body (property_identifier) @constant)
(enum_assignment name: (property_identifier) @constant)

(method_signature name: (property_identifier) @function.method)
(abstract_method_signature name: (property_identifier) @function.method)
(function_signature name: (identifier) @function)

(required_parameter (rest_pattern (identifier) @variable.parameter))
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @variable.parameter))
(required_parameter pattern: (this) @variable.builtin)
(decorator "@" @attribute)
(decorator (identifier) @attribute)
(decorator (call_expression function: (identifier) @attribute))
(internal_module name: (identifier) @module)
(module name: (identifier) @module)

["infer" "is" "asserts" "module" "global"] @keyword
(type_parameters ["<" ">"] @punctuation.bracket)
":" @punctuation.delimiter

; Functions that are named like types: components.
(function_declaration name: (identifier) @function)
(call_expression function: (identifier) @function)
(variable_declarator
  name: (identifier) @function
  value: [(function_expression) (arrow_function)])
