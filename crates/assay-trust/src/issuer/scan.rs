//! Secrets that people paste into commands and notes. A token is public for ever, so what looks
//! like a credential is never signed.

/// The shape of a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialShape {
    /// The kind of credential, such as `a Hugging Face token`.
    pub name: &'static str,
    /// The prefix of the credential.
    prefix: &'static str,
    /// Number of characters of a secret that follow, at least.
    least: usize,
}

/// The shapes that are known. Each begins with something that nobody writes by accident.
const SHAPES: [CredentialShape; 22] = [
    shape("a personal token of this issuer", "evp_", 30),
    shape("an access token of this issuer", "eva_", 30),
    shape("a client secret of this issuer", "evc_", 30),
    shape("a Hugging Face token", "hf_", 30),
    shape("a Hugging Face organisation token", "api_org_", 30),
    shape("a GitHub token", "ghp_", 36),
    shape("a GitHub token", "gho_", 36),
    shape("a GitHub token", "ghu_", 36),
    shape("a GitHub token", "ghs_", 36),
    shape("a GitHub token", "ghr_", 36),
    shape("a GitHub token", "github_pat_", 36),
    shape("a GitLab token", "glpat-", 20),
    shape("an OpenAI key", "sk-proj-", 20),
    shape("an Anthropic key", "sk-ant-", 20),
    shape("an OpenAI key", "sk-", 40),
    shape("an AWS access key", "AKIA", 16),
    shape("an AWS access key", "ASIA", 16),
    shape("a Google API key", "AIza", 35),
    shape("a Slack token", "xoxb-", 20),
    shape("a Slack token", "xoxp-", 20),
    shape("a Weights & Biases key", "wandb_v1_", 30),
    shape("a PyPI token", "pypi-", 50),
];

/// Words that, when a value follows them, name a secret whatever it looks like.
const NAMES: [&str; 7] = [
    "api_key",
    "apikey",
    "api-key",
    "password",
    "secret_key",
    "access_token",
    "auth_token",
];
/// The length of such a value, at least: `--password=x` may be a placeholder.
const LEAST_VALUE: usize = 12;

const fn shape(name: &'static str, prefix: &'static str, least: usize) -> CredentialShape {
    CredentialShape {
        name,
        prefix,
        least,
    }
}

/// Returns the kind of credential that a text contains, without repeating it.
pub fn find_credential(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    words(text)
        .find_map(of_word)
        .or_else(|| of_assignment(text))
        .or_else(|| of_address(text))
}

/// Pieces that could be a credential: runs of the characters that credentials are made of.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | '.'))
        .filter(|word| !word.is_empty())
}

fn of_word(word: &str) -> Option<&'static str> {
    if is_signed_token(word) {
        return Some("a signed token");
    }
    SHAPES.iter().find_map(|shape| {
        let rest = word.strip_prefix(shape.prefix)?;
        let is_secret = rest.len() >= shape.least && rest.bytes().any(|byte| byte.is_ascii_digit());
        is_secret.then_some(shape.name)
    })
}

/// Three parts of base64url, the first of which opens a JSON object.
fn is_signed_token(word: &str) -> bool {
    let mut parts = word.split('.');
    let (Some(header), Some(claims), Some(signature)) = (parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    header.starts_with("eyJ") && claims.starts_with("eyJ") && signature.len() >= 16
}

/// `--api-key VALUE`, `API_KEY=VALUE`, `"password": "VALUE"`. A variable of the shell is no value.
fn of_assignment(text: &str) -> Option<&'static str> {
    let lower = text.to_ascii_lowercase();
    let is_assigned = NAMES.iter().any(|name| {
        let mut places = lower.match_indices(name);
        places.any(|(at, _)| {
            text.get(at + name.len()..)
                .is_some_and(is_followed_by_value)
        })
    });
    is_assigned.then_some("a value that its name calls a secret")
}

fn is_followed_by_value(rest: &str) -> bool {
    let value = rest.trim_start_matches(['=', ':', ' ', '"', '\'']);
    if value.len() == rest.len() {
        return false;
    }
    let end = value
        .find(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | ',' | ';'))
        .unwrap_or(value.len());
    let value = &value[..end];
    value.len() >= LEAST_VALUE
        && !value.starts_with(['$', '<', '{', '-'])
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// `https://user:password@host`.
fn of_address(text: &str) -> Option<&'static str> {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("://") {
        let end = after
            .find(|letter: char| letter.is_whitespace() || letter == '/')
            .unwrap_or(after.len());
        let authority = &after[..end];
        let login = authority.rsplit_once('@').map(|(login, _)| login);
        let has_password = login
            .and_then(|login| login.split_once(':'))
            .is_some_and(|(_, password)| !password.is_empty() && !password.starts_with('$'));
        if has_password {
            return Some("an address with a password");
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row 72 of the threat table, the part that looks.
    #[test]
    fn secret_in_command_refused() {
        let secret = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
        for (text, name) in [
            (
                format!("HF_TOKEN=hf_{secret} inspect eval x.py"),
                "a Hugging Face token",
            ),
            (
                format!("curl -H 'Authorization: Bearer evp_ab12_{secret}'"),
                "a personal token of this issuer",
            ),
            (format!("x --token ghp_{secret}"), "a GitHub token"),
            (format!("OPENAI_API_KEY=sk-proj-{secret}"), "an OpenAI key"),
            (
                "export AWS=AKIAIOSFODNN7EXAMPLE".to_owned(),
                "an AWS access key",
            ),
            (
                format!("--api-key {secret}"),
                "a value that its name calls a secret",
            ),
            (
                format!("{{\"password\": \"{secret}\"}}"),
                "a value that its name calls a secret",
            ),
            (
                "git clone https://bob:hunter2@example.org/x".to_owned(),
                "an address with a password",
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----".to_owned(),
                "a private key",
            ),
            (
                "eyJhbGciOiJFZERTQSJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJlLXNpZ25hdHVyZQ".to_owned(),
                "a signed token",
            ),
        ] {
            assert_eq!(find_credential(&text), Some(name), "{text}");
        }
    }

    #[test]
    fn ordinary_commands_are_left_alone() {
        for text in [
            "inspect eval hle.py --model hf/acme/awesome-model",
            "lm_eval --model hf --model_args pretrained=acme/x,revision=9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6",
            "lighteval accelerate --api-key $OPENAI_API_KEY",
            "run --api-key \"${KEY}\" --max-tokens 2048",
            "see https://example.org/a:b@c and https://example.org:8080/x",
            "task-sk-learn-2024 hf_dataset no-tools",
            "password-protected zip, secret_key rotation",
            "",
        ] {
            assert_eq!(find_credential(text), None, "{text}");
        }
    }
}
