use assay_app::{NewToken, Scope};
use assay_model::{Role, Timestamp};
use assay_server::{Person, TestHub};

/// The organisation that most repositories are of.
pub(super) const LAB: &str = "lab";
/// The user who has repositories of her own.
pub(super) const OLGA: &str = "olga";

/// A caller, and the kind of its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// Nobody in particular.
    Anonymous,
    /// A user with no part in the organisation.
    Stranger,
    /// A member who may read, and who opened the pull request and wrote the comment.
    Reader,
    /// A member who may write to what they made, and made none of it.
    Contributor,
    /// The same, who made the repository.
    Creator,
    /// A member who may write.
    Writer,
    /// A member who may do everything.
    Admin,
    /// The user whose namespace it is.
    Owner,
    /// Whoever runs the hub.
    Operator,
    /// The admin, with a token that may only read.
    ReadToken,
    /// The admin, with a token for the repositories of the organisation.
    FineToken,
    /// The admin, with a token for somebody else's.
    FineTokenElsewhere,
    /// The admin, with a token that has ended.
    ExpiredToken,
    /// Somebody with a token that never was.
    UnknownToken,
}

impl Asker {
    pub(super) const ALL: [Self; 14] = [
        Self::Anonymous,
        Self::Stranger,
        Self::Reader,
        Self::Contributor,
        Self::Creator,
        Self::Writer,
        Self::Admin,
        Self::Owner,
        Self::Operator,
        Self::ReadToken,
        Self::FineToken,
        Self::FineTokenElsewhere,
        Self::ExpiredToken,
        Self::UnknownToken,
    ];

    /// Returns the namespace of the repository that they ask for.
    pub(super) fn namespace(self) -> &'static str {
        if self == Self::Owner { OLGA } else { LAB }
    }
}

/// The tokens of everyone.
pub(super) struct People {
    secrets: Vec<Option<String>>,
}

impl People {
    pub(super) async fn new(hub: &TestHub) -> Self {
        let shell = hub.hub().shell();
        let users = [
            ("sue", None),
            ("rita", Some(Role::Read)),
            ("carl", Some(Role::Contribute)),
            ("cleo", Some(Role::Contribute)),
            ("walt", Some(Role::Write)),
            ("anna", Some(Role::Admin)),
            (OLGA, None),
        ];
        let app = hub.hub();
        app.accounts()
            .create_organisation(&shell, LAB, "The lab")
            .await
            .unwrap();
        for (name, role) in users {
            app.accounts()
                .create_user(&shell, name, name, None, false)
                .await
                .unwrap();
            if role.is_some() {
                app.accounts()
                    .set_member(&shell, LAB, name, role)
                    .await
                    .unwrap();
            }
        }
        let fine = |pattern: &str| Scope::Fine(vec![pattern.parse().unwrap()]);
        let mut secrets = Vec::new();
        for asker in Asker::ALL {
            let (name, scope) = match asker {
                Asker::Anonymous => {
                    secrets.push(None);
                    continue;
                }
                Asker::Operator => {
                    secrets.push(hub.secret(Person::Operator).map(str::to_owned));
                    continue;
                }
                Asker::UnknownToken => {
                    secrets.push(Some("hf_neverwas".to_owned()));
                    continue;
                }
                Asker::Stranger => ("sue", Scope::Write),
                Asker::Reader => ("rita", Scope::Write),
                Asker::Contributor => ("carl", Scope::Write),
                Asker::Creator => ("cleo", Scope::Write),
                Asker::Writer => ("walt", Scope::Write),
                Asker::Admin | Asker::ExpiredToken => ("anna", Scope::Write),
                Asker::Owner => (OLGA, Scope::Write),
                Asker::ReadToken => ("anna", Scope::Read),
                Asker::FineToken => ("anna", fine("lab/*")),
                Asker::FineTokenElsewhere => ("anna", fine("olga/*")),
            };
            let token = NewToken {
                label: format!("{asker:?}"),
                scope,
                expires: (asker == Asker::ExpiredToken).then_some(SOON),
            };
            let (_, secret) = app
                .accounts()
                .create_token(&shell, name, token)
                .await
                .unwrap();
            secrets.push(Some(secret.reveal().to_owned()));
        }
        hub.pass(60);
        Self { secrets }
    }

    /// The token of someone.
    pub(super) fn secret(&self, asker: Asker) -> Option<&str> {
        let place = Asker::ALL.iter().position(|own| *own == asker);
        self.secrets[place.unwrap()].as_deref()
    }
}

/// A moment after the beginning of every test, and before all that is asked here.
const SOON: Timestamp = Timestamp::from_millis(1_771_065_010_000);
