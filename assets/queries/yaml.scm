; Additions to the grammar's own query; later patterns win.

(block_mapping_pair key: (flow_node (alias) @label))
(escape_sequence) @escape
(timestamp_scalar) @string.special
(anchor "&" @label)
(alias "*" @label)
