; Additions to the grammar's own query; later patterns win.

(pair key: (string) @property)
["{" "}" "[" "]"] @punctuation.bracket
["," ":"] @punctuation.delimiter
