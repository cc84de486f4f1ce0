; What is outside of <?php … ?> is one HTML document.

((text) @injection.content
 (#set! injection.language "html")
 (#set! injection.combined))

; <<<SQL … SQL names its language.
((heredoc
  (heredoc_body) @injection.content
  (heredoc_end) @injection.language)
 (#set! injection.include-children))
((nowdoc
  (nowdoc_body) @injection.content
  (heredoc_end) @injection.language)
 (#set! injection.include-children))
