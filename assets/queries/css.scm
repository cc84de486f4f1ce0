; Additions to the grammar's own query; later patterns win.

(class_name) @type
(id_name) @type
(pseudo_element_selector (tag_name) @attribute)
(pseudo_class_selector (class_name) @attribute)
(plain_value) @constant
((plain_value) @variable
 (#match? @variable "^--"))
((property_name) @variable
 (#match? @variable "^--"))
(unit) @number
(keyframes_name) @type
["[" "]"] @punctuation.bracket
(color_value "#" @string.special)
