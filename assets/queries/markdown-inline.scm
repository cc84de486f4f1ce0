; Additions to the grammar's own query; later patterns win.

(strikethrough) @comment
(entity_reference) @escape
(numeric_character_reference) @escape
(email_autolink) @text.uri
