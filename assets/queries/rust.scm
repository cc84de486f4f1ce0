; Additions to the grammar's own query; later patterns win.

(integer_literal) @number
(float_literal) @number

; Enum variants and tuple structs, also where they are called.
((call_expression function: (identifier) @constructor)
 (#match? @constructor "^[A-Z]"))
((call_expression function: (scoped_identifier name: (identifier) @constructor))
 (#match? @constructor "^[A-Z]"))
(enum_variant name: (identifier) @constructor)

; Constants come after constructors, both being capitalised.
((identifier) @constant
 (#match? @constant "^[A-Z][A-Z0-9_]+$"))
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)

; Lower-case steps of a path are modules.
((scoped_identifier path: (identifier) @module)
 (#match? @module "^[a-z_]"))
((scoped_identifier path: (scoped_identifier name: (identifier) @module))
 (#match? @module "^[a-z_]"))
((scoped_type_identifier path: (identifier) @module)
 (#match? @module "^[a-z_]"))
((scoped_type_identifier path: (scoped_identifier name: (identifier) @module))
 (#match? @module "^[a-z_]"))
(scoped_use_list path: (identifier) @module)
(scoped_use_list path: (scoped_identifier name: (identifier) @module))
((use_declaration argument: (scoped_identifier name: (identifier) @type))
 (#match? @type "^[A-Z]"))
((use_list (identifier) @type)
 (#match? @type "^[A-Z]"))
((use_list (scoped_identifier name: (identifier) @type))
 (#match? @type "^[A-Z]"))
(mod_item name: (identifier) @module)

(closure_parameters (identifier) @variable.parameter)
(macro_definition name: (identifier) @function.macro)

[
  "=" "==" "!=" "<" ">" "<=" ">=" "&&" "||" "!" "+" "-" "*" "/" "%" "^" "|" "&" "<<" ">>"
  "+=" "-=" "*=" "/=" "%=" "^=" "&=" "|=" "<<=" ">>=" "->" "=>" ".." "..=" "?"
] @operator

(type_arguments ["<" ">"] @punctuation.bracket)
(type_parameters ["<" ">"] @punctuation.bracket)
(closure_parameters "|" @punctuation.bracket)

; Pieces of one word that are also operators elsewhere.
(lifetime) @label
(lifetime "'" @label)
(label) @label
(macro_invocation "!" @function.macro)
(inner_doc_comment_marker "!" @comment.documentation)
(outer_doc_comment_marker "/" @comment.documentation)
(attribute arguments: (token_tree (identifier) @attribute))
