//! The one place where model servers are dialled.
//!
//! Invariants: only the host of the configured address is resolved (or that of the configured proxy); redirects are not
//! followed; proxies of the environment are used only where the configuration says so. So a request goes where the user
//! sent it, or nowhere.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Client, Method, Response, Url};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::dialect;
use super::error::ProviderError;
use super::spec::{Kind, ProviderSpec, Proxy};

/// A server that can be sent requests.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    client: Client,
    kind: Kind,
    base: Url,
    headers: HeaderMap,
    silence: Duration,
}

/// A server that answers within this time is there; loopback answers at once.
const CONNECT: Duration = Duration::from_secs(10);

impl Connection {
    pub(super) fn new(spec: &ProviderSpec) -> Result<Self, ProviderError> {
        let wrong = |reason: String| ProviderError::Setup { model: spec.name.clone(), reason };
        let base = base_url(&spec.url).map_err(&wrong)?;
        let headers = headers(&spec.headers).map_err(&wrong)?;
        let mut hosts = vec![base.host_str().unwrap_or_default().to_owned()];
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .user_agent(concat!("recto/", env!("CARGO_PKG_VERSION")));
        match &spec.proxy {
            Proxy::Direct => builder = builder.no_proxy(),
            Proxy::Environment => {}
            Proxy::Through(address) => {
                let proxy = Url::parse(address).map_err(|error| wrong(format!("the proxy {address}: {error}")))?;
                hosts.push(proxy.host_str().unwrap_or_default().to_owned());
                let proxy = reqwest::Proxy::all(proxy).map_err(|error| wrong(error.to_string()))?;
                builder = builder.no_proxy().proxy(proxy);
            }
        }
        if spec.proxy != Proxy::Environment {
            builder = builder.dns_resolver(Arc::new(OnlyThese(hosts)));
        }
        let is_encrypted = base.scheme() == "https" || !matches!(spec.proxy, Proxy::Direct);
        let tls = tls(is_encrypted).map_err(|error| wrong(format!("encryption could not be set up: {error}")))?;
        let client = builder.tls_backend_preconfigured(tls).build().map_err(|error| wrong(error.to_string()))?;
        Ok(Self { client, kind: spec.kind, base, headers, silence: spec.patience.silence })
    }

    /// As messages name it: without a path, and without a user in it.
    pub(super) fn address(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        let port = self.base.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{host}{port}", self.base.scheme())
    }

    /// Sends a body, or asks without one, and waits for the head of the answer.
    ///
    /// `path` is below the root of the server; see [`dialect::join`].
    pub(super) async fn send(
        &self,
        path: &str,
        body: Option<Body>,
        more: &HeaderMap,
    ) -> Result<Response, ProviderError> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let url = dialect::join(self.kind, &self.base, path);
        let mut request = self.client.request(method, url).headers(self.headers.clone()).headers(more.clone());
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        let response = tokio::time::timeout(self.silence, request.send())
            .await
            .map_err(|_| self.silent())?
            .map_err(|error| self.unreachable(&error))?;
        if response.status().is_redirection() {
            let target =
                response.headers().get("location").map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
            return Err(ProviderError::Redirected {
                address: self.address(),
                target: target.unwrap_or_else(|| "nowhere".to_owned()),
            });
        }
        Ok(response)
    }

    /// The next bytes of an answer; nothing at its end. What a reset means depends on what came before.
    pub(super) async fn chunk(&self, response: &mut Response, patience: Duration) -> Result<Option<Vec<u8>>, Broken> {
        match tokio::time::timeout(patience.min(self.silence), response.chunk()).await {
            Err(_) => Err(Broken::Silent(self.silent())),
            Ok(Ok(chunk)) => Ok(chunk.map(|bytes| bytes.to_vec())),
            Ok(Err(error)) => Err(Broken::Reset(cut(&error))),
        }
    }

    /// Whether what is sent is encrypted, as it is to everything but servers nearby.
    pub(super) fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    fn silent(&self) -> ProviderError {
        ProviderError::Silent { address: self.address(), silent: self.silence }
    }

    fn unreachable(&self, error: &reqwest::Error) -> ProviderError {
        ProviderError::Unreachable { address: self.address(), reason: innermost(error) }
    }
}

/// How an answer stopped before its end.
#[derive(Debug)]
pub(super) enum Broken {
    Silent(ProviderError),
    Reset(String),
}

/// The address of a server as a base to join paths to.
fn base_url(text: &str) -> Result<Url, String> {
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let mut url = Url::parse(&with_scheme).map_err(|error| format!("{text} is no address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(format!("{text} is no address of http or https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!("the address of {} has a password in it; use a key", url.host_str().unwrap_or_default()));
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name = HeaderName::try_from(name).map_err(|_| format!("{name} is no name of a header"))?;
        headers.insert(name, header_value(value)?);
    }
    Ok(headers)
}

/// A value of a header that is not logged.
pub(super) fn header_value(value: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::try_from(value)
        .map_err(|_| "a header or key has characters that headers cannot have".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

/// Reading the system's certificates takes a while, so only who encrypts does.
pub(super) fn tls(is_encrypted: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    if is_encrypted {
        return Ok(builder.with_platform_verifier()?.with_no_client_auth());
    }
    Ok(builder.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth())
}

/// A token that nobody guesses: 32 characters from the system's random numbers.
pub(crate) fn random_token() -> Option<String> {
    let mut bytes = [0_u8; 16];
    rustls::crypto::ring::default_provider().secure_random.fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Why a reply did not come whole. That a server went away says itself in terms of its chunks.
fn cut(error: &reqwest::Error) -> String {
    let why = innermost(error);
    if why.contains("unexpected EOF") { "the connection was closed".to_owned() } else { why }
}

/// What really went wrong: the outer ones only say that a request failed.
pub(super) fn innermost(error: &reqwest::Error) -> String {
    let mut source: &dyn std::error::Error = error;
    while let Some(inner) = source.source() {
        source = inner;
    }
    source.to_string()
}

/// Looks up the hosts it was made for and no other.
struct OnlyThese(Vec<String>);

impl Resolve for OnlyThese {
    fn resolve(&self, name: Name) -> Resolving {
        let known = self.0.iter().any(|host| host.eq_ignore_ascii_case(name.as_str()));
        Box::pin(async move {
            if !known {
                return Err(format!("{} is not the configured address", name.as_str()).into());
            }
            let addresses: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_short() {
        assert_eq!(base_url("localhost:8080").unwrap().as_str(), "http://localhost:8080/");
        assert_eq!(base_url("https://x.test/v1?a#b").unwrap().as_str(), "https://x.test/v1");
        for wrong in ["ftp://x", "http://", "http://user:secret@x", "unix:///tmp/x"] {
            assert!(base_url(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn no_other_host_is_looked_up() {
        let only = OnlyThese(vec!["localhost".to_owned()]);
        assert!(only.resolve("localhost".parse().unwrap()).await.is_ok());
        let refused = only.resolve("telemetry.test".parse().unwrap()).await.err().unwrap();
        assert_eq!(refused.to_string(), "telemetry.test is not the configured address");
    }
}
