//! Replies as models write them, and what must come of them. Every reply of the table is also read in every split.

use proptest::prelude::*;

use super::*;
use crate::action::{Action, Block, Lines};

#[path = "../../fuzz/reply.rs"]
mod fuzz;

fn read(path: &str) -> Item {
    Item::Action(Action::ReadFile { path: path.into(), lines: None })
}

fn create(path: &str, content: &str) -> Item {
    Item::Action(Action::CreateFile { path: path.into(), content: content.into() })
}

fn edit(path: &str, blocks: &[(&str, &str)]) -> Item {
    let block = |(search, replace): &(&str, &str)| Block { search: (*search).into(), replace: (*replace).into() };
    Item::Action(Action::EditFile { path: path.into(), blocks: blocks.iter().map(block).collect() })
}

fn code(path: Option<&str>, content: &str) -> Item {
    Item::Action(Action::WriteCode { path: path.map(str::to_owned), content: content.into() })
}

fn run(command: &str) -> Item {
    Item::Action(Action::RunCommand { command: command.into() })
}

fn done() -> Item {
    Item::Action(Action::Done)
}

/// A reply, its items and its quirks.
type Case = (&'static str, Vec<Item>, &'static [Quirk]);

const EDIT: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

fn cases() -> Vec<Case> {
    use Quirk::*;
    let not_closed = |tag: &str| Item::Malformed(Malformed::NotClosed { tag: tag.into(), ending: Ending::Whole });
    vec![
        ("Just talk, 1 < 2 and a <b>.", vec![], &[]),
        ("<think>", vec![], &[]),
        ("<think></", vec![], &[]),
        ("I look.\n<read_file path=\"a.rs\"/>\nThen more.", vec![read("a.rs")], &[]),
        (
            "<read_file path=\"a.rs\" lines=\"3-9\"/>",
            vec![Item::Action(Action::ReadFile { path: "a.rs".into(), lines: Lines::parse("3-9") })],
            &[],
        ),
        (
            "<read_file path=\"a.rs\" lines=\"some\"/>",
            vec![Item::Malformed(Malformed::BadLines { value: "some".into() })],
            &[],
        ),
        ("<read_file path=\"`a.rs`\"/><read_file path='b'>", vec![read("a.rs"), read("b")], &[DecoratedPath]),
        ("<read_file><path>a.rs</path></read_file> x", vec![read("a.rs")], &[ElementAttributes]),
        (
            "<edit_file path=\"a\">\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</edit_file>",
            vec![edit("a", &[("a\n", "b\n")])],
            &[],
        ),
        // A10: markers of other lengths.
        (
            "<edit_file path=\"a\">\n<<<<<< SEARCH\na\n=======\nb\n>>>>>>>> REPLACE\n<<<<<<< SEARCH>\nc\n=======\n>>>>>>> REPLACE\n</edit_file>",
            vec![edit("a", &[("a\n", "b\n"), ("c\n", "")])],
            &[Marker, Marker, Marker],
        ),
        // A11: no end of the block.
        (
            "<edit_file path=\"a\">\n<<<<<<< SEARCH\na\n=======\nb\n",
            vec![Item::Malformed(Malformed::BlockNotClosed { path: "a".into(), number: 1, ending: Ending::Whole })],
            &[MissingClosing],
        ),
        (
            "<edit_file path=\"a\">\n<<<<<<< SEARCH\na\n=======\nb\n</edit_file>\nok",
            vec![Item::Malformed(Malformed::BlockNotClosed { path: "a".into(), number: 1, ending: Ending::Whole })],
            &[],
        ),
        // A17: closed by another tag.
        (
            "<edit_file path=\"a\">\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n</parameter></invoke>\nDone.",
            vec![edit("a", &[("a\n", "b\n")])],
            &[WrongClosing],
        ),
        ("<create_file path=\"a\">\nx\n</parameter>\n</invoke>\n", vec![create("a", "x\n")], &[WrongClosing]),
        (
            "<create_file path=\"a.xml\">\n<p>\n</parameter>\n</p>\n</create_file>\n",
            vec![create("a.xml", "<p>\n</parameter>\n</p>\n")],
            &[],
        ),
        // Missing closing tag, but whole blocks; and another action at once.
        (
            "<edit_file path=\"a\">\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<done/>",
            vec![edit("a", &[("a\n", "b\n")]), done()],
            &[MissingClosing],
        ),
        // What stands after the blocks is no part of them, in whatever script.
        (
            "<edit_file path=\"a\">\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\u{4f60}\u{597d}\n</edit_file>",
            vec![edit("a", &[("a\n", "b\n")])],
            &[],
        ),
        ("<create_file path=\"a\">\nx\n", vec![not_closed("create_file")], &[]),
        // A2: entities stay.
        (
            "<create_file path=\"a\">\nit&apos;s &lt;b&gt;\n</create_file>",
            vec![create("a", "it&apos;s &lt;b&gt;\n")],
            &[],
        ),
        ("<create_file path=\"a\">x</create_file> and", vec![create("a", "x")], &[]),
        // A14: JSON calls.
        ("```json\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a.rs\"}}\n```\n", vec![read("a.rs")], &[JsonCall]),
        ("Go:\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a.rs\"}}\n", vec![read("a.rs")], &[JsonCall]),
        (
            "<tool_call>\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"a.rs\"}}\n</tool_call>",
            vec![read("a.rs")],
            &[JsonCall],
        ),
        (
            "<tool_call>\n<function=read_file>\n<parameter=path>\na.rs\n</parameter>\n</function>\n</tool_call>",
            vec![read("a.rs")],
            &[ForeignCall],
        ),
        ("```json\n{\"name\":\"left-pad\",\"version\":\"1\"}\n```\n", vec![], &[]),
        ("{\"name\": never closed\n<read_file path=\"a\"/>", vec![read("a")], &[]),
        // Outer fences.
        ("```xml\n<read_file path=\"a\"/>\n```\nand <done/>", vec![read("a"), done()], &[OuterFence]),
        ("```xml\n\n<read_file path=\"a\"/>\n```\n", vec![read("a")], &[OuterFence]),
        // A22: nothing within a thought, a file, backticks or a fence that shows.
        ("<thought>\n<read_file path=\"a\"/>\n</thought>\n<done/>", vec![done()], &[]),
        ("<think>x</think><read_file path=\"a\"/>", vec![read("a")], &[]),
        (
            "<create_file path=\"a\">\n<delete_file path=\"b\"/>\n<run_command command=\"x\"/>\n</create_file>",
            vec![create("a", "<delete_file path=\"b\"/>\n<run_command command=\"x\"/>\n")],
            &[],
        ),
        (
            "<create_file path=\"a\">\n<create_file path=\"b\">\n</create_file>\n<delete_file path=\"c\"/>\n</create_file>",
            vec![create("a", "<create_file path=\"b\">\n</create_file>\n<delete_file path=\"c\"/>\n")],
            &[],
        ),
        ("Say `<done/>` when done.", vec![], &[]),
        ("```python\nprint('<done/>')\n<done/>\n```\n", vec![], &[]),
        // A lone end of a thought.
        ("hm\n<read_file path=\"a\"/>\n</think>\n<done/>", vec![done()], &[LoneThoughtEnd]),
        // Nothing after a command.
        ("<run_command command=\"ls\"/>\n<done/> bye", vec![run("ls")], &[]),
        ("<run_command>ls -l</run_command>", vec![run("ls -l")], &[]),
        ("<run_command command=\"echo \"a b\"\"/>", vec![run("echo \"a b\"")], &[Quoting]),
        // Tools.
        (
            "<tool name=\"outline\">{\"path\":\"a.rs\"}</tool>",
            vec![Item::Action(Action::Tool { name: "outline".into(), arguments: serde_json::json!({"path": "a.rs"}) })],
            &[],
        ),
        (
            "<outline path=\"a.rs\"/>",
            vec![Item::Action(Action::Tool { name: "outline".into(), arguments: serde_json::json!({"path": "a.rs"}) })],
            &[],
        ),
        // Fences after a file's name.
        ("**src/a.py**\n```python\nx = 1\n```\nDone.", vec![code(Some("src/a.py"), "x = 1\n")], &[]),
        ("```python\n# src/a.py\nx = 1\n```\n", vec![code(Some("src/a.py"), "# src/a.py\nx = 1\n")], &[]),
        ("Try:\n```python\nx = 1\n```\n", vec![], &[]),
        ("src/a.py\n```bash\npython src/a.py\n```\n", vec![], &[]),
        (
            "src/a.py\n```python\nx = 1\n",
            vec![Item::Malformed(Malformed::FenceNotClosed { path: Some("src/a.py".into()), ending: Ending::Whole })],
            &[],
        ),
        // A19: the fences of a README.
        (
            "README.md\n```markdown\n# T\n```sh\nrun\n```\nmore\n",
            vec![code(Some("README.md"), "# T\n```sh\nrun\n```\nmore\n")],
            &[MissingClosing],
        ),
        (
            "README.md\n```markdown\n# T\n```sh\nrun\n```\nmore\n```\nThat's it. <done/>",
            vec![code(Some("README.md"), "# T\n```sh\nrun\n```\nmore\n"), done()],
            &[],
        ),
        (
            "<create_file path=\"README.md\">\n```markdown\n# T\n```sh\nrun\n```\nmore\n</create_file>",
            vec![create("README.md", "```markdown\n# T\n```sh\nrun\n```\nmore\n")],
            &[],
        ),
        (
            "<create_file path=\"a.py\">\n```python\nx = 1\n```\n</create_file>",
            vec![create("a.py", "x = 1\n")],
            &[InnerFence],
        ),
        (
            "<edit_file path=\"a.py\">\n```python\nx = 1\n```\n</edit_file>",
            vec![code(Some("a.py"), "x = 1\n")],
            &[InnerFence, EditWithoutBlocks],
        ),
        (
            "<write_symbol path=\"a.py\" name=\"C.f\">\n    def f(self):\n        return 1\n</write_symbol>",
            vec![Item::Action(Action::WriteSymbol {
                path: "a.py".into(),
                name: "C.f".into(),
                content: "    def f(self):\n        return 1\n".into(),
            })],
            &[],
        ),
        (
            "<edit_file>\nx\n</edit_file>",
            vec![Item::Malformed(Malformed::MissingAttribute { tag: "edit_file".into(), attribute: "path" })],
            &[],
        ),
        ("</edit_file>\né<done/>", vec![done()], &[StrayClosing]),
    ]
}

