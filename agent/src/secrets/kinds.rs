//! What secrets look like: one entry a kind, with the expression that finds it.
//!
//! The first group of an expression is the secret; without one, all of it. Kinds with a mark of their own (`ghp_`) are
//! told by it alone. The others stand beside a word that says what they are, and are looked at once more: see
//! [`Check`].

/// A kind of secret.
pub(super) struct Kind {
    /// What the model is told instead, where nothing in the text names the secret.
    pub(super) name: &'static str,
    pub(super) pattern: &'static str,
    pub(super) check: Check,
}

/// What is asked beyond the expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// Nothing: the mark is enough.
    Nothing,
    /// It must look drawn by lot: no words of a language, no example.
    Random,
    /// It may be something that people think of, but no example and no code.
    Chosen,
}

const fn marked(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, check: Check::Nothing }
}

const fn random(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, check: Check::Random }
}

const fn chosen(name: &'static str, pattern: &'static str) -> Kind {
    Kind { name, pattern, check: Check::Chosen }
}

/// All of them. Of two that find the same, the one that is first gives the name.
pub(super) const KINDS: &[Kind] = &[
    // Blocks
    // With or without line breaks, as they stand in a file or in the string of a program. One that is cut off is one, too.
    marked(
        "PRIVATE_KEY",
        r#"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[0-9A-Za-z+/=\s\\"',.:|>(){};\-]*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|[0-9A-Za-z+/=\s\\"']{40,})"#,
    ),
    marked("PUTTY_KEY", r"PuTTY-User-Key-File-[23]:(?s:.*?)Private-MAC: [0-9a-f]{40,}"),
    marked("AGE_KEY", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}\b"),
    // Clouds
    marked("AWS_ACCESS_KEY_ID", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    random(
        "AWS_SECRET_ACCESS_KEY",
        r#"(?i)aws[a-z0-9_.\- ]{0,30}(?:secret|key)[a-z0-9_.\- ]{0,20}["']?\s{0,4}(?:=|:|=>|,)\s{0,4}["']?([A-Za-z0-9/+]{40})\b"#,
    ),
    marked("GOOGLE_API_KEY", r"\bAIza[0-9A-Za-z_\-]{35}"),
    marked("GOOGLE_OAUTH_SECRET", r"\bGOCSPX-[0-9A-Za-z_\-]{24,}"),
    marked("GOOGLE_ACCESS_TOKEN", r"\bya29\.[0-9A-Za-z_\-]{30,}"),
    random("AZURE_STORAGE_KEY", r"(?i)AccountKey=([A-Za-z0-9+/]{60,}={0,2})"),
    random("AZURE_SAS", r"(?i)[?&]sig=([A-Za-z0-9%+/]{30,})"),
    random("AZURE_CLIENT_SECRET", r"\b([A-Za-z0-9_~.\-]{3}[78]Q~[A-Za-z0-9_~.\-]{31,})"),
    marked("DIGITALOCEAN_TOKEN", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    marked("ALIBABA_ACCESS_KEY", r"\bLTAI[0-9A-Za-z]{16,}\b"),
    marked("CLOUDFLARE_CA_KEY", r"\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b"),
    marked("HEROKU_KEY", r"\bHRKU-[0-9A-Za-z_\-]{36,}"),
    random(
        "HEROKU_API_KEY",
        r#"(?i)heroku[a-z0-9_.\- ]{0,20}["']?\s{0,4}[=:]\s{0,4}["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"#,
    ),
    marked("FLY_TOKEN", r"\bFlyV1 [0-9A-Za-z_+/=,\-]{60,}|\bfo1_[0-9A-Za-z_\-]{43}"),
    marked("VAULT_TOKEN", r"\bhv[sbr]\.[0-9A-Za-z_\-]{24,}"),
    marked("TERRAFORM_TOKEN", r"\b[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_\-]{60,}"),
    marked("PULUMI_TOKEN", r"\bpul-[0-9a-f]{40}\b"),
    marked("DOPPLER_TOKEN", r"\bdp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z_.\-]{40,}"),
    marked("DATABRICKS_TOKEN", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    marked("SUPABASE_TOKEN", r"\bsbp_[0-9a-f]{40}\b|\bsb_secret_[0-9A-Za-z_\-]{20,}"),
    marked("PLANETSCALE_TOKEN", r"\bpscale_(?:tkn|pw|oauth)_[0-9A-Za-z_=.\-]{32,}"),
    // Code and packages
    marked("GITHUB_TOKEN", r"\bgh[pousr]_[0-9A-Za-z]{36,}\b"),
    marked("GITHUB_TOKEN", r"\bgithub_pat_[0-9A-Za-z_]{60,}\b"),
    marked("GITLAB_TOKEN", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[0-9A-Za-z_\-]{20,}"),
    marked("BITBUCKET_TOKEN", r"\bATBB[0-9A-Za-z_=]{28,}|\bATCTT3[0-9A-Za-z_\-=.]{60,}"),
    marked("ATLASSIAN_TOKEN", r"\bATATT3[0-9A-Za-z_\-=.]{60,}"),
    marked("NPM_TOKEN", r"\bnpm_[0-9A-Za-z]{36}\b"),
    random("NPM_TOKEN", r"(?i)_auth(?:Token)?\s{0,3}=\s{0,3}([0-9A-Za-z+/=_\-]{16,})"),
    marked("PYPI_TOKEN", r"\bpypi-AgE[0-9A-Za-z_\-]{50,}"),
    marked("RUBYGEMS_KEY", r"\brubygems_[0-9a-f]{48}\b"),
    marked("CRATES_TOKEN", r"\bcio[0-9A-Za-z]{32}\b"),
    marked("NUGET_KEY", r"\boy2[0-9a-z]{43}\b"),
    marked("DOCKER_TOKEN", r"\bdckr_(?:pat|oat)_[0-9A-Za-z_\-]{20,}"),
    marked("CLOJARS_TOKEN", r"\bCLOJARS_[0-9a-z]{60}\b"),
    marked("SENTRY_TOKEN", r"\bsntry[su]_[0-9A-Za-z+/=_\-]{40,}"),
    marked("SONAR_TOKEN", r"\bsq[upa]_[0-9a-f]{40}\b"),
    marked("BUILDKITE_TOKEN", r"\bbk(?:ua|aj|at)_[0-9a-f]{40}\b"),
    marked("POSTMAN_KEY", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b"),
    marked("LINEAR_KEY", r"\blin_(?:api|oauth)_[0-9A-Za-z]{40,}\b"),
    marked("FIGMA_TOKEN", r"\bfigd_[0-9A-Za-z_\-]{40,}"),
    // Models
    marked("ANTHROPIC_KEY", r"\bsk-ant-[0-9A-Za-z_\-]{20,}"),
    marked("OPENROUTER_KEY", r"\bsk-or-v1-[0-9a-f]{64}\b"),
    marked("OPENAI_KEY", r"\bsk-(?:proj|svcacct|admin|None)-[0-9A-Za-z_\-]{20,}"),
    random("OPENAI_KEY", r"\b(sk-[0-9A-Za-z]{20,})\b"),
    marked("HUGGINGFACE_TOKEN", r"\b(?:hf|api_org)_[0-9A-Za-z]{34,}\b"),
    marked("GROQ_KEY", r"\bgsk_[0-9A-Za-z]{40,}\b"),
    marked("REPLICATE_TOKEN", r"\br8_[0-9A-Za-z]{37,}\b"),
    marked("PERPLEXITY_KEY", r"\bpplx-[0-9A-Za-z]{40,}\b"),
    marked("XAI_KEY", r"\bxai-[0-9A-Za-z]{60,}\b"),
    // Money and messages
    marked("STRIPE_KEY", r"\b(?:sk|rk)_(?:live|test|prod)_[0-9A-Za-z]{16,}\b"),
    marked("STRIPE_WEBHOOK_SECRET", r"\bwhsec_[0-9A-Za-z+/=]{24,}"),
    marked("SQUARE_TOKEN", r"\bsq0(?:atp|csp|idp)-[0-9A-Za-z_\-]{22,}|\bEAAA[0-9A-Za-z_\-]{60}"),
    marked("PAYPAL_TOKEN", r"\baccess_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}\b"),
    marked("SHOPIFY_TOKEN", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    marked("SLACK_TOKEN", r"\bxox[abeoprs]-[0-9A-Za-z\-]{10,}"),
    marked("SLACK_APP_TOKEN", r"\bxapp-\d-[0-9A-Z]+-\d+-[0-9a-f]{40,}"),
    marked("SLACK_WEBHOOK", r"https://hooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z+/]{30,})"),
    marked("DISCORD_WEBHOOK", r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/(\d{17,}/[0-9A-Za-z_\-]{60,})"),
    random("DISCORD_TOKEN", r"\b([MNO][0-9A-Za-z_\-]{23,}\.[0-9A-Za-z_\-]{6}\.[0-9A-Za-z_\-]{27,})"),
    marked("TEAMS_WEBHOOK", r"https://[0-9a-z\-]+\.webhook\.office\.com/webhookb2/([0-9a-f@\-/A-Za-z]{80,})"),
    random("TELEGRAM_TOKEN", r"\b(\d{8,}:AA[0-9A-Za-z_\-]{32,})\b"),
    marked("TWILIO_KEY", r"\bSK[0-9a-f]{32}\b"),
    random("TWILIO_AUTH_TOKEN", r#"(?i)twilio[a-z0-9_.\- ]{0,20}["']?\s{0,4}[=:]\s{0,4}["']?([0-9a-f]{32})\b"#),
    marked("SENDGRID_KEY", r"\bSG\.[0-9A-Za-z_\-]{20,}\.[0-9A-Za-z_\-]{39,}"),
    random("MAILGUN_KEY", r"\b(key-[0-9a-f]{32})\b"),
    marked("MAILCHIMP_KEY", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    marked("BREVO_KEY", r"\bxkeysib-[0-9a-f]{64}-[0-9A-Za-z]{16}\b"),
    marked("NOTION_TOKEN", r"\bntn_[0-9A-Za-z]{40,}\b|\bsecret_[0-9A-Za-z]{43}\b"),
    marked("AIRTABLE_TOKEN", r"\bpat[0-9A-Za-z]{14}\.[0-9a-f]{64}\b"),
    // Watching
    marked("GRAFANA_TOKEN", r"\bglsa_[0-9A-Za-z]{32}_[0-9A-Fa-f]{8}\b|\bglc_[0-9A-Za-z+/]{32,}={0,2}"),
    marked("NEW_RELIC_KEY", r"\bNR(?:AK|JS|AA|II|RA)-[0-9A-Za-z]{16,}\b"),
    random(
        "DATADOG_KEY",
        r#"(?i)(?:datadog|dd)[_\-](?:api|app)[a-z_\-]{0,12}["']?\s{0,4}[=:]\s{0,4}["']?([0-9a-f]{32,})\b"#,
    ),
    marked("DYNATRACE_TOKEN", r"\bdt0[a-z]\d{2}\.[0-9A-Z]{24}\.[0-9A-Z]{64}\b"),
    // Of no one maker
    marked("JWT", r"\beyJ[0-9A-Za-z_\-]{10,}\.eyJ[0-9A-Za-z_\-]{10,}\.[0-9A-Za-z_\-]{10,}"),
    chosen(
        "AUTHORIZATION",
        r#"(?i)\bauthorization["']?\s{0,3}[:=,]\s{0,3}["']?(?:bearer|basic|token|apikey|digest)\s+([0-9A-Za-z+/=_.~\-]{8,})"#,
    ),
    random("BEARER", r"(?i)\bbearer\s+([0-9A-Za-z+/=_.~\-]{20,})"),
    chosen("PASSWORD", r#"\b[a-zA-Z][a-zA-Z0-9+.\-]{1,}://[^\s:/@"'<>{}$%]*:([^\s:/@"'<>{}$]{3,})@[a-zA-Z0-9\[]"#),
    chosen("PASSWORD", r"(?i)(?:;|\b)(?:password|pwd)\s{0,2}=\s{0,2}([^;\s\x22'<>{}$()]{6,});"),
    chosen("PASSWORD", r"(?m)^\s{0,8}machine\s+\S+\s+login\s+\S+\s+password\s+(\S+)"),
    random("SSH_PASSPHRASE", r"\bsshpass\s+-p\s*['\x22]?([^\s'\x22]{4,})"),
    random("KUBE_CLIENT_KEY", r"(?:client-key-data|client-certificate-data|tls\.key):\s{0,3}([0-9A-Za-z+/=]{60,})"),
    random("DOCKER_AUTH", r#""auth"\s{0,3}:\s{0,3}"([0-9A-Za-z+/=]{12,})""#),
    random("BASIC_AUTH", r#"(?:^|\s)(?:-u|--user)[ =]['"]?[0-9A-Za-z_.\-]{2,}:([^\s'"]{6,})"#),
    // Named by what they stand beside: the name is looked up in the text.
    chosen(
        "",
        r#"(?i)["']?\b([a-z0-9_.\-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api[_\-]?key|access[_\-]?key|auth[_\-]?key|private[_\-]?key|signing[_\-]?key|encryption[_\-]?key|client[_\-]?secret|credential)s?[a-z0-9_\-]{0,20})["']?\]?\s{0,8}(?::\s{0,3}&?(?:str|String|string|'static str|&'static str)\s{0,3})?(?:=>|:=|[:=])\s{0,8}[brfuL]?["'`]([^"'`\s]{8,})["'`]"#,
    ),
    chosen(
        "",
        r"(?im)^\s{0,20}(?:-\s{1,3})?(?:export\s+|set\s+|env\s+)?([a-z0-9_.\-]{0,40}(?:passw(?:or)?d|passphrase|secret|token|api_?key|access_?key|auth_?key|private_?key|signing_?key|encryption_?key|credential)s?[a-z0-9_\-]{0,20})\s{0,4}[=:]\s{0,4}([^\s\x22'`#,;(){}\[\]<>|&*$]{8,})\s*(?:#.*)?$",
    ),
];
