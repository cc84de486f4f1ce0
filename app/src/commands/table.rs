//! The table: id, title, default keys, when it applies, what it does. A new command is one entry here and one arm
//! in [`super::run`].
//!
//! Keys are written as people say them: `Ctrl+Shift+P`; two steps are separated by a space: `Ctrl+K Ctrl+S`.
//! `Ctrl` means Command on macOS.

/// When a command's keys apply. The palette lists a command when its `When` could hold in the active pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Anywhere.
    Always,
    /// The caret is in text that can be edited: an editor, or a review's new side in edit mode.
    Editing,
    /// An editor is the active pane.
    Editor,
    /// A code view has the focus, editable or not.
    Code,
    /// A review has the focus and is being read, not edited: single letters are keys.
    Reading,
    /// A review is the active pane, read or edited.
    Review,
    /// Conflicts are the active pane.
    Conflicts,
    /// Conflicts are the active pane and the result is not edited: single letters are keys.
    Deciding,
    /// A terminal has the focus.
    Terminal,
    /// A side panel's tree has the focus.
    Tree,
    /// The message of a commit is being written.
    CommitMessage,
}

/// Which part of the menu and the help page lists a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    File,
    Edit,
    Selection,
    /// Moving the caret; not in the menu.
    Caret,
    View,
    Go,
    Review,
    Terminal,
    Chat,
    /// The tree of files; in its own menus.
    Files,
    Help,
}

/// An entry of the table.
pub struct Spec {
    /// Stable name for the keymap file: `edit.undo`.
    pub id: &'static str,
    /// What the palette and the menu show.
    pub title: &'static str,
    /// Default keys, each a whole binding.
    pub keys: &'static [&'static str],
    pub when: When,
    pub group: Group,
    /// One sentence for the help page.
    pub doc: &'static str,
}

macro_rules! commands {
    ($($name:ident $group:ident $when:ident $id:literal $title:literal [$($key:literal),*] $doc:literal;)*) => {
        /// A command of the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Command { $(#[doc = $doc] $name,)* }

        impl Command {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Command] = &[$(Command::$name,)*];

            /// Its entry.
            pub fn spec(self) -> &'static Spec {
                match self {
                    $(Command::$name => &Spec {
                        id: $id, title: $title, keys: &[$($key),*], when: When::$when, group: Group::$group, doc: $doc,
                    },)*
                }
            }
        }
    };
}

