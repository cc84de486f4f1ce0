; Additions to the grammar's own query; later patterns win.

(info_string (language) @attribute)
(pipe_table_header (pipe_table_cell) @text.strong)
(pipe_table_header "|" @punctuation.delimiter)
(pipe_table_row "|" @punctuation.delimiter)
(pipe_table_delimiter_row) @punctuation.delimiter
[(task_list_marker_checked) (task_list_marker_unchecked)] @punctuation.special
