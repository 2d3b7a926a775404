use std::fmt;
use std::str::FromStr;

/// An identity provider that is trusted to say which machine is asking. Providers are
/// configuration, never found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// Its name, as `iss` has it.
    pub issuer: String,
    /// The class that says how its claims are read.
    pub class: ProviderClass,
    /// The address of its keys.
    pub keys: String,
    /// The audience that its tokens must have; ours when absent.
    pub audience: Option<String>,
    /// The algorithms that it signs with.
    pub algorithms: Vec<String>,
}

/// A class of providers whose claims are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderClass {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
    /// Anything else that signs ID tokens.
    Generic,
}

/// The issuer name of GitHub.
const GITHUB: &str = "https://token.actions.githubusercontent.com";
/// The issuer name of GitLab.
const GITLAB: &str = "https://gitlab.com";
/// The algorithms that are known.
pub(super) const ALGORITHMS: [&str; 3] = ["RS256", "ES256", "EdDSA"];

impl Provider {
    /// A provider that needs no configuration, because it is the only one of its name.
    pub fn well_known(issuer: &str) -> Option<Self> {
        let (class, keys) = match issuer {
            GITHUB => (
                ProviderClass::Github,
                "https://token.actions.githubusercontent.com/.well-known/jwks",
            ),
            GITLAB => (
                ProviderClass::Gitlab,
                "https://gitlab.com/oauth/discovery/keys",
            ),
            _ => return None,
        };
        Some(Self {
            issuer: issuer.to_owned(),
            class,
            keys: keys.to_owned(),
            audience: None,
            algorithms: vec!["RS256".to_owned()],
        })
    }
}

impl ProviderClass {
    /// Every class.
    pub const ALL: [Self; 3] = [Self::Github, Self::Gitlab, Self::Generic];

    /// Its word in a policy.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Generic => "generic",
        }
    }

    /// The claims that an identity must fix: those that no rename and no branch can bring about.
    pub fn must_require(self) -> &'static [&'static str] {
        match self {
            Self::Github => &["repository_owner_id", "repository_id", "job_workflow_ref"],
            Self::Gitlab => &["namespace_id", "project_id", "ci_config_ref_uri"],
            Self::Generic => &["sub"],
        }
    }

    /// The claim that says what started the run.
    pub fn event(self) -> Option<&'static str> {
        match self {
            Self::Github => Some("event_name"),
            Self::Gitlab => Some("pipeline_source"),
            Self::Generic => None,
        }
    }

    /// The events that a policy may list: those that only people who may write to the repository
    /// bring about. Whatever is not here, also what a provider adds later, cannot be listed.
    pub fn allowed_events(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[
                "deployment",
                "push",
                "release",
                "repository_dispatch",
                "schedule",
                "workflow_dispatch",
            ],
            Self::Gitlab => &[
                "api", "pipeline", "push", "schedule", "trigger", "web", "webide",
            ],
            Self::Generic => &[],
        }
    }

    /// Returns the value of `runner_environment` when the provider runs the machine.
    pub fn hosted(self) -> Option<&'static str> {
        match self {
            Self::Github => Some("github-hosted"),
            Self::Gitlab => Some("gitlab-hosted"),
            Self::Generic => None,
        }
    }

    /// The claim that names the owner whose runs are counted together.
    pub fn owner(self) -> &'static str {
        match self {
            Self::Github => "repository_owner_id",
            Self::Gitlab => "namespace_id",
            Self::Generic => "sub",
        }
    }

    /// The claims that are told of a run in its token: who ran what, for whoever looks into it
    /// later.
    pub fn told(self) -> &'static [&'static str] {
        match self {
            Self::Github => &[
                "repository_id",
                "run_id",
                "run_attempt",
                "sha",
                "job_workflow_ref",
            ],
            Self::Gitlab => &[
                "project_id",
                "pipeline_id",
                "job_id",
                "sha",
                "ci_config_ref_uri",
            ],
            Self::Generic => &["sub"],
        }
    }
}

impl fmt::Display for ProviderClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ProviderClass {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        Self::ALL
            .into_iter()
            .find(|class| class.as_str() == text)
            .ok_or("the kind of an issuer is `github`, `gitlab` or `generic`")
    }
}
