; Additions to the grammar's own query; later patterns win.

(doctype) @keyword
(quoted_attribute_value) @string
(entity) @escape
"=" @operator
