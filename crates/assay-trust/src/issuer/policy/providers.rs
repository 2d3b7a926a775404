use super::super::policy_file::{IntegrationFile, IssuerFile};
use super::super::provider::{ALGORITHMS, Provider, ProviderClass};
use super::Reader;

/// The providers of a policy: those it configures, and those that identities name and everybody
/// knows.
pub(super) fn read(
    reader: &mut Reader<'_>,
    issuers: Vec<IssuerFile>,
    integrations: &[IntegrationFile],
) -> Vec<Provider> {
    let mut providers: Vec<Provider> = Vec::new();
    for file in issuers {
        let place = file.url.span();
        let Some(provider) = provider(reader, file) else {
            continue;
        };
        if providers
            .iter()
            .any(|other| other.issuer == provider.issuer)
        {
            reader.wrong(place, "this issuer is there twice");
        } else {
            providers.push(provider);
        }
    }
    let named = integrations
        .iter()
        .flat_map(|one| &one.identity)
        .filter_map(|identity| identity.get_ref().issuer.as_deref());
    for issuer in named {
        let is_known = providers.iter().any(|provider| provider.issuer == issuer);
        if let Some(provider) = Provider::well_known(issuer).filter(|_| !is_known) {
            providers.push(provider);
        }
    }
    providers
}

fn provider(reader: &mut Reader<'_>, file: IssuerFile) -> Option<Provider> {
    let url = file.url.get_ref().clone();
    if !is_address(&url) {
        reader.wrong(
            file.url.span(),
            "the address of an issuer is `https://`, a host, and no query",
        );
    }
    let known = Provider::well_known(&url);
    let class = match &file.kind {
        Some(kind) => match kind.get_ref().parse::<ProviderClass>() {
            Ok(class) => class,
            Err(message) => {
                reader.wrong(kind.span(), message);
                return None;
            }
        },
        None => known
            .as_ref()
            .map_or(ProviderClass::Generic, |known| known.class),
    };
    if let Some(known) = &known
        && known.class != class
    {
        let message = format!("`{url}` is of the kind `{}`", known.class);
        reader.wrong(file.url.span(), &message);
    }
    let keys = match (&file.jwks, &known) {
        (Some(keys), _) => {
            if !is_address(keys.get_ref()) {
                reader.wrong(
                    keys.span(),
                    "the address of a key set is `https://` and a host",
                );
            }
            keys.get_ref().clone()
        }
        (None, Some(known)) => known.keys.clone(),
        (None, None) => {
            reader.wrong(
                file.url.span(),
                "say where its keys are with `jwks`: addresses are configured and never found out",
            );
            return None;
        }
    };
    Some(Provider {
        issuer: url,
        class,
        keys,
        audience: file.audience.map(|text| text.get_ref().clone()),
        algorithms: algorithms(reader, file.algorithms),
    })
}

fn algorithms(reader: &mut Reader<'_>, given: Option<Vec<toml::Spanned<String>>>) -> Vec<String> {
    let Some(given) = given else {
        return vec!["RS256".to_owned()];
    };
    for algorithm in &given {
        if !ALGORITHMS.contains(&algorithm.get_ref().as_str()) {
            reader.wrong(
                algorithm.span(),
                "an algorithm is `RS256`, `ES256` or `EdDSA`",
            );
        }
    }
    given.into_iter().map(toml::Spanned::into_inner).collect()
}

/// Returns whether a text is an address. Plain http is for this machine alone, and whoever fetches
/// refuses it unless tests ask.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| {
        text.strip_prefix("http://")
            .filter(|rest| is_loopback(rest))
    });
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && rest.bytes().all(|byte| byte.is_ascii_graphic())
            && !rest.contains(['?', '#', '@', '\\'])
    })
}

fn is_loopback(rest: &str) -> bool {
    let host = rest.split(['/', ':']).next().unwrap_or_default();
    matches!(host, "127.0.0.1" | "localhost")
}