fn options() -> Options {
    Options { fences: Fences::Named, tools: vec!["outline".into()] }
}

/// The events and the reply, read in the pieces that end at `cuts`.
fn read_in_pieces(bytes: &[u8], cuts: &[usize], ending: Ending) -> (Vec<Event>, Reply) {
    fuzz::in_pieces(bytes, cuts, &options(), ending)
}

#[test]
fn replies_are_understood_as_meant() {
    for (reply, items, quirks) in cases() {
        let read = parse(reply.as_bytes(), options(), Ending::Whole);
        assert_eq!(read.items, items, "{reply}");
        assert_eq!(read.quirks, quirks, "{reply}");
    }
}

#[test]
fn any_split_in_two_and_byte_by_byte_gives_the_same() {
    for (reply, ..) in cases() {
        let bytes = reply.as_bytes();
        let whole = read_in_pieces(bytes, &[], Ending::Whole);
        for cut in 0..=bytes.len() {
            assert_eq!(read_in_pieces(bytes, &[cut], Ending::Whole), whole, "cut at {cut} of {reply}");
        }
        let every: Vec<_> = (0..bytes.len()).collect();
        assert_eq!(read_in_pieces(bytes, &every, Ending::Whole), whole, "byte by byte: {reply}");
    }
}

#[test]
fn text_and_reasoning_never_mix() {
    let reply = "a<think>b\n<done/></think>c\n<read_file path=\"x\"/>d";
    let read = parse(reply.as_bytes(), options(), Ending::Whole);
    assert_eq!((read.text.as_str(), read.reasoning.as_str()), ("ac\nd", "b\n<done/>"));
    let lone = parse(b"a\n</think>b", options(), Ending::Whole);
    assert_eq!((lone.text.as_str(), lone.reasoning.as_str()), ("b", "a\n"));
}

