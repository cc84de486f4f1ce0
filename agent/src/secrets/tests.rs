//! Secrets planted in all kinds of text, and ordinary code that has none.

use std::fs;
use std::path::Path;

use super::*;

/// Numbers that are the same in every run.
pub(crate) struct Lot(pub(crate) u64);

impl Lot {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of(&mut self, letters: &str, count: usize) -> String {
        let letters: Vec<_> = letters.chars().collect();
        (0..count).map(|_| letters[(self.next() % letters.len() as u64) as usize]).collect()
    }

    fn hex(&mut self, count: usize) -> String {
        self.of("0123456789abcdef", count)
    }

    fn word(&mut self, count: usize) -> String {
        // Never all letters: one in some billions would be, and a test is no lottery.
        format!("{}7{}", self.of(WORD, 2), self.of(WORD, count - 3))
    }
}

const WORD: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// What kinds look like. Marks are put together here, so that nobody who searches this file finds a secret in it.
pub(crate) fn planted(lot: &mut Lot) -> Vec<(&'static str, String)> {
    let dash = "-";
    vec![
        ("aws access key", format!("AK{}{}", "IA", lot.of(UPPER, 16))),
        ("google api key", format!("AI{}{}", "za", lot.word(35))),
        ("google oauth secret", format!("GOCS{}{}", "PX-", lot.word(28))),
        ("google access token", format!("ya{}{}", "29.", lot.word(60))),
        ("digitalocean", format!("dop{}{}", "_v1_", lot.hex(64))),
        ("vault", format!("hv{}{}", "s.", lot.word(90))),
        ("terraform", format!("{}.atlas{}{}", lot.word(14), "v1.", lot.word(66))),
        ("pulumi", format!("pul{dash}{}", lot.hex(40))),
        ("databricks", format!("da{}{}", "pi", lot.hex(32))),
        ("github", format!("gh{}{}", "p_", lot.word(36))),
        ("github, fine", format!("github{}{}_{}", "_pat_", lot.word(22), lot.word(59))),
        ("gitlab", format!("glp{}{}", "at-", lot.word(20))),
        ("npm", format!("np{}{}", "m_", lot.word(36))),
        ("pypi", format!("pypi{}{}", "-AgE", lot.word(150))),
        ("rubygems", format!("ruby{}{}", "gems_", lot.hex(48))),
        ("crates", format!("ci{}{}", "o", lot.word(32))),
        ("docker", format!("dckr{}{}", "_pat_", lot.word(27))),
        ("sentry", format!("snt{}{}", "rys_", lot.word(80))),
        ("postman", format!("PM{}{}-{}", "AK-", lot.hex(24), lot.hex(34))),
        ("linear", format!("lin{}{}", "_api_", lot.word(40))),
        ("anthropic", format!("sk{}{}", "-ant-api03-", lot.word(93))),
        ("openai", format!("sk{}{}", "-proj-", lot.word(48))),
        ("openai, old", format!("sk{dash}{}", lot.word(48))),
        ("huggingface", format!("h{}{}", "f_", lot.word(34))),
        ("groq", format!("gs{}{}", "k_", lot.word(52))),
        ("stripe", format!("sk{}{}", "_live_", lot.word(24))),
        ("stripe webhook", format!("wh{}{}", "sec_", lot.word(32))),
        ("square", format!("sq0{}{}", "atp-", lot.word(22))),
        ("shopify", format!("sh{}{}", "pat_", lot.hex(32))),
        ("slack", format!("xo{}{}-{}-{}", "xb-", lot.of("123456789", 12), lot.of("123456789", 12), lot.word(24))),
        ("telegram", format!("{}:A{}{}", lot.of("123456789", 10), "A", lot.word(33))),
        ("twilio", format!("S{}{}", "K", lot.hex(32))),
        ("sendgrid", format!("S{}{}.{}", "G.", lot.word(22), lot.word(43))),
        ("mailchimp", format!("{}{}", lot.hex(32), "-us12")),
        ("notion", format!("nt{}{}", "n_", lot.word(46))),
        ("airtable", format!("pa{}{}.{}", "t", lot.word(14), lot.hex(64))),
        ("grafana", format!("gl{}{}_{}", "sa_", lot.word(32), lot.hex(8))),
        ("new relic", format!("NR{}{}", "AK-", lot.of(UPPER, 27))),
        ("jwt", format!("ey{}{}.ey{}{}.{}", "J", lot.word(36), "J", lot.word(80), lot.word(43))),
        ("age", format!("AGE-SECRET{}{}", "-KEY-1", lot.of("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ", 58))),
    ]
}

