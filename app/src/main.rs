//! The `recto` binary: everything is in the library, so that tests drive the same code.

fn main() -> std::process::ExitCode {
    recto::main()
}
