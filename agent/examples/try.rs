//! scratch
use agent::provider::*;
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let home = std::env::var("TRY_HOME").unwrap_or("/tmp/loop-try".into());
    let rt = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let p = ProviderSpec::new("server", Kind::OpenAiCompatible, &args[1]);
    let mut spec = ModelSpec::new(p, "qwen");
    spec.output = 1024;
    spec.context = Some(8192);
    let form = match args[3].as_str() {
        "blocks" => EditForm::Blocks,
        "symbol" => EditForm::Symbol,
        _ => EditForm::WholeFile,
    };
    let chat: Arc<dyn Chat> = Arc::new(Provider::new(spec).unwrap());
    let secrets = Arc::new(agent::secrets::Secrets::new().unwrap());
    let root = std::env::current_dir().unwrap();
    let host = agent::host::DiskHost::open(&root, agent::host::Unattended { edits: true }).unwrap();
    let store = agent::session::Store::open(&std::path::Path::new(&home).join("s.sqlite"), secrets).unwrap().store;
    let setup = agent::run::Setup {
        host: Arc::new(host),
        chat,
        runtime: rt.handle().clone(),
        audit: None,
        tools: agent::tool::Toolbox::default(),
        project: root,
        rules: None,
        sink: Arc::new(|e| println!("{}", serde_json::to_string(&e.kind).unwrap())),
        allow_edits: true,
        edit_form: Some(form),
    };
    let mut a = agent::run::Agent::begin(Arc::new(setup), store, &args[2]).unwrap();
    let e = a.run(&agent::run::Task { prompt: args[2].clone(), ..Default::default() }, &editor::Cancel::new());
    std::process::exit(e.end.exit_code().into());
}