/// Secrets without a mark, each with the text that says what it is; `{}` is the secret.
pub(crate) fn beside(lot: &mut Lot) -> Vec<(&'static str, String, String)> {
    vec![
        ("aws secret", "aws_secret_access_key = {}".to_owned(), lot.word(40)),
        ("azure storage", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};".to_owned(), lot.word(86)),
        ("url", "postgres://app:{}@db.internal:5432/app".to_owned(), lot.word(14)),
        ("header", "curl -H 'Authorization: Bearer {}' https://api.internal/v1".to_owned(), lot.word(40)),
        ("password in code", "    password = \"{}\"".to_owned(), lot.word(14)),
        ("token in json", "  \"authToken\": \"{}\",".to_owned(), lot.word(24)),
        ("key in yaml", "  api_key: {}".to_owned(), lot.word(32)),
        ("const", "const API_SECRET: &str = \"{}\";".to_owned(), lot.word(32)),
        ("export", "export DEPLOY_TOKEN={}".to_owned(), lot.word(24)),
        ("netrc", "machine git.internal login me password {}".to_owned(), lot.word(16)),
        ("connection string", "Server=db;User Id=sa;Password={};Encrypt=true".to_owned(), lot.word(16)),
        ("npmrc", "//registry.internal/:_authToken={}".to_owned(), lot.word(36)),
        ("docker config", "{\"auths\":{\"r.internal\":{\"auth\":\"{}\"}}}".to_owned(), lot.word(32)),
        ("slack hook", "https://hooks.slack.com/services/{}".to_owned(), {
            format!("T{}/B{}/{}", lot.of(UPPER, 8), lot.of(UPPER, 8), lot.word(24))
        }),
        ("kube", "    client-key-data: {}".to_owned(), lot.word(120)),
    ]
}

#[test]
fn none_of_many_planted_secrets_gets_through() {
    let secrets = Secrets::new().unwrap();
    let (mut lot, mut count, mut kinds) = (Lot(42), 0, std::collections::BTreeSet::new());
    let around = [
        "{}",
        "let key = \"{}\";",
        "  \"value\": \"{}\",",
        "2026-11-30 12:00:00 ERROR request failed: {} (401)",
        "key: {}\n",
        "curl -u x:{} https://host/",
        "before {}, {} after",
        "src/a.rs:12: const X: &str = '{}';",
        "«{}»",
        "\tX={}\r\n",
        "{}\u{1F600}",
    ];
    let mut check = |name: &'static str, text: String, secret: &str| {
        let masked = secrets.text(&text);
        assert!(!masked.text.contains(secret), "{name}: {text}");
        // Not even most of it.
        assert!(!masked.text.contains(&secret[secret.len() / 2..]), "{name}: {}", masked.text);
        assert!(masked.text.contains(OPEN), "{name}: {}", masked.text);
        count += 1;
        kinds.insert(name);
    };
    for text in around {
        for (name, secret) in planted(&mut lot) {
            check(name, text.replace("{}", &secret), &secret);
        }
    }
    for _ in 0..8 {
        for (name, text, secret) in beside(&mut lot) {
            check(name, text.replace("{}", &secret), &secret);
        }
    }
    for kind in ["RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED "] {
        let body = format!("{}\n{}", lot.word(64), lot.word(64));
        check(
            "private key",
            format!("x\n-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----\ny"),
            &body,
        );
        // One that is cut off is one all the same.
        check("private key", format!("-----BEGIN {kind}PRIVATE KEY-----\n{body}"), &body);
    }
    assert!(count >= 500 && kinds.len() >= 30, "{count} secrets of {} kinds", kinds.len());
}

