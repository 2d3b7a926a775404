use assay_app::{Caller, Error, Limits, Missing, Scope, Settings, Visibility};
use assay_model::{RepoId, RepoKind};

use crate::support::{TestHub, id_of};

async fn door(test: &TestHub, caller: &Caller, id: &RepoId) -> Result<(), Error> {
    let repo = test.hub.repo(caller, RepoKind::Model, id).await;
    repo.map(|_| ())
}

fn is_missing(result: &Result<(), Error>) -> bool {
    matches!(result, Err(Error::NotFound(Missing::Repo)))
}

#[tokio::test]
async fn a_new_repository_has_a_commit_on_main() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;

    let info = test.model(&ada, "ada/model").await;

    assert_eq!(info.id.as_str(), "ada/model");
    assert_eq!(info.stable_id.len(), 24);
    assert_eq!(test.head(&ada, "ada/model").await, info.sha.to_string());
}

#[tokio::test]
async fn a_name_is_taken_in_any_case_and_by_one_kind() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/model").await;
    let create = |kind| test.create(&ada, kind, "ADA/Model", Visibility::Public);

    let model = create(RepoKind::Model).await;
    let dataset = create(RepoKind::Dataset).await;

    assert!(matches!(model, Err(Error::Exists(_))));
    assert_eq!(dataset.unwrap().id.as_str(), "ada/Model");
}

#[tokio::test]
async fn nobody_creates_in_the_namespace_of_others() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.user("bob").await;
    let nobody = Caller::anonymous();
    let create = async |caller: &Caller, id: &str| {
        test.create(caller, RepoKind::Model, id, Visibility::Public)
            .await
    };

    assert!(matches!(create(&ada, "bob/x").await, Err(Error::Denied(_))));
    assert!(matches!(
        create(&ada, "ghost/x").await,
        Err(Error::Denied(_))
    ));
    assert!(matches!(
        create(&nobody, "ada/x").await,
        Err(Error::NotSignedIn)
    ));
}

#[tokio::test]
async fn an_account_has_only_so_many_repositories() {
    let limits = Limits {
        repositories: 1,
        ..Limits::default()
    };
    let test = TestHub::with_limits(limits).await;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/one").await;

    let second = test
        .create(&ada, RepoKind::Model, "ada/two", Visibility::Public)
        .await;

    assert!(matches!(second, Err(Error::Denied(_))));
}

#[tokio::test]
async fn a_private_repository_is_missing_for_those_who_may_not_see_it() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let bob = test.user("bob").await;
    let (_, secret) = test.hub.first_operator().await.unwrap().unzip();
    assert!(secret.is_none(), "there are accounts already");
    test.create(&ada, RepoKind::Model, "ada/secret", Visibility::Private)
        .await
        .unwrap();
    let (secret, absent) = (id_of("ada/secret"), id_of("ada/absent"));

    for caller in [&bob, &Caller::anonymous()] {
        let hidden = door(&test, caller, &secret).await;
        let missing = door(&test, caller, &absent).await;
        assert!(is_missing(&hidden) && is_missing(&missing));
        assert_eq!(
            hidden.unwrap_err().to_string(),
            missing.unwrap_err().to_string()
        );
    }
    door(&test, &ada, &secret).await.unwrap();
}

#[tokio::test]
async fn what_becomes_private_disappears_for_others() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let id = id_of("ada/model");
    test.model(&ada, "ada/model").await;
    let settings = Settings {
        visibility: Some(Visibility::Private),
        description: Some("a model".to_owned()),
    };

    let info = test
        .hub
        .repositories()
        .change_settings(&ada, RepoKind::Model, &id, settings)
        .await
        .unwrap();

    assert!(info.private);
    assert_eq!(info.description.as_deref(), Some("a model"));
    assert!(is_missing(&door(&test, &Caller::anonymous(), &id).await));
}

#[tokio::test]
async fn a_renamed_repository_is_found_under_both_names_until_the_old_one_is_taken() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let (old, new) = (id_of("ada/old"), id_of("ada/new"));
    test.model(&ada, "ada/old").await;
    test.put(&ada, "ada/old", &[("a.txt", "kept")])
        .await
        .unwrap();

    test.hub
        .repositories()
        .move_repository(&ada, RepoKind::Model, &old, &new)
        .await
        .unwrap();

    let moved = door(&test, &ada, &old).await;
    assert!(matches!(moved, Err(Error::Moved { to, .. }) if to == new));
    assert_eq!(test.read(&ada, "ada/new", "main", "a.txt").await, "kept");
    test.model(&ada, "ada/old").await;
    door(&test, &ada, &old).await.unwrap();
}

