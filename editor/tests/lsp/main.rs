//! Messages of servers: the fuzzer's body over its corpus and over random bytes. What failed once stays tried.

use std::path::Path;

use proptest::prelude::*;

#[path = "../../fuzz/frame.rs"]
mod frame;

#[test]
fn the_corpus_of_the_fuzzer_is_borne() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/frame");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is part of the repository") {
        let path = entry.unwrap().path();
        let data = std::fs::read(&path).unwrap();
        assert!(std::panic::catch_unwind(|| frame::run(&data)).is_ok(), "{} is not borne", path.display());
        count += 1;
    }
    assert!(count >= 20, "only {count} files");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_borne(data in prop::collection::vec(any::<u8>(), 0..300)) {
        frame::run(&data);
    }

    #[test]
    fn pieces_of_frames_are_borne(
        size in 1u8..20,
        parts in prop::collection::vec(
            prop_oneof![
                Just("Content-Length: 2\r\n\r\n{}".to_owned()),
                Just("content-length:9\n\n".to_owned()),
                Just("\r\n".to_owned()),
                Just("Content-Length".to_owned()),
                Just("{\"id\":1,\"result\":[]}".to_owned()),
                "[a-z:{}\r\n]{0,9}",
            ],
            0..12,
        ),
    ) {
        frame::run(&[&[size], parts.concat().as_bytes()].concat());
    }
}
