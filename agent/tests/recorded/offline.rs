//! With the network cut but for the model's address everything works, and nothing else is dialled.
//!
//! The test runs itself once more in a network of its own (Linux's namespaces), whose kernel counts every attempt: TCP
//! connections opened, UDP packets sent (names looked up), and packets for which there is no way. The model's server
//! counts what reached it; the two must be the same.

use std::collections::HashMap;
use std::process::Command;

use crate::home::{Home, Recording};

const INSIDE: &str = "RECTO_TEST_OFFLINE";

#[test]
fn nothing_but_the_models_address_is_dialled() {
    if std::env::var_os(INSIDE).is_some() {
        eprintln!("counted: {} connections", inside());
        return;
    }
    let cut_off = |command: &str, arguments: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--net", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh", command]);
        unshare.args(arguments).env(INSIDE, "1");
        unshare.output()
    };
    let possible = cut_off("true", &[]).is_ok_and(|output| output.status.success());
    if !possible {
        assert!(
            std::env::var_os("RECTO_TESTS_STRICT").is_none(),
            "a network of its own needs Linux, `unshare`, `ip` and user namespaces"
        );
        eprintln!("skipped: no network of its own can be made here");
        return;
    }
    let this = std::env::current_exe().unwrap();
    let name = "offline::nothing_but_the_models_address_is_dialled";
    let output = cut_off(&this.to_string_lossy(), &["--exact", name, "--nocapture"]).unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("counted:"), "{told}");
}

/// Plays all recordings; the connections that were opened, each of them to the model.
fn inside() -> u64 {
    let before = counters();
    let mut reached = 0;
    for recording in Recording::all() {
        let home = Home::new(&recording);
        let ended = home.run(&recording);
        assert_eq!(ended.end, recording.end, "{}", recording.name);
        reached += home.server.received().len() as u64;
    }
    let after = counters();
    let since = |name: &str| after[name] - before[name];
    assert_eq!(since("Tcp ActiveOpens"), reached, "something else was dialled");
    assert_eq!(since("Udp OutDatagrams"), 0, "a name was looked up");
    assert_eq!(since("Ip OutNoRoutes"), 0, "something was sent that had no way");
    // The counters are those of what is dialled from here.
    let refused = std::net::TcpStream::connect(("192.0.2.1", 80));
    assert!(refused.is_err() && counters()["Ip OutNoRoutes"] > after["Ip OutNoRoutes"]);
    reached
}

/// What the kernel counts in this network: lines of names, each followed by one of numbers.
fn counters() -> HashMap<String, u64> {
    let text = std::fs::read_to_string("/proc/thread-self/net/snmp").unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let pairs = lines.chunks(2).flat_map(|pair| {
        let kind = pair[0][0].trim_end_matches(':');
        let named = pair[0].iter().zip(&pair[1]).skip(1);
        named.map(move |(name, value)| (format!("{kind} {name}"), value.parse().unwrap_or(0)))
    });
    pairs.collect()
}
