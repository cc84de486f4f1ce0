//! The fuzzer's body over its corpus and over random bytes: what failed once stays tried.

use std::path::Path;

use proptest::prelude::*;

#[path = "../../fuzz/highlight.rs"]
mod highlight;

#[test]
fn the_corpus_of_the_fuzzer_is_borne() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/highlight");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is part of the repository") {
        let path = entry.unwrap().path();
        let data = std::fs::read(&path).unwrap();
        assert!(std::panic::catch_unwind(|| highlight::run(&data)).is_ok(), "{} is not borne", path.display());
        count += 1;
    }
    assert!(count >= 12, "only {count} files");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_borne(data in prop::collection::vec(any::<u8>(), 0..300)) {
        highlight::run(&data);
    }
}
