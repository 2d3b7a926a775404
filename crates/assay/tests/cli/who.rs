//! `assay who`.

use crate::support::Workspace;

#[test]
fn a_name_of_a_service_is_explained() {
    let run = Workspace::new().run(&["who", "Llama-3.1-70B-Instruct-Turbo"]);

    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(
        run.stdout,
        "Llama-3.1-70B-Instruct-Turbo: meta-llama/Llama-3.1-70B-Instruct (provider)\n  \
         `turbo` is an offer of a service\n  \
         what is left is a spelling of `meta-llama/Llama-3.1-70B-Instruct`\n  \
         family: Llama 3.1\n  \
         base: meta-llama/Llama-3.1-70B\n  \
         source: https://huggingface.co/meta-llama\n"
    );
}

#[test]
fn names_from_standard_input_are_answered_as_json() {
    let run = Workspace::new().run_on(
        &["who", "--format", "json"],
        "qwen2.5-7b-instruct-awq\nacme/gpt-4o\nnobody/knows\n",
    );

    assert_eq!(run.code, Some(2), "{run}");
    let names = run.json()["names"].clone();
    assert_eq!(names[0]["model"], "Qwen/Qwen2.5-7B-Instruct");
    assert_eq!(names[0]["reason"], "setup");
    assert_eq!(names[0]["setup"]["precision"], "awq");
    assert_eq!(names[1]["model"], serde_json::Value::Null);
    assert_eq!(names[1]["certainty"], "likely");
    assert_eq!(names[1]["suggestions"][0]["model"], "openai/gpt-4o");
    assert_eq!(names[2]["certainty"], "unknown");
}

#[test]
fn sizes_versions_and_instruct_are_never_crossed() {
    let names = "Llama-3.1-9B\nLlama-3.4-70B-Instruct\nLlama-3.3-70B\ngpt-3.5\nclaude-3-5-sonnet\nQwen2-57B\n";

    let run = Workspace::new().run_on(&["who", "--format", "json"], names);

    for answer in run.json()["names"].as_array().expect("a list") {
        assert_eq!(answer["model"], serde_json::Value::Null, "{answer}");
    }
}

#[test]
fn models_of_a_file_and_a_registry_are_used() {
    let workspace = Workspace::new()
        .with("ids.txt", "acme/Road-Runner-2.0\n")
        .with(
            "registry/acme.yaml",
            "organisations: [{ id: acme, spellings: [acme-corp] }]\nmodels:\n  - id: acme/anvil-7b\n  \
             - { id: other/anvil-q, base: acme/anvil-7b, relation: quantized }\n",
        );

    let run = workspace.run(&[
        "who",
        "--models",
        "ids.txt",
        "--registry",
        "registry",
        "--format",
        "json",
        "acme-corp/road_runner-2",
        "other/anvil-q",
    ]);

    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(run.json()["names"][0]["model"], "acme/Road-Runner-2.0");
    assert_eq!(run.json()["names"][1]["model"], "acme/anvil-7b");
    assert_eq!(run.json()["names"][1]["reason"], "base");
}

#[test]
fn a_registry_that_contradicts_itself_is_refused() {
    let workspace = Workspace::new().with(
        "bad.yaml",
        "models:\n  - { id: a/b, aliases: [x] }\n  - { id: c/d, aliases: [x] }\n",
    );

    let run = workspace.run(&["who", "--registry", "bad.yaml", "x"]);

    assert_eq!(run.code, Some(3), "{run}");
    assert!(
        run.stderr
            .contains("both `a/b` and `c/d` are declared as `x`"),
        "{run}"
    );
}

#[test]
fn names_that_mean_one_model_are_joined() {
    let run = Workspace::new().run_on(
        &["who", "--join"],
        "alibaba/qwen9-7b\nqwen/Qwen9-7B\nunknown/anvil-7b\nacme/qwen9-7b\nacme/anvil-7b\nrival/anvil-7b\n",
    );

    assert_eq!(
        run.stdout,
        "qwen/Qwen9-7B\n  alibaba/qwen9-7b\n  qwen/Qwen9-7B\n2 of 6 names mean 1 model\n"
    );
}
