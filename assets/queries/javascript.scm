; Additions to the grammar's own queries; later patterns win.

(class_declaration name: (identifier) @type)
(class name: (identifier) @type)
(class_heritage (identifier) @type)
(new_expression constructor: (identifier) @type)

(formal_parameters (identifier) @variable.parameter)
(formal_parameters (assignment_pattern left: (identifier) @variable.parameter))
(formal_parameters (rest_pattern (identifier) @variable.parameter))
(formal_parameters (object_pattern (shorthand_property_identifier_pattern) @variable.parameter))
(formal_parameters (array_pattern (identifier) @variable.parameter))
(arrow_function parameter: (identifier) @variable.parameter)

(shorthand_property_identifier) @property
(private_property_identifier) @property
(call_expression function: (member_expression property: (private_property_identifier) @function.method))
(method_definition name: (private_property_identifier) @function.method)

(escape_sequence) @escape
(statement_identifier) @label
(decorator "@" @attribute (identifier) @attribute)
(decorator "@" @attribute (call_expression function: (identifier) @attribute))
(jsx_opening_element name: (_) @tag)
(jsx_closing_element name: (_) @tag)
(jsx_self_closing_element name: (_) @tag)
(jsx_attribute (property_identifier) @attribute)
((comment) @comment.documentation
 (#match? @comment.documentation "^/\\*\\*"))
(hash_bang_line) @comment
