//! Prints what the terminal costs: `cargo bench -p terminal`.

#![allow(clippy::print_stdout, reason = "a bench prints")]

fn main() {
    match terminal::measure::measure() {
        Ok(figures) => println!("{figures:#?}"),
        Err(error) => println!("not measured: {error}"),
    }
}
