//! Pages of the web, for the tools that read them. Nothing here runs unless the person has allowed the web for a session.
//!
//! Invariants: only the address asked for is dialled, and the hosts its redirects name, five of them at most; addresses
//! of this machine and of private networks are refused wherever they come from, so that a page cannot have a model read
//! what only this machine can reach. A server that the person named on the command line may be anywhere.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Url};

use super::http;

/// Bytes of a page at most.
const LARGEST: usize = 4 << 20;
/// Redirects that are followed.
const REDIRECTS: usize = 5;
/// How long a page may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a page could not be had.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// It is no address of the web.
    #[error("{0} is no address of a page; it must begin with http:// or https://")]
    Address(String),
    /// It is nearby.
    #[error("{0} is on this machine or in a private network; such addresses are not fetched")]
    Private(String),
    /// The server has no such page.
    #[error("{address} answers {status}")]
    Refused {
        /// The page.
        address: String,
        /// The code and its name.
        status: String,
    },
    /// It could not be reached.
    #[error("{address} cannot be reached: {reason}")]
    Unreachable {
        /// The page.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// It is not text.
    #[error("{address} is {kind}, not text")]
    NotText {
        /// The page.
        address: String,
        /// What the server says it is.
        kind: String,
    },
}

/// A page as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Where it came from at last.
    pub address: String,
    /// What the server says it is.
    pub kind: String,
    /// Its text, decoded as UTF-8.
    pub text: String,
    /// Whether there was more.
    pub cut: bool,
}

/// The way to the web.
#[derive(Clone, Debug)]
pub struct Web {
    client: Client,
    /// Whether addresses nearby are allowed.
    nearby: bool,
}

impl Web {
    /// A way that refuses addresses nearby.
    ///
    /// # Errors
    /// When encryption cannot be set up.
    pub fn new() -> Result<Self, String> {
        Self::with(false)
    }

    /// A way to a server that the person named, which may be nearby: whoever searches often has a server of his own.
    ///
    /// # Errors
    /// When encryption cannot be set up.
    pub fn to_named() -> Result<Self, String> {
        Self::with(true)
    }

    fn with(nearby: bool) -> Result<Self, String> {
        let tls = http::tls(true).map_err(|error| format!("encryption could not be set up: {error}"))?;
        let redirects = reqwest::redirect::Policy::custom(move |attempt| {
            if attempt.previous().len() > REDIRECTS {
                return attempt.error("it leads from page to page without end");
            }
            match check(attempt.url(), nearby) {
                Ok(()) => attempt.follow(),
                Err(error) => attempt.error(error),
            }
        });
        let builder = Client::builder()
            .redirect(redirects)
            .timeout(PATIENCE)
            .dns_resolver(Arc::new(Public { nearby }))
            .user_agent(concat!("recto/", env!("CARGO_PKG_VERSION")));
        let client = builder.tls_backend_preconfigured(tls).build().map_err(|error| error.to_string())?;
        Ok(Self { client, nearby })
    }

    /// Fetches a page, with a query if there is one.
    pub async fn fetch(&self, address: &str, query: &[(&str, &str)]) -> Result<Page, WebError> {
        let mut url = Url::parse(address.trim()).map_err(|_| WebError::Address(address.to_owned()))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        check(&url, self.nearby)?;
        let unreachable =
            |error: &reqwest::Error| WebError::Unreachable { address: url.to_string(), reason: http::innermost(error) };
        let mut response = self.client.get(url.clone()).send().await.map_err(|error| unreachable(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(WebError::Refused { address: url.to_string(), status: status.to_string() });
        }
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or("text/plain");
        let kind = kind.to_ascii_lowercase();
        if !["text/", "json", "xml", "javascript", "yaml"].iter().any(|part| kind.contains(part)) {
            return Err(WebError::NotText { address: url.to_string(), kind });
        }
        let from = response.url().to_string();
        let mut bytes = Vec::new();
        let mut cut = false;
        while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(&error))? {
            let room = LARGEST - bytes.len();
            cut = chunk.len() > room;
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if cut {
                break;
            }
        }
        Ok(Page { address: from, kind, text: String::from_utf8_lossy(&bytes).into_owned(), cut })
    }
}

fn check(url: &Url, nearby: bool) -> Result<(), WebError> {
    let host = url.host_str().unwrap_or_default();
    if !matches!(url.scheme(), "http" | "https") || host.is_empty() {
        return Err(WebError::Address(url.to_string()));
    }
    // A number is dialled without being looked up.
    let number = host.trim_matches(['[', ']']).parse::<IpAddr>();
    match number {
        Ok(address) if !nearby && !is_public(address) => Err(WebError::Private(host.to_owned())),
        _ => Ok(()),
    }
}

/// Looks up names, and finds only addresses that are everybody's.
struct Public {
    nearby: bool,
}

impl Resolve for Public {
    fn resolve(&self, name: Name) -> Resolving {
        let nearby = self.nearby;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if !nearby && found.iter().any(|address| !is_public(address.ip())) {
                return Err(WebError::Private(name.as_str().to_owned()).into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [first, second, ..] = address.octets();
            let shared = first == 100 && (64..128).contains(&second);
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_unspecified()
                || address.is_broadcast()
                || address.is_multicast()
                || address.is_documentation()
                || first == 0
                || first >= 240
                || shared)
        }
        IpAddr::V6(address) => match address.to_ipv4() {
            Some(inner) => is_public(IpAddr::V4(inner)),
            None => {
                let first = address.segments()[0];
                // 2000::/3 is what is given out; unique local and link local addresses are not in it.
                first & 0xe000 == 0x2000
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_nearby_are_refused() {
        let refused = [
            "http://127.0.0.1/x",
            "http://10.1.2.3",
            "http://169.254.169.254/latest/meta-data",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fd00::1]/",
            "http://0.0.0.0/",
            "http://100.64.0.1/",
            "http://2130706433/",
        ];
        for address in refused {
            let url = Url::parse(address).unwrap();
            assert!(matches!(check(&url, false), Err(WebError::Private(_))), "{address}");
        }
        for address in ["file:///etc/passwd", "ftp://example.org/"] {
            assert!(matches!(check(&Url::parse(address).unwrap(), false), Err(WebError::Address(_))), "{address}");
        }
        for address in ["https://example.org/a", "http://93.184.216.34/", "http://[2606:2800::1]/"] {
            assert!(check(&Url::parse(address).unwrap(), false).is_ok(), "{address}");
        }
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_refused_too() {
        let found = Public { nearby: false }.resolve("localhost".parse().unwrap()).await;
        assert!(found.err().unwrap().to_string().contains("private network"));
    }
}
