; Additions to the grammar's own query; later patterns win. Its patterns for numbers are Lua patterns, which are not
; regular expressions.

((literal) @number
 (#match? @number "^[-+]?[0-9]+(\\.[0-9]*)?$"))
(column_definition name: (identifier) @property)
(column (identifier) @property)
(invocation (object_reference name: (identifier) @function.call))
(keyword_null) @constant.builtin