#[test]
fn a_line_of_code_is_told_as_it_comes() {
    let mut parser = Parser::new(Options { fences: Fences::Shown, ..options() });
    let mut push = |piece: &str| parser.push(piece.as_bytes());
    let text = |text: &str| [Event::Text(text.to_owned())];
    assert_eq!(push("```rust\nlet"), text("```rust\nlet"));
    assert_eq!(push(" x"), text(" x"));
    assert_eq!(push(" = 1;\n"), text(" = 1;\n"));
    assert_eq!(push("``"), [], "this may be the end");
    assert_eq!(push("``\n"), text("````\n"));
}

#[test]
fn a_long_thought_split_within_its_tag_is_one_thought() {
    // A16
    let thought = "x".repeat(5_000);
    let reply = format!("<think>{thought}</think>ok");
    let (events, read) = read_in_pieces(reply.as_bytes(), &[3], Ending::Whole);
    assert_eq!(events, [Event::Reasoning(thought), Event::Text("ok".into())]);
    assert!(read.items.is_empty());
}

/// Markdown files of which each begins and ends in a way that only what follows tells.
#[test]
fn of_many_unclear_markdown_files_the_later_ones_end_at_their_first_bare_fence() {
    let file = |n: usize| format!("a{n}.md\n```\ntext {n}\n```\n");
    for count in [1, 2, 5, 9, 40_000] {
        let text: String = (0..count).map(file).collect();
        let read = read_in_pieces(text.as_bytes(), &[], Ending::Whole);
        let cuts: Vec<_> = (0..text.len()).step_by(1 + count / 100).collect();
        assert_eq!(read_in_pieces(text.as_bytes(), &cuts, Ending::Whole), read, "{count}");
        let expected: Vec<_> = (0..count).map(|n| code(Some(&format!("a{n}.md")), &format!("text {n}\n"))).collect();
        assert_eq!(read.1.items, expected, "{count}");
    }
}

