; Additions to the grammar's own query; later patterns win.

(qualified_name (identifier) @module)
(using_directive (identifier) @module)
(file_scoped_namespace_declaration name: (_) @module)
(member_access_expression name: (identifier) @property)
(property_declaration name: (identifier) @property)
(invocation_expression function: (identifier) @function)
(invocation_expression function: (member_access_expression name: (identifier) @function))
(object_creation_expression type: (identifier) @type)
(type_parameter (identifier) @type)
(interpolation) @none
"this" @variable.builtin
((comment) @comment.documentation
 (#match? @comment.documentation "^///"))
(preproc_region) @keyword
(preproc_endregion) @keyword
