//! What highlighting costs: `cargo bench -p editor --bench syntax`.
//!
//! Times are medians; each is also given as a share of parsing the whole text, measured in the same run.
#![expect(clippy::print_stdout, reason = "a bench says what it measured")]

use std::time::{Duration, Instant};

use editor::syntax::{Budget, Language, Syntax};
use editor::{Cancel, ChangeSet, Text};

const ROUNDS: usize = 21;

fn main() {
    let rust = "/// Doc of `it`.\npub fn run(&self, a: u32) -> Option<Vec<u32>> {\n    let x = self.items.iter().map(|y| y + a).collect();\n    println!(\"{} {x}\", 0x10);\n    Some(x)\n}\n\n";
    let markdown = "- item *with* `code`, **stress** and [a link](http://example.org/path)\n";
    let json = "  {\"name\": \"value\", \"list\": [1, 2.5, true, null]},\n";
    measure("rust", 10_000, rust);
    measure("markdown", 5_000, markdown);
    measure("json", 10_000, json);
}

fn measure(name: &str, lines: usize, block: &str) {
    let source = block.repeat(lines.div_ceil(block.lines().count()));
    let text = Text::from(source.as_str());
    let Some(language) = Language::from_name(name) else { return };
    let budget = Budget::until(&Cancel::new());
    let Ok(first) = Syntax::parse_within(language, &text, &budget) else { return };

    let whole = median(|| drop(Syntax::parse_within(language, &text, &budget)));
    let middle = text.line_count() / 2;
    let screen = text.line_start(middle)..text.line_start(middle + 60);
    // Embedded languages on the screen are parsed as well: each round starts from the tree alone.
    let mut fresh: Vec<_> = (0..ROUNDS).map(|_| first.clone()).collect();
    let cold = median(|| drop(fresh.pop().map(|mut syntax| syntax.spans(&text, screen.clone(), &budget))));
    let mut syntax = first.clone();
    let warm = median(|| drop(syntax.spans(&text, screen.clone(), &budget)));

    let mut current = text.clone();
    let key = median(|| {
        let at = current.line_end(middle + 3);
        let changes = ChangeSet::from_edits(current.len(), [(at..at, " ")]);
        let after = changes.apply(&current);
        syntax.edit(&changes, &current, &after);
        let _ = syntax.reparse(&after, &budget);
        syntax.spans(&after, screen.clone(), &budget);
        current = after;
    });
    let share = |time: Duration| time.as_secs_f64() / whole.as_secs_f64() * 100.0;
    println!("{name}, {} lines, {} kB, tree about {} kB", text.line_count(), text.len() >> 10, syntax.cost() >> 10);
    println!("  parse             {whole:>10.2?}");
    println!("  screen, cold      {cold:>10.2?}  {:>6.2} % of it", share(cold));
    println!("  screen, warm      {warm:>10.2?}  {:>6.2} % of it", share(warm));
    println!("  key: edit, parse, screen {key:>10.2?}  {:>6.2} % of it", share(key));
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}