#[test]
fn a_reply_cut_by_its_limit_says_so() {
    let reply = format!("<edit_file path=\"a\">\n{EDIT}<<<<<<< SEARCH\nc\n=======\nd");
    let read = parse(reply.as_bytes(), options(), Ending::Length);
    let [Item::Malformed(wrong)] = &read.items[..] else { panic!("{:?}", read.items) };
    assert!(wrong.to_string().contains("was cut at the limit"), "{wrong}");
    // Blocks that are whole may not have been all of them.
    let read = parse(format!("<edit_file path=\"a\">\n{EDIT}").as_bytes(), options(), Ending::Length);
    assert!(matches!(read.items[..], [Item::Malformed(Malformed::NotClosed { .. })]), "{:?}", read.items);
}

/// Inputs that failed once, as the fuzzer wrote them.
#[test]
fn what_the_fuzzer_found_is_borne() {
    let found: &[&[u8]] = &[b"\r\t~~~~~c"];
    for input in found {
        fuzz::run(input);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Pieces of replies in any order, cut anywhere, in any number of cuts.
    #[test]
    fn any_split_of_any_mixture_gives_the_same(
        picks in prop::collection::vec((0..200_usize, any::<bool>()), 1..5),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
        ending in prop::sample::select(vec![Ending::Whole, Ending::Length]),
        torn in any::<Option<prop::sample::Index>>(),
    ) {
        let cases = cases();
        let mut text = String::new();
        for (pick, line) in picks {
            text.push_str(cases[pick % cases.len()].0);
            text.push_str(if line { "\n" } else { "" });
        }
        let mut bytes = text.into_bytes();
        if let Some(torn) = torn {
            bytes.truncate(torn.index(bytes.len() + 1));
        }
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let every: Vec<_> = (0..bytes.len()).collect();
        let whole = read_in_pieces(&bytes, &[], ending);
        prop_assert_eq!(&read_in_pieces(&bytes, &cuts, ending), &whole);
        prop_assert_eq!(&read_in_pieces(&bytes, &every, ending), &whole);
    }

    /// Any bytes at all, made of what means something to the parser; what comes after 0xFF is the file that is edited.
    #[test]
    fn any_bytes_are_borne_and_split_alike(
        pieces in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..40),
        raw in prop::collection::vec(any::<u8>(), 0..20),
        file in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..20),
    ) {
        fuzz::run(&[pieces.concat(), raw, vec![0xff], file.concat()].concat());
    }
}

const TOKENS: [&[u8]; 41] = [
    b"<",
    b">",
    b"/>",
    b"</",
    b"\"",
    b"'",
    b"`",
    b"```",
    b"```\n",
    b"\n",
    b" ",
    b"=",
    b"{",
    b"}",
    b"[",
    b"]",
    b"a.py",
    b"<read_file",
    b" path=\"",
    b"<edit_file path=\"a\">\n",
    b"</edit_file>",
    b"<<<<<<< SEARCH\n",
    b"=======\n",
    b">>>>>>> REPLACE\n",
    b"<thought>",
    b"</thought>",
    b"</think>",
    b"<create_file path=\"b\">",
    b"</create_file>",
    b"{\"name\":\"read_file\",\"arguments\":{}}",
    b"```json\n",
    b"<tool_call>",
    b"</tool_call>",
    b"</parameter>",
    b"<run_command command=\"x\"/>",
    b"# a.md\n",
    b"```md\n",
    "é".as_bytes(),
    "你".as_bytes(),
    b"\\",
    b"<done/>",
];
