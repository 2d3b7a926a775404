//! Permissions: every endpoint, every kind of caller, public and private repositories.

use std::collections::{BTreeMap, BTreeSet};

use assay_server::{Answer, TestHub};
use axum::body::Body;
use axum::http::Request;

mod needs;
mod people;
mod routes;
mod scene;
mod table;

use needs::{Effect, Endpoint, Needs};
use people::{Asker, LAB, OLGA};
use scene::{Place, Scene, Visibility};
use table::TABLE;

/// Headers that differ from answer to answer.
const VOLATILE: [&str; 4] = ["x-request-id", "date", "ratelimit", "ratelimit-policy"];

/// A repository of each kind, owner and visibility that nothing may change.
struct Standing(BTreeMap<(&'static str, &'static str, bool), Place>);

impl Standing {
    async fn new(scene: &mut Scene) -> Self {
        let mut places = BTreeMap::new();
        for kind in ["models", "datasets"] {
            for namespace in [LAB, OLGA] {
                for visibility in [Visibility::Public, Visibility::Private] {
                    let place = scene.place(kind, namespace, visibility).await;
                    let is_private = visibility == Visibility::Private;
                    places.insert((kind, namespace, is_private), place);
                }
            }
        }
        Self(places)
    }

    fn of(&self, endpoint: &Endpoint, asker: Asker, visibility: Visibility) -> &Place {
        let is_private = visibility == Visibility::Private;
        &self.0[&(endpoint.kind(), asker.namespace(), is_private)]
    }
}

#[tokio::test]
async fn every_route_has_a_row_in_the_table_of_permissions() {
    let hub = TestHub::new().await;

    let described = routes::described(&hub).await;

    let asked: BTreeSet<String> = TABLE
        .iter()
        .map(|endpoint| format!("{} {}", endpoint.method, endpoint.route))
        .collect();

    assert_eq!(asked, described);
}

#[tokio::test(flavor = "multi_thread")]
async fn everyone_is_let_in_where_the_table_says_and_nowhere_else() {
    let mut scene = Scene::new().await;
    let standing = Standing::new(&mut scene).await;
    let before = looks(&scene, &standing).await;
    let mut wrong = Vec::new();

    for endpoint in TABLE {
        for asker in Asker::ALL {
            for visibility in [Visibility::Public, Visibility::Private] {
                let expected = endpoint.expected(asker, visibility);
                let changes = endpoint.effect == Effect::Changes && expected == endpoint.good;
                let place = if changes {
                    scene
                        .place(endpoint.kind(), asker.namespace(), visibility)
                        .await
                } else {
                    standing.of(endpoint, asker, visibility).clone()
                };

                let answer = scene.ask(asker, endpoint.request(&place)).await;

                if answer.status != expected {
                    wrong.push(format!(
                        "{} {} ({:?}) by {asker:?} of {visibility:?}: {} and not {expected}: {}",
                        endpoint.method,
                        endpoint.route,
                        endpoint.needs,
                        answer.status,
                        answer.text()
                    ));
                }
            }
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Whoever was turned away has changed nothing.
    assert_eq!(looks(&scene, &standing).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_private_answers_exactly_as_what_is_missing() {
    let mut scene = Scene::new().await;
    let standing = Standing::new(&mut scene).await;
    let mut asked = 0;

    for endpoint in TABLE {
        // What makes something new names it, so the answers are about different things; problems of
        // the issuer have the id of their request in the body; and counters count.
        let makes = !endpoint.is_of_repository() && endpoint.effect == Effect::Changes;
        let names_request = matches!(endpoint.needs, Needs::Machine | Needs::MachineOrOperator);
        if makes || names_request || endpoint.route == "/metrics" {
            continue;
        }
        for asker in [Asker::Anonymous, Asker::Stranger] {
            let private = standing.of(endpoint, asker, Visibility::Private);
            let missing = private.missing();
            assert_ne!(private.name, missing.name);
            let to_private = scene.ask(asker, endpoint.request(private)).await;
            let to_missing = scene.ask(asker, endpoint.request(&missing)).await;

            let name = format!("{} {} by {asker:?}", endpoint.method, endpoint.route);
            assert_eq!(
                seen(&to_private, private),
                seen(&to_missing, &missing),
                "{name}"
            );
            asked += usize::from(endpoint.is_of_repository());
        }
    }

    assert!(asked > 80, "{asked} questions are about a repository");
}

#[tokio::test]
async fn what_is_private_is_in_no_list_of_those_who_may_not_see_it() {
    let mut scene = Scene::new().await;
    let place = scene.place("models", LAB, Visibility::Private).await;
    let lists = [
        "/api/models".to_owned(),
        "/api/models?author=lab".to_owned(),
        format!("/api/models?search={}", place.name),
        "/api/models?full=true".to_owned(),
    ];

    for asker in Asker::ALL {
        for list in &lists {
            let request = Request::get(list).body(Body::empty()).unwrap();

            let answer = scene.ask(asker, request).await;

            let is_seen = match asker {
                Asker::Anonymous | Asker::Stranger | Asker::Owner => false,
                Asker::ExpiredToken | Asker::UnknownToken => {
                    answer.expect(401);
                    continue;
                }
                Asker::Reader
                | Asker::Contributor
                | Asker::Creator
                | Asker::Writer
                | Asker::Admin
                | Asker::Operator
                | Asker::ReadToken
                | Asker::FineToken
                | Asker::FineTokenElsewhere => true,
            };
            let text = answer.expect(200).text();
            assert_eq!(
                text.contains(&place.name),
                is_seen,
                "{asker:?} {list} {text}"
            );
        }
    }
}

async fn looks(scene: &Scene, standing: &Standing) -> Vec<Vec<String>> {
    let mut looks = Vec::new();
    for place in standing.0.values() {
        looks.push(scene.looks(place).await);
    }
    looks
}

/// All that a client sees of an answer, with the name of the repository taken out.
fn seen(answer: &Answer, place: &Place) -> (u16, Vec<(String, String)>, String) {
    let nameless = |text: &str| text.replace(&place.name, "NAME");
    let headers = answer.headers.iter();
    let mut headers: Vec<(String, String)> = headers
        .filter(|(name, _)| !VOLATILE.contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), nameless(value.to_str().unwrap())))
        .collect();
    headers.sort();
    (answer.status, headers, nameless(&answer.text()))
}
