//! What leaves the machine and what is kept, with hundreds of secrets planted in all that a run looks at.

use std::fs;

use editor::Cancel;

use super::scripted::Home;
use crate::secrets::tests::{Lot, beside, planted};

/// Files with secrets of all kinds in them, and the secrets.
fn project(lot: &mut Lot) -> (Vec<(String, String)>, Vec<String>) {
    let (mut files, mut secrets) = (Vec::new(), Vec::new());
    for n in 0..12 {
        let mut text = String::from("# settings\n");
        for (kind, secret) in planted(lot) {
            text.push_str(&format!("value_{} = \"{secret}\"  # of {kind}\n", secrets.len()));
            secrets.push(secret);
        }
        for (_, line, secret) in beside(lot) {
            text.push_str(&format!("{}\n", line.replace("{}", &secret)));
            secrets.push(secret);
        }
        files.push((format!("f{n}.py"), text));
    }
    let mut env = String::new();
    for n in 0..20 {
        let secret = format!("plain words {n} of nobody {}", lot.0 % 1000);
        env.push_str(&format!("NAME_{n}=\"{secret}\"\n"));
        secrets.push(secret);
    }
    files.push((".env".to_owned(), env));
    (files, secrets)
}

#[test]
fn no_planted_secret_leaves_the_machine_or_is_kept() {
    let (files, secrets) = project(&mut Lot(7));
    assert!(secrets.len() >= 500, "{}", secrets.len());
    let named: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let home = Home::new(&named);
    let mut replies: Vec<String> = files
        .iter()
        .map(|(path, _)| format!("<read_file path=\"{path}\"/>\n<read_file path=\"{path}\" lines=\"20-60\"/>"))
        .collect();
    replies.extend([
        "<search_code query=\"value_|NAME_|assword|oken|ecret\"/>".to_owned(),
        "<tool name=\"context\">{\"path\": \"f1.py\", \"line\": 20}</tool>\n<tool name=\"definition\">{\"name\": \"value_3\"}</tool>".to_owned(),
        // One that is not found is answered with the lines that are most like it.
        "<edit_file path=\"f2.py\">\n<<<<<<< SEARCH\nvalue_111 = \"x\"  # of aws access key\n=======\nvalue = 1\n>>>>>>> REPLACE\n</edit_file>".to_owned(),
        "<edit_file path=\"f2.py\">\n<<<<<<< SEARCH\n# settings\n=======\n# our settings\n>>>>>>> REPLACE\n</edit_file>".to_owned(),
        "<tool name=\"task\">{\"prompt\": \"Look at f3.py\", \"mode\": \"ask\"}</tool>".to_owned(),
        "<read_file path=\"f3.py\"/>".to_owned(),
        "I saw it.".to_owned(),
        "<done/>".to_owned(),
    ]);
    let replies: Vec<_> = replies.iter().map(String::as_str).collect();
    let mut setup = home.setup(&replies);
    setup.rules = Some(crate::memory::Memory { name: "yours".into(), text: format!("The key is {}", secrets[0]) });
    let mut agent = home.begin(setup);
    let prompt = format!("Why does f0.py not work? I use {} and {}", secrets[1], secrets[2]);
    agent.run(&crate::run::Task { steps: Some(40), ..home.task(&prompt) }, &Cancel::new());
    let session = agent.session().clone();
    let exported = crate::session::markdown(agent.store(), &session).unwrap();
    drop(agent);

    let requests = home.requests();
    assert!(requests.len() >= replies.len(), "{} requests", requests.len());
    let mut places = vec![(
        "what is sent",
        serde_json::to_string(&requests.iter().map(|r| &r.messages).collect::<Vec<_>>()).unwrap(),
    )];
    places.push(("the log", fs::read_to_string(home.audit()).unwrap()));
    places.push(("the export", exported));
    for (place, text) in &places {
        let found: Vec<_> = secrets.iter().filter(|secret| text.contains(secret.as_str())).collect();
        assert!(found.is_empty(), "{place} holds {} of {}: {found:?}", found.len(), secrets.len());
    }
    assert!(places[0].1.matches("«secret:").count() >= 500);
}
