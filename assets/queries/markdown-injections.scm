; Table cells hold inline text too.

((pipe_table_cell) @injection.content
 (#set! injection.language "markdown_inline"))
