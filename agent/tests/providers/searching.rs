//! The tools that read the web: a search server may be one's own and nearby, a page may not.

use std::sync::{Arc, Mutex};

use agent::host::{DiskHost, Unattended};
use agent::provider::web::Web;
use agent::secrets::Secrets;
use agent::tool::web::{SearchServer, add};
use agent::tool::{Outcome, Toolbox, Use, World};
use editor::Cancel;
use serde_json::{Value, json};

use super::server::{Answer, Server};

#[test]
fn a_server_of_ones_own_searches_and_no_page_is_fetched_from_nearby() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let found = json!({ "results": [{ "title": "Rust", "url": "https://rust.test/", "content": "A  language." }] });
    let server = runtime.block_on(Server::start(move |_| Answer::json(200, &found)));
    let search = SearchServer { web: Web::to_named().unwrap(), address: format!("{}/search", server.address) };
    let mut tools = Toolbox::default();
    add(&mut tools, Web::new().unwrap(), runtime.handle().clone(), Some(search));

    let folder = tempfile::tempdir().unwrap();
    let host = Arc::new(DiskHost::open(folder.path(), Unattended::default()).unwrap());
    let world = World { host, secrets: Arc::new(Secrets::new().unwrap()), todo: Mutex::default() };
    let uses = |name: &str, arguments: &Value| -> Outcome {
        (tools.get(name).unwrap().run)(&Use { arguments, world: &world, cancel: &Cancel::new() })
    };
    let hits = uses("web_search", &json!({ "query": "a language & more" }));
    assert_eq!((hits.ok, hits.text.as_str()), (true, "Rust\n  https://rust.test/\n  A language."));
    let asked: Vec<_> = server.received().into_iter().map(|request| request.path).collect();
    assert_eq!(asked, ["/search?q=a+language+%26+more&format=json"]);

    let page = uses("web_fetch", &json!({ "url": format!("{}/secret", server.address) }));
    assert!(!page.ok && page.text.contains("is on this machine or in a private network"), "{}", page.text);
    assert_eq!(server.received().len(), 1, "it was not even dialled");
}
