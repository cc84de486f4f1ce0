//! The `recto` binary: everything is in the library, so that tests drive the same code.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    recto::main()
}
