; Template literals whose tag names a language, and the regular shape of lit, styled-components and gql.
; The pieces around substitutions are one text.

((call_expression
  function: (identifier) @injection.language
  arguments: (template_string (string_fragment) @injection.content))
 (#any-of? @injection.language "html" "css" "sql" "json" "yaml" "markdown" "md" "bash" "sh")
 (#set! injection.siblings))

((call_expression
  function: (identifier) @_tag
  arguments: (template_string (string_fragment) @injection.content))
 (#any-of? @_tag "keyframes" "injectGlobal" "createGlobalStyle")
 (#set! injection.language "css")
 (#set! injection.siblings))

((call_expression
  function: (member_expression object: (identifier) @_tag)
  arguments: (template_string (string_fragment) @injection.content))
 (#eq? @_tag "styled")
 (#set! injection.language "css")
 (#set! injection.siblings))
