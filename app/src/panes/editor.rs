//! A document in a tab.

use crate::state::documents::DocumentId;

/// One view of a document.
#[derive(Clone, Debug)]
pub struct EditorPane {
    pub document: DocumentId,
}