#[tokio::test]
async fn the_old_name_of_a_private_repository_tells_nothing() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let bob = test.user("bob").await;
    let (old, new) = (id_of("ada/old"), id_of("ada/new"));
    test.create(&ada, RepoKind::Model, "ada/old", Visibility::Private)
        .await
        .unwrap();
    test.hub
        .repositories()
        .move_repository(&ada, RepoKind::Model, &old, &new)
        .await
        .unwrap();

    assert!(is_missing(&door(&test, &bob, &old).await));
}

#[tokio::test]
async fn a_repository_moves_only_where_its_owner_is_welcome() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.user("bob").await;
    test.model(&ada, "ada/model").await;
    test.model(&ada, "ada/other").await;
    let rename = async |to: &str| {
        test.hub
            .repositories()
            .move_repository(&ada, RepoKind::Model, &id_of("ada/model"), &id_of(to))
            .await
    };

    assert!(matches!(rename("bob/model").await, Err(Error::Denied(_))));
    assert!(matches!(rename("ada/Other").await, Err(Error::Exists(_))));
    assert!(matches!(rename("model").await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_deleted_repository_is_gone_and_its_name_free() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    let reader = test.token("ada", Scope::Read).await;
    let id = id_of("ada/model");
    test.model(&ada, "ada/model").await;
    test.put(&ada, "ada/model", &[("a.txt", "old")])
        .await
        .unwrap();

    let by_reader = test
        .hub
        .repositories()
        .delete_repository(&reader, RepoKind::Model, &id)
        .await;
    test.hub
        .repositories()
        .delete_repository(&ada, RepoKind::Model, &id)
        .await
        .unwrap();

    assert!(matches!(by_reader, Err(Error::Denied(_))));
    assert!(is_missing(&door(&test, &ada, &id).await));
    let again = test.model(&ada, "ada/model").await;
    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &again.id)
        .await
        .unwrap();
    let files = test
        .hub
        .repositories()
        .tree(&repo, "main", None, true, false)
        .await;
    assert_eq!(files.unwrap(), []);
}

#[tokio::test]
async fn branches_and_tags_come_and_go_and_main_stays() {
    let test = TestHub::new().await;
    let ada = test.user("ada").await;
    test.model(&ada, "ada/model").await;
    let repo = test
        .hub
        .repo(&ada, RepoKind::Model, &id_of("ada/model"))
        .await
        .unwrap();
    let hub = &test.hub;

    hub.repositories()
        .create_branch(&ada, &repo, "dev/x", None)
        .await
        .unwrap();
    hub.repositories()
        .create_tag(&ada, &repo, "v1", "dev/x", None)
        .await
        .unwrap();
    let twice = hub
        .repositories()
        .create_branch(&ada, &repo, "dev/x", None)
        .await;
    let nowhere = hub
        .repositories()
        .create_branch(&ada, &repo, "y", Some("nope"))
        .await;
    let main = hub.repositories().delete_branch(&ada, &repo, "main").await;

    assert!(matches!(twice, Err(Error::Exists(_))), "{twice:?}");
    assert!(matches!(
        nowhere,
        Err(Error::NotFound(Missing::Revision(_)))
    ));
    assert!(matches!(main, Err(Error::Denied(_))));
    let names = async || {
        let refs = hub.repositories().refs(&repo).await.unwrap();
        let list = refs.branches.into_iter().chain(refs.tags);
        list.map(|own| own.full).collect::<Vec<_>>()
    };
    assert_eq!(
        names().await,
        ["refs/heads/dev/x", "refs/heads/main", "refs/tags/v1"]
    );
    hub.repositories()
        .delete_branch(&ada, &repo, "dev/x")
        .await
        .unwrap();
    hub.repositories()
        .delete_tag(&ada, &repo, "v1")
        .await
        .unwrap();
    assert_eq!(names().await, ["refs/heads/main"]);
    let gone = hub.repositories().delete_tag(&ada, &repo, "v1").await;
    assert!(matches!(gone, Err(Error::NotFound(Missing::Revision(_)))));
}
