; Scripts that are not JavaScript, and handlers. Not inline styles: the grammar of CSS wants rules.

((script_element
  (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @_type)))
  (raw_text) @injection.content)
 (#eq? @_name "type")
 (#match? @_type "(json|importmap)$")
 (#set! injection.language "json"))

((script_element
  (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @_type)))
  (raw_text) @injection.content)
 (#any-of? @_name "lang" "type")
 (#any-of? @_type "ts" "typescript" "text/typescript")
 (#set! injection.language "typescript"))

((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @injection.content))
 (#match? @_name "^on[a-z]+$")
 (#set! injection.language "javascript"))
