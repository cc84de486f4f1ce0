; Additions to the grammar's own query; later patterns win.

; A pair as a whole takes no colour; its key does.
(pair) @none
(pair (bare_key) @property)
(pair (quoted_key) @property)
(pair (dotted_key (bare_key) @property))
(pair (dotted_key (quoted_key) @property))
(table (quoted_key) @type)
(table_array_element (quoted_key) @type)
(escape_sequence) @escape
