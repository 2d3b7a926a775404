use super::*;

const OWN: &str = "acme/model";

fn id() -> RepoId {
    OWN.parse().unwrap()
}

fn user(operator: bool, scope: Scope) -> Caller {
    Caller::new(CallerKind::User(SignedIn {
        account: AccountId(1),
        name: "ada".to_owned(),
        email: None,
        operator,
        token: Some(1),
        session: None,
        scope,
    }))
}

fn ask(caller: &Caller, private: bool, relation: Relation, created: bool, need: Need) -> Verdict {
    let subject = Subject {
        id: &id(),
        private,
        disabled: false,
        relation,
        created,
    };
    decide(caller, &subject, need)
}

const NEEDS: [Need; 4] = [Need::Read, Need::Discuss, Need::Write, Need::Admin];

/// One letter for each need: `+` may, `-` may not, `?` has to sign in, `.` does not see it.
fn row(caller: &Caller, private: bool, relation: Relation, created: bool) -> String {
    NEEDS
        .map(|need| match ask(caller, private, relation, created, need) {
            Verdict::Allowed => '+',
            Verdict::Denied(_) => '-',
            Verdict::SignIn => '?',
            Verdict::Invisible => '.',
        })
        .iter()
        .collect()
}

/// Every relation, with and without having made the repository.
const RELATIONS: [(&str, Relation, bool); 8] = [
    ("stranger", Relation::Stranger, false),
    ("stranger who made it", Relation::Stranger, true),
    ("read", Relation::Member(Role::Read), false),
    ("contribute", Relation::Member(Role::Contribute), false),
    (
        "contribute, made it",
        Relation::Member(Role::Contribute),
        true,
    ),
    ("write", Relation::Member(Role::Write), false),
    ("admin", Relation::Member(Role::Admin), false),
    ("owner", Relation::Owner, false),
];

fn scopes() -> [(&'static str, Scope); 6] {
    let fine = |text: &str| Scope::Fine(vec![text.parse().unwrap()]);
    [
        ("read", Scope::Read),
        ("write", Scope::Write),
        ("admin", Scope::Admin),
        ("fine here", fine("Acme/Model")),
        ("fine namespace", fine("acme/*")),
        ("fine elsewhere", fine("acme/model-2")),
    ]
}

/// Returns the rights of an account with an unlimited token: read, discuss, write, admin.
fn by_account(operator: bool, private: bool, relation: &str) -> &'static str {
    match (operator, relation) {
        (true, _) | (false, "admin" | "owner") => "++++",
        (false, "write" | "contribute, made it") => "+++-",
        (false, "read" | "contribute") => "++--",
        (false, _) if private => "....",
        (false, _) => "++--",
    }
}

#[test]
fn every_role_scope_need_and_visibility_has_its_answer() {
    let mut asked = 0;
    for (scope_name, scope) in scopes() {
        for operator in [false, true] {
            for private in [false, true] {
                for (name, relation, created) in RELATIONS {
                    let caller = user(operator, scope.clone());

                    let answer = row(&caller, private, relation, created);

                    let unlimited = by_account(operator, private, name);
                    let expected = match scope_name {
                        _ if unlimited == "...." => "....".to_owned(),
                        "write" | "admin" => unlimited.to_owned(),
                        "read" | "fine elsewhere" => "+---".to_owned(),
                        _ => format!("{}-", &unlimited[..3]),
                    };
                    let case = format!("{scope_name} {operator} {private} {name}");
                    assert_eq!(answer, expected, "{case}");
                    asked += NEEDS.len();
                }
            }
        }
    }
    assert_eq!(asked, 6 * 2 * 2 * 8 * 4);
}

#[test]
fn nobody_reads_what_is_public_and_sees_nothing_else() {
    let nobody = Caller::anonymous();

    assert_eq!(row(&nobody, false, Relation::Stranger, false), "+???");
    assert_eq!(row(&nobody, true, Relation::Stranger, false), "....");
}

#[test]
fn a_closed_repository_is_closed_to_all_but_the_operator() {
    let id = id();
    let closed = |caller: &Caller, private| {
        let subject = Subject {
            id: &id,
            private,
            disabled: true,
            relation: Relation::Stranger,
            created: false,
        };
        decide(caller, &subject, Need::Read)
    };

    assert_eq!(
        closed(&Caller::anonymous(), false),
        Verdict::Denied(Denied::Disabled)
    );
    assert_eq!(closed(&Caller::anonymous(), true), Verdict::Invisible);
    assert_eq!(closed(&user(true, Scope::Read), false), Verdict::Allowed);
}

#[test]
fn repositories_are_created_by_contributors_owners_and_the_operator() {
    let create = |operator, scope: Scope, relation| {
        decide_creation(&user(operator, scope), relation, &id()) == Verdict::Allowed
    };

    assert!(create(false, Scope::Write, Relation::Owner));
    assert!(create(
        false,
        Scope::Write,
        Relation::Member(Role::Contribute)
    ));
    assert!(!create(false, Scope::Write, Relation::Member(Role::Read)));
    assert!(!create(false, Scope::Write, Relation::Stranger));
    assert!(create(true, Scope::Write, Relation::Stranger));
    assert!(!create(true, Scope::Read, Relation::Owner));
    assert!(create(
        false,
        Scope::Fine(vec!["acme/*".parse().unwrap()]),
        Relation::Owner
    ));
    assert!(!create(
        false,
        Scope::Fine(vec!["acme/other".parse().unwrap()]),
        Relation::Owner
    ));
    assert_eq!(
        decide_creation(&Caller::anonymous(), Relation::Stranger, &id()),
        Verdict::SignIn
    );
}

#[test]
fn a_pattern_is_a_repository_or_a_whole_namespace() {
    for text in ["acme/model", "acme/*"] {
        let pattern: ScopePattern = text.parse().unwrap();
        assert_eq!(pattern.to_string(), text);
    }
    for text in ["*", "acme", "acme/", "*/model", "acme/mo*", "a/b/*", ""] {
        assert!(text.parse::<ScopePattern>().is_err(), "{text}");
    }
}