#[test]
fn every_value_of_a_dotenv_file_is_one() {
    let secrets = Secrets::new().unwrap();
    let text =
        "# comment\nPORT=3000\nexport NAME='two words'\nURL: plain\nKEY=\"a\nb\"\n#OLD=left\nEMPTY=\nX=1 # why\n";
    let masked = secrets.file("config/.env.production", text).text.into_owned();
    assert_eq!(
        masked,
        "# comment\nPORT=«secret:PORT»\nexport NAME='«secret:NAME»'\nURL: «secret:URL»\nKEY=\"«secret:KEY»\"\n\
         #OLD=«secret:OLD»\nEMPTY=\nX=«secret:X» # why\n"
    );
    for shown in [".env.example", ".env.sample", "x/.env.template", ".env.dist", "environment.ts", "env.rs"] {
        assert_eq!(secrets.file(shown, "PORT=3000\n").count, 0, "{shown}");
    }
    for hidden in [".env", "a/.env", ".env.local", "prod.env", ".ENV"] {
        assert_eq!(secrets.file(hidden, "PORT=3000\n").count, 1, "{hidden}");
    }
    // As a model is shown lines, and as search gives hits.
    assert_eq!(secrets.file(".env", "  2 | PORT=3000").text, "  2 | PORT=«secret:PORT»");
}

#[test]
fn a_value_that_was_seen_once_is_known_everywhere() {
    let secrets = Secrets::new().unwrap();
    secrets.file(".env", "DB_PASSWORD=correct-horse\n");
    assert_eq!(secrets.text("connecting with correct-horse now").text, "connecting with «secret:DB_PASSWORD» now");
}

#[test]
fn equal_values_have_one_name_and_others_another() {
    let secrets = Secrets::new().unwrap();
    let masked = secrets.file(".env", "A=first-value\n").text.into_owned()
        + &secrets.file("b/.env", "A=second\nB=first-value\n").text;
    assert_eq!(masked, "A=«secret:A»\nA=«secret:A_2»\nB=«secret:A»\n");
}

#[test]
fn filtering_twice_is_filtering_once() {
    let secrets = Secrets::new().unwrap();
    let mut lot = Lot(7);
    for (name, text, secret) in beside(&mut lot) {
        let once = secrets.text(&text.replace("{}", &secret)).text.into_owned();
        let twice = secrets.text(&once);
        assert_eq!((twice.text.as_ref(), twice.count), (once.as_str(), 0), "{name}");
    }
}

#[test]
fn a_value_comes_back_only_where_it_was() {
    let secrets = Secrets::new().unwrap();
    let file = "API_KEY=abc123def456\nPORT=1\n";
    let shown = secrets.file(".env", file).text.into_owned();
    let edited = shown.replace("PORT=«secret:PORT»", "PORT=2");
    assert_eq!(secrets.restore(&edited, file), "API_KEY=abc123def456\nPORT=2\n");
    assert_eq!(secrets.restore(&edited, "fn main() {}"), edited);
    assert_eq!(secrets.restore("a «secret:NOBODY» b «secret:", file), "a «secret:NOBODY» b «secret:");
}

#[test]
fn ordinary_lines_are_left_alone() {
    let secrets = Secrets::new().unwrap();
    for line in [
        "let token = parser.next_token()?;",
        "password: String,",
        "const TOKEN_KIND: &str = \"identifier\";",
        "token = \"oauth2_token_type\"",
        "secret_name: my-app-secret",
        "API_KEY=${API_KEY}",
        "password = \"your-password-here\"",
        "key_hash = \"sha256\"",
        "https://example.com/a:b@c",
        "git@github.com:owner/name.git",
        "let commit = \"d1dfb0643a7c3f0bf4a9e3d1f4d2b9fe5d0e8c11\";",
        "uuid = \"123e4567-e89b-42d3-a456-426614174000\"",
        "checksum = \"9c1b5a2f9ad3f4c3b6d6a0a5f7b3e2d1c0f9e8d7c6b5a49382716050403020100\"",
        "Authorization: Bearer <token>",
        "if secret == \"swordfish\" {",
        "tokens: 4096",
        "max_tokens = 1024",
        "private_key_path: /etc/ssl/key.pem",
    ] {
        assert_eq!(secrets.text(line).text, line);
    }
}

/// The sources of this workspace stand for ordinary code; they have no secrets but made-up ones.
#[test]
fn ordinary_code_is_hardly_ever_masked() {
    let secrets = Secrets::new().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut lines, mut masked) = (0, 0);
    let mut open = vec![root.join("editor"), root.join("diff"), root.join("assets"), root.join("Cargo.lock")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            lines += text.lines().count();
            masked += secrets.text(&text).count;
        }
    }
    assert!(lines > 20_000, "only {lines} lines");
    assert!(masked * 100 <= lines, "{masked} of {lines} lines");
}
