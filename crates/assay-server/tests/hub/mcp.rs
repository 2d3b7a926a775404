//! The Model Context Protocol: what a client is offered, what tools answer, and that access and
//! limits are those of the API.

use assay_server::{Answer, Person, TestHub};
use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::web_support::{RESULTS, score, world};

/// Sends a message and returns the whole answer.
async fn send(hub: &TestHub, person: Person, message: &Value) -> Answer {
    let request = Request::post("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Body::from(message.to_string()))
        .unwrap();
    hub.send(person, request).await
}

/// Asks for a method and returns its result.
async fn ask(hub: &TestHub, person: Person, method: &str, params: Value) -> Value {
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut answer = send(hub, person, &message).await.expect(200).json();
    answer["result"].take()
}

/// Calls a tool: whether it failed, and its text.
async fn call(hub: &TestHub, person: Person, tool: &str, arguments: Value) -> (bool, String) {
    let params = json!({ "name": tool, "arguments": arguments });
    let result = ask(hub, person, "tools/call", params).await;
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    (result["isError"] == true, text.to_owned())
}

/// Calls a tool that answers with JSON.
async fn read(hub: &TestHub, person: Person, tool: &str, arguments: Value) -> Value {
    let (failed, text) = call(hub, person, tool, arguments).await;
    assert!(!failed, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_client_is_told_of_tools_that_only_read() {
    let hub = world().await;
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });

    let server = ask(&hub, Person::Nobody, "initialize", hello).await;
    let offered = ask(&hub, Person::Nobody, "tools/list", json!({})).await;

    assert_eq!(server["serverInfo"]["name"], "assay");
    assert!(
        server["instructions"]
            .as_str()
            .unwrap()
            .contains("verified")
    );
    let tools = offered["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    // Without a lake there is no SQL.
    assert_eq!(names, ["search", "board", "compare", "evidence", "changes"]);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(tool["inputSchema"]["properties"].is_object(), "{tool}");
    }
}

#[tokio::test]
async fn tools_find_rank_compare_and_show_what_is_behind() {
    let hub = world().await;
    let nobody = Person::Nobody;

    let found = read(&hub, nobody, "search", json!({ "query": "sum" })).await;
    let board = read(
        &hub,
        nobody,
        "board",
        json!({ "benchmark": "alice/sums", "task": "words", "limit": 2 }),
    )
    .await;
    let compared = read(
        &hub,
        nobody,
        "compare",
        json!({ "models": ["bob/large", "alice/small", "no/body"] }),
    )
    .await;
    let evidence = read(
        &hub,
        nobody,
        "evidence",
        json!({ "model": "bob/large", "benchmark": "Alice/Sums" }),
    )
    .await;
    let changed = read(&hub, nobody, "changes", json!({ "from": "2020-01-01" })).await;

    assert_eq!(found["benchmarks"][0]["id"], "alice/sums");
    assert_eq!(found["benchmarks"][0]["tasks"], json!(["words", "digits"]));
    assert_eq!(
        (&board["task"], &board["totalRows"]),
        (&json!("words"), &json!(3))
    );
    assert_eq!(board["rows"].as_array().unwrap().len(), 2);
    assert_eq!(board["rows"][0]["modelId"], "bob/large");
    assert_eq!(board["rows"][0]["standing"]["state"], "unverified");
    assert_eq!(compared["missing"], json!(["no/body"]));
    assert!(
        compared["boards"][0]["rows"][1]["difference"]["value"]
            .as_f64()
            .unwrap()
            < 0.0
    );
    assert_eq!(evidence["results"].as_array().unwrap().len(), 1);
    assert_eq!(
        evidence["results"][0]["data"]["dataset"]["task_id"],
        "words"
    );
    assert_eq!(changed["boards"][0]["counts"]["came"], 3);
}

#[tokio::test]
async fn a_token_sees_through_the_tools_what_it_sees_elsewhere() {
    let hub = world().await;
    hub.create(Person::Alice, "models/alice/hidden").await;
    let settings = json!({ "private": true });
    hub.put(Person::Alice, "/api/models/alice/hidden/settings", settings)
        .await
        .expect(200);
    hub.commit(
        Person::Alice,
        "models/alice/hidden",
        &[(RESULTS, &score("0.99"))],
    )
    .await
    .expect(200);
    let board = json!({ "benchmark": "alice/sums", "task": "words" });

    let own = read(&hub, Person::Alice, "board", board.clone()).await;
    for person in [Person::Nobody, Person::Bob] {
        let others = read(&hub, person, "board", board.clone()).await;
        let (failed, evidence) =
            call(&hub, person, "evidence", json!({ "model": "alice/hidden" })).await;
        let (_, missing) = call(
            &hub,
            person,
            "evidence",
            json!({ "model": "alice/nothing" }),
        )
        .await;

        assert_eq!(others["totalRows"], 3);
        assert!(failed);
        // What may not be seen and what does not exist are told alike.
        assert_eq!(evidence, missing);
    }
    assert_eq!(own["rows"][0]["modelId"], "alice/hidden");
}

#[tokio::test]
async fn what_makes_no_sense_is_told_to_the_model_in_words() {
    let hub = world().await;
    for (tool, arguments, said) in [
        ("board", json!({}), "missing field `benchmark`"),
        (
            "board",
            json!({ "benchmark": "sums" }),
            "write it as owner/name",
        ),
        (
            "board",
            json!({ "benchmark": "alice/sums", "tsk": "words" }),
            "unknown field `tsk`",
        ),
        (
            "board",
            json!({ "benchmark": "alice/sums", "task": "verbs" }),
            "its tasks are `words`, `digits`",
        ),
        (
            "compare",
            json!({ "models": ["bob/large"] }),
            "two models or more",
        ),
        (
            "changes",
            json!({ "from": "lately" }),
            "write a date as 2026-03-01",
        ),
        ("search", json!({ "query": "  " }), "has no words"),
    ] {
        let (failed, text) = call(&hub, Person::Nobody, tool, arguments).await;

        assert!(failed && text.contains(said), "{tool}: {text}");
    }
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "sql", "arguments": { "query": "SELECT 1" } } });
    let none = send(&hub, Person::Nobody, &message).await.json();
    assert!(
        none["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no tool `sql`"),
        "{none}"
    );
}

#[tokio::test]
async fn the_endpoint_has_the_limits_of_the_api() {
    let hub = TestHub::with(|config| config.rates.per_address = 2).await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });

    let first = send(&hub, Person::Nobody, &list).await;
    let second = send(&hub, Person::Nobody, &list).await;
    let third = send(&hub, Person::Nobody, &list).await;

    assert_eq!((first.status, second.status, third.status), (200, 200, 429));
    assert_eq!(first.header("ratelimit"), Some("\"api\";r=1;t=300"));
}

#[tokio::test]
async fn a_wrong_token_another_method_and_a_long_message_are_refused() {
    let hub = TestHub::new().await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let wrong = Request::post("/mcp")
        .header("authorization", "Bearer hf_wrong")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Body::from(list.to_string()))
        .unwrap();
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "cursor": "x".repeat(200_000) } });

    let wrong = hub.send(Person::Nobody, wrong).await;
    let stream = hub
        .ask(Person::Nobody, Method::GET, "/mcp", Body::empty())
        .await;
    let long = send(&hub, Person::Nobody, &long).await;

    assert_eq!(wrong.status, 401);
    assert_eq!(stream.status, 405);
    assert_eq!(long.status, 413);
}