commands! {
    OpenFile File Always "file.open" "Open File…" ["Ctrl+O"] "Chooses a file to open.";
    OpenFolder File Always "file.open-folder" "Open Folder…" ["Ctrl+K Ctrl+O"] "Chooses a folder to work in.";
    NewFile File Always "file.new" "New File" ["Ctrl+N"] "Opens an empty document.";
    Save File Code "file.save" "Save" ["Ctrl+S"] "Writes the document to its file.";
    SaveAs File Code "file.save-as" "Save As…" ["Ctrl+Shift+S"] "Writes the document to another file.";
    SaveAll File Always "file.save-all" "Save All" ["Ctrl+Alt+S"] "Writes every changed document.";
    CloseTab File Always "file.close" "Close Tab" ["Ctrl+W", "Ctrl+Shift+W"] "Closes the active tab.";
    ReopenClosed File Always "file.reopen-closed" "Reopen Closed Tab" ["Ctrl+Shift+T"] "Opens the tab that was closed last.";
    Revert File Code "file.revert" "Revert File" [] "Reads the file again; one step of undo brings the text back.";
    Quit File Always "file.quit" "Quit" ["Ctrl+Q"] "Closes the window; unsaved text is kept for the next start.";

    Undo Edit Editing "edit.undo" "Undo" ["Ctrl+Z"] "Takes back the last change of this file.";
    Redo Edit Editing "edit.redo" "Redo" ["Ctrl+Shift+Z", "Ctrl+Y"] "Makes the change again that was taken back.";
    Cut Edit Editing "edit.cut" "Cut" ["Ctrl+X"] "Moves the selection, or the line, to the clipboard.";
    Copy Edit Code "edit.copy" "Copy" ["Ctrl+C"] "Copies the selection, or the line, without numbers and signs.";
    Paste Edit Editing "edit.paste" "Paste" ["Ctrl+V"] "Inserts the clipboard.";
    Find Edit Code "edit.find" "Find" ["Ctrl+F"] "Finds text in this file or review.";
    FindNext Edit Code "edit.find-next" "Find Next" ["F3"] "Goes to the next match.";
    FindPrevious Edit Code "edit.find-previous" "Find Previous" ["Shift+F3"] "Goes to the match before.";
    Replace Edit Editing "edit.replace" "Replace" ["Ctrl+H"] "Finds and replaces text in this file.";
    ToggleComment Edit Editing "edit.toggle-comment" "Toggle Comment" ["Ctrl+/"] "Comments the selected lines, or takes the comment away.";
    Indent Edit Editing "edit.indent" "Indent" ["Ctrl+]"] "Moves the selected lines one step right.";
    Outdent Edit Editing "edit.outdent" "Outdent" ["Ctrl+[", "Shift+Tab"] "Moves the selected lines one step left.";
    MoveLineUp Edit Editing "edit.move-line-up" "Move Line Up" ["Alt+Up"] "Moves the selected lines up.";
    MoveLineDown Edit Editing "edit.move-line-down" "Move Line Down" ["Alt+Down"] "Moves the selected lines down.";
    DuplicateLine Edit Editing "edit.duplicate-line" "Duplicate Line" ["Ctrl+Shift+D"] "Repeats the selected lines below.";
    DeleteLine Edit Editing "edit.delete-line" "Delete Line" ["Ctrl+Shift+K"] "Deletes the selected lines.";
    JoinLines Edit Editing "edit.join-lines" "Join Lines" ["Ctrl+J"] "Joins the line with the next.";
    Uppercase Edit Editing "edit.uppercase" "To Uppercase" [] "Changes the selection to capitals.";
    Lowercase Edit Editing "edit.lowercase" "To Lowercase" [] "Changes the selection to small letters.";
    NewLineBelow Edit Editing "edit.new-line-below" "New Line Below" ["Ctrl+Enter"] "Opens a line below without breaking this one.";
    NewLineAbove Edit Editing "edit.new-line-above" "New Line Above" ["Ctrl+Shift+Enter"] "Opens a line above without breaking this one.";

    CaretLeft Caret Code "caret.left" "Left" ["Left"] "Moves the caret to the character before.";
    CaretRight Caret Code "caret.right" "Right" ["Right"] "Moves the caret to the next character.";
    CaretUp Caret Code "caret.up" "Up" ["Up"] "Moves the caret to the line above.";
    CaretDown Caret Code "caret.down" "Down" ["Down"] "Moves the caret to the line below.";
    CaretWordLeft Caret Code "caret.word-left" "Word Left" ["Ctrl+Left"] "Moves the caret to the start of the word.";
    CaretWordRight Caret Code "caret.word-right" "Word Right" ["Ctrl+Right"] "Moves the caret to the end of the word.";
    CaretLineStart Caret Code "caret.line-start" "Line Start" ["Home"] "Moves the caret to the start of the line's text, then of the line.";
    CaretLineEnd Caret Code "caret.line-end" "Line End" ["End"] "Moves the caret to the end of the line.";
    CaretPageUp Caret Code "caret.page-up" "Page Up" ["PageUp"] "Moves the caret to a page up.";
    CaretPageDown Caret Code "caret.page-down" "Page Down" ["PageDown"] "Moves the caret to a page down.";
    CaretDocumentStart Caret Code "caret.document-start" "Document Start" ["Ctrl+Home"] "Moves the caret to the start of the text.";
    CaretDocumentEnd Caret Code "caret.document-end" "Document End" ["Ctrl+End"] "Moves the caret to the end of the text.";
    CaretParagraphUp Caret Code "caret.paragraph-up" "Paragraph Up" [] "Moves the caret to the blank line before.";
    CaretParagraphDown Caret Code "caret.paragraph-down" "Paragraph Down" [] "Moves the caret to the next blank line.";
    SelectLeft Caret Code "caret.select-left" "Select Left" ["Shift+Left"] "Extends the selection to the character before.";
    SelectRight Caret Code "caret.select-right" "Select Right" ["Shift+Right"] "Extends the selection to the next character.";
    SelectUp Caret Code "caret.select-up" "Select Up" ["Shift+Up"] "Extends the selection to the line above.";
    SelectDown Caret Code "caret.select-down" "Select Down" ["Shift+Down"] "Extends the selection to the line below.";
    SelectWordLeft Caret Code "caret.select-word-left" "Select Word Left" ["Ctrl+Shift+Left"] "Extends the selection to the start of the word.";
    SelectWordRight Caret Code "caret.select-word-right" "Select Word Right" ["Ctrl+Shift+Right"] "Extends the selection to the end of the word.";
    SelectLineStart Caret Code "caret.select-line-start" "Select Line Start" ["Shift+Home"] "Extends the selection to the start of the line's text, then of the line.";
    SelectLineEnd Caret Code "caret.select-line-end" "Select Line End" ["Shift+End"] "Extends the selection to the end of the line.";
    SelectPageUp Caret Code "caret.select-page-up" "Select Page Up" ["Shift+PageUp"] "Extends the selection to a page up.";
    SelectPageDown Caret Code "caret.select-page-down" "Select Page Down" ["Shift+PageDown"] "Extends the selection to a page down.";
    SelectDocumentStart Caret Code "caret.select-document-start" "Select Document Start" ["Ctrl+Shift+Home"] "Extends the selection to the start of the text.";
    SelectDocumentEnd Caret Code "caret.select-document-end" "Select Document End" ["Ctrl+Shift+End"] "Extends the selection to the end of the text.";
    SelectParagraphUp Caret Code "caret.select-paragraph-up" "Select Paragraph Up" [] "Extends the selection to the blank line before.";
    SelectParagraphDown Caret Code "caret.select-paragraph-down" "Select Paragraph Down" [] "Extends the selection to the next blank line.";

    NewLine Edit Editing "edit.new-line" "New Line" ["Enter", "Shift+Enter"] "Breaks the line; the next is indented as it should be.";
    Tab Edit Editing "edit.tab" "Tab" ["Tab"] "Inserts a step of indentation, or indents the selected lines.";
    Backspace Edit Editing "edit.backspace" "Backspace" ["Backspace", "Shift+Backspace"] "Deletes the character before the caret, or the selection.";
    Delete Edit Editing "edit.delete" "Delete" ["Delete"] "Deletes the character after the caret, or the selection.";
    DeleteWordLeft Edit Editing "edit.delete-word-left" "Delete Word Left" ["Ctrl+Backspace"] "Deletes to the start of the word.";
    DeleteWordRight Edit Editing "edit.delete-word-right" "Delete Word Right" ["Ctrl+Delete"] "Deletes to the end of the word.";
    DeleteToLineStart Edit Editing "edit.delete-to-line-start" "Delete to Line Start" ["Ctrl+Shift+Backspace"] "Deletes to the start of the line.";
    DeleteToLineEnd Edit Editing "edit.delete-to-line-end" "Delete to Line End" ["Ctrl+Shift+Delete"] "Deletes to the end of the line.";

    SelectAll Selection Code "select.all" "Select All" ["Ctrl+A"] "Selects the whole text.";
    SelectLine Selection Code "select.line" "Select Line" ["Ctrl+L"] "Selects the line, then the next.";
    SelectNextOccurrence Selection Editing "select.next-occurrence" "Add Next Occurrence" ["Ctrl+D"] "Selects the word, then also its next occurrence.";
    SelectAllOccurrences Selection Editing "select.all-occurrences" "Select All Occurrences" ["Ctrl+Shift+L"] "Puts a caret at every occurrence of the selection.";
    CaretAbove Selection Editing "select.caret-above" "Add Caret Above" ["Ctrl+Alt+Up"] "Adds a caret on the line above.";
    CaretBelow Selection Editing "select.caret-below" "Add Caret Below" ["Ctrl+Alt+Down"] "Adds a caret on the line below.";
    SingleSelection Selection Code "select.single" "Single Selection" ["Escape"] "Drops the other carets, then the selection, then leaves editing a review.";

    Palette View Always "view.palette" "Command Palette" ["Ctrl+Shift+P", "F1"] "Lists every command.";
    QuickOpen Go Always "go.file" "Go to File…" ["Ctrl+P"] "Opens a file of the folder by a few letters of its path.";
    GoToLine Go Code "go.line" "Go to Line…" ["Ctrl+G"] "Moves the caret to a line.";
    NextProblem Go Always "go.next-problem" "Next Problem" ["F8"] "Goes to the next thing that a language server says is wrong, and tells what.";
    PreviousProblem Go Always "go.previous-problem" "Previous Problem" ["Shift+F8"] "Goes to the problem before.";
    GoBack Go Always "go.back" "Back" ["Alt+Left"] "Returns to where the caret was before.";
    GoForward Go Always "go.forward" "Forward" ["Alt+Right"] "Undoes going back.";
    ShowReview View Always "view.review" "Review" ["Ctrl+Shift+G"] "Shows the changed files.";
    ShowFiles View Always "view.files" "Files" ["Ctrl+Shift+E"] "Shows the folder's files.";
    ShowProblems View Always "view.problems" "Problems" ["Ctrl+Shift+M"] "Lists what language servers say is wrong, or goes back from the list.";
    RestartServers View Always "servers.restart" "Restart Language Servers" [] "Ends the servers of the folder and starts them again, also those that stopped.";
    StopServers View Always "servers.stop" "Stop Language Servers" [] "Ends the servers of the folder until they are restarted.";
    ToggleSide View Always "view.toggle-side" "Toggle Side Panel" ["Ctrl+B"] "Hides the side panel, or shows it.";
    SplitRight View Always "view.split-right" "Split Right" ["Ctrl+\\", "Ctrl+Shift+5"] "Shows the tab a second time, to the right.";
    SplitDown View Always "view.split-down" "Split Down" ["Ctrl+K Ctrl+\\"] "Shows the tab a second time, below.";
    NextTab View Always "view.next-tab" "Next Tab" ["Ctrl+PageDown", "Ctrl+Tab"] "Goes to the tab to the right.";
    PreviousTab View Always "view.previous-tab" "Previous Tab" ["Ctrl+PageUp", "Ctrl+Shift+Tab"] "Goes to the tab to the left.";
    ZoomIn View Always "view.zoom-in" "Zoom In" ["Ctrl+=", "Ctrl++"] "Makes everything larger.";
    ZoomOut View Always "view.zoom-out" "Zoom Out" ["Ctrl+-"] "Makes everything smaller.";
    ZoomReset View Always "view.zoom-reset" "Reset Zoom" ["Ctrl+0"] "Returns to the normal size.";
    ToggleTheme View Always "view.toggle-theme" "Toggle Light and Dark" ["Ctrl+K Ctrl+T"] "Changes between the light and the dark theme.";
    Settings View Always "view.settings" "Settings" ["Ctrl+,"] "Shows the settings.";
    Notifications View Always "view.notifications" "Notifications" [] "Shows what was reported since the start.";

    ReviewWorkingTree Review Always "review.working-tree" "Review Working Tree" [] "Compares the working tree with HEAD.";
    ReviewRange Review Always "review.range" "Review Range…" [] "Compares two revisions.";
    ReviewStaged Review Always "review.staged" "Review Staged Changes" [] "Shows what would be committed.";
    ReviewUnstaged Review Always "review.unstaged" "Review Unstaged Changes" [] "Shows what would not be committed.";
    ReviewAgainst Review Always "review.against" "Review Working Tree Against…" [] "Compares the working tree with a branch, a tag or a commit.";
    ReviewCommit Review Always "review.commit-of" "Review Commit…" [] "Shows what a commit did.";
    ReviewBranch Review Always "review.branch" "Review Branch…" [] "Compares a branch with where it left its base.";
    ReviewTag Review Always "review.tag" "Review Tag…" [] "Compares a tag with where it left a branch.";
    ReviewStash Review Always "review.stash" "Review Stash…" [] "Shows what a stash holds.";
    ReviewWorktree Review Always "review.worktree" "Compare Worktrees…" [] "Compares the files with those of another working tree.";
    OrderByPath Review Review "review.order-by-path" "Order by Folder" [] "Shows changed files folder by folder.";
    OrderBySize Review Review "review.order-by-size" "Order by Size" [] "Shows the files with most changed lines first.";
    OrderByDependency Review Review "review.order-by-dependency" "Order by Dependency" [] "Shows what other files import before the files that import it.";
    ToggleRaw Review Reading "review.raw" "Show Stored Text" ["Shift+R"] "Shows a notebook's JSON instead of its cells, or a binary file as text; or not.";
    RefreshReview Review Review "review.refresh" "Refresh Review" ["F5"] "Compares again; the place is kept.";
    NextHunk Review Reading "review.next-hunk" "Next Hunk" ["j"] "Goes to the next change.";
    PreviousHunk Review Reading "review.previous-hunk" "Previous Hunk" ["k"] "Goes to the change before.";
    NextHunkAnywhere Review Review "review.next-hunk-anywhere" "Next Hunk (Anywhere)" ["Alt+F5"] "Goes to the next change, also while editing.";
    PreviousHunkAnywhere Review Review "review.previous-hunk-anywhere" "Previous Hunk (Anywhere)" ["Alt+Shift+F5"] "Goes to the change before, also while editing.";
    NextFile Review Reading "review.next-file" "Next File" ["n"] "Goes to the next changed file.";
    PreviousFile Review Reading "review.previous-file" "Previous File" ["p"] "Goes to the changed file before.";
    GoToMoved Review Reading "review.go-to-moved" "Other End of Moved Block" ["m"] "Goes to where the moved block in view came from or went to.";
    EditHere Review Reading "review.edit" "Edit Here" ["e", "Enter"] "Puts the caret into the new side; Escape returns to reading.";
    ToggleWrap Review Reading "review.toggle-wrap" "Wrap Lines" ["w"] "Lets lines wider than the page go on in the next row, or not.";
    ToggleSplit Review Reading "review.toggle-split" "Split or Unified" ["u"] "Changes between two columns and one.";
    FoldFile Review Reading "review.fold-file" "Fold File" ["x"] "Hides the file's rows, or shows them.";
    FoldAll Review Reading "review.fold-all" "Fold All Files" ["Shift+X"] "Hides the rows of all files, or shows them.";
    ExpandUp Review Reading "review.expand-up" "Expand Context Up" [] "Shows 20 more lines above the hunk.";
    ExpandFile Review Reading "review.expand-file" "Expand Whole File" ["o"] "Shows every line of the file, or the changed parts only.";
    ToggleViewed Review Reading "review.viewed" "Viewed" ["v"] "Ticks the file as viewed and folds it, or takes the tick back.";
    ViewedNext Review Reading "review.viewed-next" "Viewed, Next File" ["Shift+V"] "Ticks the file as viewed and goes to the next that is not.";
    ViewedHunk Review Reading "review.viewed-hunk" "Hunk Viewed" ["h"] "Ticks the hunk as viewed and goes to the next, or takes the tick back.";
    ComeBack Review Reading "review.come-back" "Come Back" ["b"] "Marks the file as one to come back to, or takes the mark back.";
    NextUnviewed Review Reading "review.next-unviewed" "Next Unviewed" ["Shift+N"] "Goes to the next file that was not viewed, or hunk of one that was viewed in part.";
    HideViewed Review Reading "review.hide-viewed" "Hide Viewed Files" ["Shift+H"] "Takes viewed files off the page, or shows them.";
    ViewedAll Review Review "review.viewed-all" "All Viewed" [] "Ticks every file of the review as viewed.";
    ViewedNone Review Review "review.viewed-none" "None Viewed" [] "Takes back every tick of the review.";
    Comment Review Reading "review.comment" "Comment" ["c"] "Comments on the selected lines, or the line last gone to.";
    CommentAnywhere Review Review "review.comment-anywhere" "Comment (Anywhere)" ["Ctrl+Alt+M"] "Comments on the line of the caret or the selected lines, also while editing.";
    NextComment Review Reading "review.next-comment" "Next Comment" ["]"] "Goes to the next comment that is not resolved.";
    PreviousComment Review Reading "review.previous-comment" "Previous Comment" ["["] "Goes to the comment before that is not resolved.";
    ShowComments Review Review "review.comments" "Comments" [] "Lists the comments of the review in the side panel.";
    CopyComments Review Review "review.copy-comments" "Copy Comments as Markdown" [] "Puts every comment that is not resolved on the clipboard, with its place and code.";
    ExportComments Review Review "review.export-comments" "Save Comments as Markdown…" [] "Opens every comment that is not resolved as a text, and asks where to save it.";
    RestoreComment Review Always "review.restore-comment" "Undo Delete Comment" [] "Brings back the comment that was deleted last.";
    OpenInEditor Review Review "review.open-file" "Open File in Editor" ["Alt+Enter"] "Opens the file under the caret in a tab.";
    FindInReview Review Reading "review.find" "Find in Review" ["/"] "Finds text in all rows.";
    Stage Review Reading "review.stage" "Stage" ["s"] "Stages the selected lines, or the hunk.";
    Unstage Review Reading "review.unstage" "Unstage" ["Shift+S"] "Takes the selected lines, or the hunk, out of what is staged.";
    Discard Review Reading "review.discard" "Discard" ["Shift+D"] "Takes the selected lines, or the hunk, out of the file.";
    StageAnywhere Review Review "review.stage-anywhere" "Stage (Anywhere)" ["Ctrl+K Ctrl+Alt+S"] "Stages the selected lines, or the hunk of the caret, also while editing.";
    UnstageAnywhere Review Review "review.unstage-anywhere" "Unstage (Anywhere)" ["Ctrl+K Ctrl+N"] "Takes the selected lines, or the hunk of the caret, out of what is staged, also while editing.";
    DiscardAnywhere Review Review "review.discard-anywhere" "Discard (Anywhere)" ["Ctrl+K Ctrl+R"] "Takes the selected lines, or the hunk of the caret, out of the file, also while editing.";
    StageFile Review Review "review.stage-file" "Stage File" ["Alt+S"] "Stages all of the file.";
    UnstageFile Review Review "review.unstage-file" "Unstage File" ["Alt+Shift+S"] "Takes the file out of what is staged.";
    DiscardFile Review Review "review.discard-file" "Discard File" ["Alt+Shift+D"] "Gives the file its old text back; a new one goes to the trash.";
    StageAll Review Review "review.stage-all" "Stage All" [] "Stages every file that is listed.";
    UnstageAll Review Review "review.unstage-all" "Unstage All" [] "Leaves nothing staged.";
    DiscardAll Review Review "review.discard-all" "Discard All" [] "Gives every listed file its old text back; new ones go to the trash.";
    UndoDiscard Review Reading "review.undo-discard" "Undo Discard" ["Ctrl+Z"] "Brings back what was discarded last.";
    UndoStaging Review Review "review.undo-staging" "Undo Stage or Unstage" [] "Gives the index back what it had before.";
    Commit Review CommitMessage "review.commit" "Commit" ["Ctrl+Enter"] "Commits what is staged; everything, if nothing is.";
    WriteCommit Review Always "review.write-commit" "Write Commit Message" ["Ctrl+K Ctrl+M"] "Goes to the message of the next commit.";
    AmendCommit Review Review "review.amend" "Amend Last Commit" [] "Lets the next commit take the place of the last, whose message it begins with; or not.";
    StopCommit Review Review "review.stop-commit" "Stop Committing" [] "Ends git and its hooks.";
    NextChange Review Editor "agent.next-change" "Next Change of the Agent" ["Alt+F5"] "Goes to the next lines that an agent changed and nobody decided on.";
    PreviousChange Review Editor "agent.previous-change" "Previous Change of the Agent" ["Alt+Shift+F5"] "Goes to the lines before that an agent changed and nobody decided on.";
    AcceptChange Review Editor "agent.accept-change" "Accept Change of the Agent" ["Ctrl+Alt+Y"] "Accepts the change at the caret, or the selected lines of it.";
    RejectChange Review Editor "agent.reject-change" "Reject Change of the Agent" ["Ctrl+Alt+R"] "Puts back what stood there before the agent changed it; the agent is told.";
    FilterFiles Review Always "review.filter" "Filter Changed Files" [] "Lists only the files whose path matches.";
    ToggleTree Review Always "review.toggle-tree" "Nested or Flat Tree" [] "Lists changed files by folder or by path.";

    ResolveConflicts Review Always "conflict.open" "Resolve Conflicts" [] "Shows what a merge or rebase left in conflict.";
    NextConflict Review Deciding "conflict.next" "Next Conflict" ["j"] "Goes to the next conflict that is left.";
    PreviousConflict Review Deciding "conflict.previous" "Previous Conflict" ["k"] "Goes to the conflict before.";
    NextConflictAnywhere Review Conflicts "conflict.next-anywhere" "Next Conflict (Anywhere)" ["Alt+F5"] "Goes to the next conflict, also while editing.";
    PreviousConflictAnywhere Review Conflicts "conflict.previous-anywhere" "Previous Conflict (Anywhere)" ["Alt+Shift+F5"] "Goes to the conflict before, also while editing.";
    NextConflictFile Review Deciding "conflict.next-file" "Next File in Conflict" ["n"] "Goes to the next file that is not resolved.";
    PreviousConflictFile Review Deciding "conflict.previous-file" "Previous File in Conflict" ["p"] "Goes to the file before that is not resolved.";
    TakeOurs Review Deciding "conflict.take-ours" "Take Ours" ["o"] "Puts our lines where the conflict is.";
    TakeTheirs Review Deciding "conflict.take-theirs" "Take Theirs" ["t"] "Puts their lines where the conflict is.";
    TakeBoth Review Deciding "conflict.take-both" "Take Both, Ours First" ["b"] "Puts our lines and then theirs where the conflict is.";
    TakeBothReversed Review Deciding "conflict.take-both-reversed" "Take Both, Theirs First" ["Shift+B"] "Puts their lines and then ours where the conflict is.";
    TakeWords Review Deciding "conflict.merge-words" "Merge the Words of Both" ["w"] "Puts both sides' changed words into one text, where they do not touch.";
    TakeBase Review Deciding "conflict.take-base" "Take the Base" [] "Puts back what was there before both sides changed it.";
    TakeNeither Review Deciding "conflict.take-neither" "Take Neither" ["x"] "Leaves nothing where the conflict is.";
    TakeAllOurs Review Conflicts "conflict.take-all-ours" "Take Ours for All That Is Left" [] "Takes our side of every conflict that is left in the file.";
    TakeAllTheirs Review Conflicts "conflict.take-all-theirs" "Take Theirs for All That Is Left" [] "Takes their side of every conflict that is left in the file.";
    EditConflict Review Deciding "conflict.edit" "Edit Result" ["e", "Enter"] "Puts the caret into the result, at the conflict; Escape returns.";
    ShowBase Review Conflicts "conflict.show-base" "Show the Base" ["Alt+B"] "Shows what both sides started from where conflicts are left.";
    UndoDecision Review Deciding "conflict.undo" "Undo Decision" ["Ctrl+Z"] "Takes back the last change of the result.";
    RedoDecision Review Deciding "conflict.redo" "Redo Decision" ["Ctrl+Shift+Z", "Ctrl+Y"] "Makes the change again that was taken back.";
    MarkResolved Review Conflicts "conflict.mark-resolved" "Mark Resolved" ["Ctrl+Enter"] "Saves the result and stages it; for git's mergetool it saves and closes.";
    MarkResolvedAnyway Review Conflicts "conflict.mark-resolved-anyway" "Mark Resolved Although Conflicts Are Left" [] "Saves and stages the result with the markers that are in it.";

    ShowTerminal Terminal Always "terminal.show" "Show Terminal" ["Ctrl+`"] "Goes to the terminal that was used last, or back; opens one if there is none.";
    NewTerminal Terminal Always "terminal.new" "New Terminal" ["Ctrl+Shift+`"] "Opens a shell in a tab, in the directory of the one in use or the open folder.";
    RunTask Terminal Always "terminal.run-task" "Run Task…" ["Ctrl+Shift+B"] "Lists what the folder's package.json, Cargo.toml, Makefile, justfile, pyproject.toml and VS Code tasks name, and runs it in a terminal.";
    TerminalCopy Terminal Terminal "terminal.copy" "Copy Selection" ["Ctrl+Shift+C"] "Copies what is selected in the terminal.";
    TerminalPaste Terminal Terminal "terminal.paste" "Paste into Terminal" ["Ctrl+Shift+V", "Shift+Insert"] "Types the clipboard; several lines are asked about where the shell would run them.";
    TerminalSelectAll Terminal Terminal "terminal.select-all" "Select All of the Terminal" ["Ctrl+Shift+A"] "Selects the screen and everything that scrolled off.";
    TerminalFind Terminal Terminal "terminal.find" "Find in Terminal" ["Ctrl+Shift+F"] "Finds text in all lines of the terminal.";
    TerminalFindNext Terminal Terminal "terminal.find-next" "Next Match Below" [] "Goes to the next match further down.";
    TerminalFindPrevious Terminal Terminal "terminal.find-previous" "Next Match Above" [] "Goes to the next match further up.";
    TerminalPreviousPrompt Terminal Terminal "terminal.previous-prompt" "Previous Prompt" ["Ctrl+Shift+Up"] "Scrolls to the prompt before.";
    TerminalNextPrompt Terminal Terminal "terminal.next-prompt" "Next Prompt" ["Ctrl+Shift+Down"] "Scrolls to the next prompt.";
    TerminalPageUp Terminal Terminal "terminal.page-up" "Scroll a Page Up" ["Shift+PageUp"] "Shows the page before.";
    TerminalPageDown Terminal Terminal "terminal.page-down" "Scroll a Page Down" ["Shift+PageDown"] "Shows the next page.";
    TerminalTop Terminal Terminal "terminal.top" "Scroll to the Oldest Line" ["Shift+Home"] "Shows the oldest line that is kept.";
    TerminalBottom Terminal Terminal "terminal.bottom" "Scroll to the Prompt" ["Shift+End"] "Shows the screen again.";
    TerminalCopyOutput Terminal Terminal "terminal.copy-output" "Copy Last Output" ["Ctrl+Shift+O"] "Copies what the last command wrote.";
    TerminalRunAgain Terminal Terminal "terminal.run-again" "Run Last Command Again" ["Ctrl+Shift+R"] "Types the last command again, as the shell told it.";
    TerminalClear Terminal Terminal "terminal.clear" "Clear Terminal" ["Ctrl+Shift+K"] "Forgets what scrolled off and clears the screen.";
    TerminalRename Terminal Terminal "terminal.rename" "Rename Terminal…" [] "Gives the terminal's tab a name.";

    ShowChat Chat Always "chat.show" "Show Chat" ["Ctrl+Alt+I"] "Goes to the message of the conversation.";
    ToggleChat Chat Always "chat.toggle" "Toggle Chat" ["Ctrl+Alt+B"] "Hides the chat, or shows it.";
    ChatNews Chat Always "chat.news" "Conversation That Has News" [] "Shows the conversation that waits for an answer, or whose run is over.";
    NewChat Chat Always "chat.new" "New Conversation" ["Ctrl+Alt+N"] "Begins a conversation; the one before goes on.";
    ChatSessions Chat Always "chat.sessions" "Past Conversations" [] "Lists the conversations of this project.";
    StopChat Chat Always "chat.stop" "Stop the Agent" [] "Ends the run of the conversation that is shown.";
    ChatPreviousPrompt Chat Always "chat.previous-prompt" "Previous Message of Yours" ["Ctrl+Alt+PageUp"] "Scrolls the conversation to the message before.";
    ChatNextPrompt Chat Always "chat.next-prompt" "Next Message of Yours" ["Ctrl+Alt+PageDown"] "Scrolls the conversation to the next message.";
    ChatStart Chat Always "chat.start" "Beginning of the Conversation" ["Ctrl+Alt+Home"] "Scrolls the conversation to its first message.";
    ChatEnd Chat Always "chat.end" "End of the Conversation" ["Ctrl+Alt+End"] "Scrolls the conversation to its end, and stays there.";
    ApplyCode Chat Always "chat.apply-code" "Apply Code of the Answer" [] "Puts the last block of code of the last answer into the file it is for, as a change to review.";
    AskSelection Chat Always "chat.ask-selection" "Ask about Selection" ["Ctrl+Alt+L"] "Adds the selection, or the file, to the message.";
    SendComments Chat Always "chat.send-comments" "Send All Comments to the Agent" ["Ctrl+Alt+Enter"] "Sends every comment of the review that nobody answered as one message; the answers come as replies.";
    Models Chat Always "chat.servers" "Models and Servers" [] "Shows which models are set up, adds and tests them.";
    OpenModels Chat Always "chat.models" "Open File of Models" [] "Opens the file that names models and their servers.";

    FilesNewFile Files Always "files.new-file" "New File in Tree…" [] "Names a new file in the folder chosen in the tree.";
    FilesNewFolder Files Always "files.new-folder" "New Folder…" [] "Names a new folder in the folder chosen in the tree.";
    FilesOpenToSide Files Tree "files.open-to-side" "Open to the Side" ["Ctrl+Enter"] "Opens the chosen file beside the active tab.";
    FilesRename Files Tree "files.rename" "Rename…" ["F2"] "Gives the chosen file or folder another name; its tab goes with it.";
    FilesDuplicate Files Tree "files.duplicate" "Duplicate" [] "Copies the chosen file or folder beside itself.";
    FilesTrash Files Tree "files.trash" "Move to Trash" ["Delete"] "Moves the chosen file or folder to the trash.";
    FilesCopyPath Files Tree "files.copy-path" "Copy Path" ["Alt+Shift+C"] "Copies the whole path of what is chosen in the tree.";
    FilesCopyRelativePath Files Tree "files.copy-relative-path" "Copy Relative Path" [] "Copies the path from the open folder on.";
    FilesShowInManager Files Tree "files.show-in-manager" "Reveal in File Manager" ["Alt+Shift+R"] "Shows what is chosen in the system's file manager.";
    FilesUndo Files Always "files.undo" "Undo File Operation" [] "Takes back the last move of a file to another folder or to the trash.";
    FilesIgnored Files Always "files.show-ignored" "Show Ignored Files" [] "Shows what git ignores in the tree, or hides it.";
    FilesCompact Files Always "files.join-folders" "Join Single Folders" [] "Shows a folder that holds only a folder in one row with it, or each by itself.";
    FilesCollapse Files Always "files.collapse" "Collapse All Folders" [] "Closes every folder of the tree.";
    FilesRefresh Files Always "files.refresh" "Read Files Again" [] "Lists the folders of the tree again.";

    Help Help Always "help.keys" "Keyboard Shortcuts" ["Ctrl+K Ctrl+S"] "Lists every command with its keys.";
    HelpReading Help Reading "help.keys-reading" "All Keys" ["?"] "Lists every command with its keys.";
    OpenKeymap Help Always "help.keymap-file" "Open Keymap File" [] "Opens the file that changes keys.";
    OpenSettingsFile Help Always "help.settings-file" "Open Settings File" [] "Opens the settings as text.";
    About Help Always "help.about" "About Recto" [] "Shows version, licence and graphics adapter.";
}

impl Command {
    /// The command with this id, if any.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|c| c.spec().id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_lead_back_to_their_command() {
        for &command in Command::ALL {
            assert_eq!(Command::by_id(command.spec().id), Some(command), "{}", command.spec().id);
        }
    }
}
