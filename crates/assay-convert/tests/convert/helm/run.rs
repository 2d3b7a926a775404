//! Runs made up for one question each: what real runs have, but not those that can be made offline.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::store::Tree;

/// A run of questions with one answer each.
pub(crate) struct Run {
    pub(crate) spec: Value,
    pub(crate) stats: Vec<Value>,
    pub(crate) per_instance: Vec<Value>,
    pub(crate) states: Vec<Value>,
}

impl Run {
    /// A run with so many instances; the first half is right.
    pub(crate) fn of(instances: usize) -> Self {
        let spec = json!({
            "name": "toy:model=acme_x",
            "scenario_spec": {"class_name": "toy.Toy", "args": {}},
            "adapter_spec": {
                "method": "generation", "model": "acme/x", "model_deployment": "together/x", "temperature": 0.5,
                "max_tokens": 7, "num_train_trials": 1
            },
            "metric_specs": []
        });
        let mut run = Self {
            spec,
            stats: vec![stat("exact_match", 0.5), stat("num_prompt_tokens", 3.0)],
            per_instance: Vec::new(),
            states: Vec::new(),
        };
        for position in 0..instances {
            let id = format!("id{position}");
            let score = if position < instances / 2 { 1.0 } else { 0.0 };
            run.per_instance
                .push(scores(&id, &[("exact_match", score)]));
            run.states.push(state(&id, position));
        }
        run
    }

    pub(crate) fn tree(&self) -> Tree {
        let scenario_state =
            json!({"adapter_spec": self.spec["adapter_spec"], "request_states": self.states});
        let files = [
            ("run_spec.json", &self.spec),
            (
                "scenario.json",
                &json!({"name": "toy", "description": "", "tags": []}),
            ),
            ("scenario_state.json", &scenario_state),
            ("stats.json", &json!(self.stats)),
            ("per_instance_stats.json", &json!(self.per_instance)),
        ];
        let files = files.map(|(name, value)| {
            let text = serde_json::to_vec_pretty(value).unwrap();
            (format!("run/{name}"), text)
        });
        Tree(BTreeMap::from(files))
    }
}

pub(crate) fn stat(name: &str, mean: f64) -> Value {
    json!({"name": {"name": name, "split": "test"}, "count": 1, "sum": mean, "mean": mean, "stddev": 0.0})
}

pub(crate) fn scores(id: &str, scores: &[(&str, f64)]) -> Value {
    let stats: Vec<Value> = scores
        .iter()
        .map(|(name, mean)| stat(name, *mean))
        .collect();
    json!({"instance_id": id, "train_trial_index": 0, "stats": stats})
}

fn state(id: &str, position: usize) -> Value {
    json!({
        "instance": {
            "input": {"text": format!("question {position}")},
            "references": [{"output": {"text": "yes"}, "tags": ["correct"]}],
            "split": "test",
            "id": id,
            "perturbation": null
        },
        "train_trial_index": 0,
        "request": {"model": "acme/x", "prompt": format!("Q: question {position}\nA:"), "max_tokens": 7},
        "result": {
            "success": true,
            "completions": [{"text": " yes", "logprob": 0, "tokens": []}],
            "request_time": 0.5,
            "request_datetime": 1_767_225_600 + position
        }
    })
}
