use std::borrow::Cow;

use assay_model::{Cost, Evaluator, Finding, MetricId, ObjectId, RepoId, Setup, TaskId};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::known_items::known_items;
use super::{Account, ResultFramework, ResultMetric};

/// One row of `GET /api/datasets/{id}/leaderboard`: the keys that clients read, then those that
/// only we tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardRow {
    /// The place, from 1; equal values share one.
    pub rank: usize,
    /// Between which places it lies as far as chance is concerned. Absent when it is not known how
    /// uncertain the value is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank_interval: Option<RankInterval>,
    /// The model.
    pub model_id: RepoId,
    /// The value it is ranked by.
    pub value: f64,
    /// The file.
    pub filename: String,
    /// True if the signed evidence was checked and holds.
    pub verified: bool,
    /// The owner of the model.
    pub author: Account,
    /// The source. Null when there is none: clients before 1.22 insist on the key.
    pub source: Option<BoardSource>,
    /// The setup in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The open pull request in the model's repository that brings it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u32>,
    /// The task.
    pub task_id: TaskId,
    /// The metric it is ranked by.
    pub metric_id: MetricId,
    /// Every value of the entry.
    pub metrics: Vec<ResultMetric>,
    /// The date of the evaluation, or when the file was created.
    pub date: String,
    /// The program that ran the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub framework: Option<ResultFramework>,
    /// The account that brought it.
    pub submitter: Submitter,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// The standing of the signed evidence, with its reason.
    pub standing: BoardStanding,
    /// The badges that a page shows beside it.
    #[serde(deserialize_with = "known_items")]
    pub badges: Vec<Badge>,
    /// The group that it is ranked in, such as `subset: first 20`; absent for results over the
    /// whole benchmark. Ranks are those within the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The setup of the run. A key that is absent was not reported.
    #[serde(default, skip_serializing_if = "Setup::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = std::collections::BTreeMap<String, String>))]
    pub setup: Setup,
    /// Number of runs of this setup the value that is the mean of.
    #[serde(default = "one")]
    pub runs: usize,
    /// The setups of the model in the group.
    #[serde(default)]
    pub setups: BoardSetups,
    /// The 95 % interval round the value. Absent when it is not known how uncertain it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_interval: Option<ValueInterval>,
    /// Number of samples that were evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_size: Option<u64>,
    /// The evaluator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<std::collections::BTreeMap<String, String>>))]
    pub evaluator: Option<Evaluator>,
    /// The date of the evaluation, as the result states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<String>,
    /// Time at which the result was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Time at which the result was copied from its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<String>,
    /// The cost of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// The findings of the rules in the result: the warnings that follow from its file alone, and
    /// departures from the scale that the benchmark declares now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Number of parameters that the card of the model says it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<u64>,
    /// The facts needed to repeat the run, as its entry states them: versions, seed, sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Json>,
    /// The hardware and software of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_context: Option<Json>,
    /// Predictions, logs or traces, with hashes or addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Json>,
}

fn one() -> usize {
    1
}

/// The setups of a model, and from where to where their values go.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardSetups {
    /// The number of setups.
    pub count: usize,
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

/// The interval of the true value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValueInterval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence.
    pub confidence: f64,
    /// The method, such as `wilson` or `stated`.
    pub method: Cow<'static, str>,
}

/// Between which places a row lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RankInterval {
    /// The best place.
    pub best: usize,
    /// The worst place.
    pub worst: usize,
    /// With what probability all intervals of the board hold at once.
    pub confidence: f64,
    /// The method: `tukey-kramer` for simultaneous comparisons of all pairs.
    pub method: Cow<'static, str>,
    /// The tier, from 1: rows of the first cannot be told from the leader.
    pub tier: usize,
}

/// The source of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardSource {
    /// The address.
    pub url: String,
    /// The name for people.
    pub name: Option<String>,
    /// True if it is elsewhere than on this hub.
    pub is_external: bool,
}

/// The account that brought a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Submitter {
    /// The account, or the name that the commit gives.
    pub name: String,
}

/// The standing of the signed evidence of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardStanding {
    /// `verified`, `unverified` or `revoked`.
    pub state: String,
    /// True if it was checked and holds.
    pub verified: bool,
    /// The reason as a code for machines, such as `no_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reason in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The next step for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The signed claims, the signer and the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attested: Option<BoardAttested>,
}

/// The evidence behind a verified result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardAttested {
    /// The degree of control over the run itself: `attributed`, `hosted`, `isolated` or
    /// `reproduced`.
    pub assurance: String,
    /// The framework integration that asked for the signature.
    pub integration: String,
    /// The issuer that signed.
    pub issuer: String,
    /// The identity of the key.
    pub kid: String,
    /// The identity of the token.
    pub jti: String,
    /// Time at which it was signed.
    pub signed_at: String,
    /// The time at which it first came to this hub.
    pub first_seen: String,
    /// The leaf of the results log that says that it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_index: Option<u64>,
    /// The leaf of the results log that says that it was admitted.
    pub decide_index: u64,
}

/// A badge that a page shows beside a result. All of them are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Badge {
    /// The signed evidence was checked and holds.
    Verified,
    /// It is in an open pull request.
    Community,
    /// Its benchmark has a board.
    Leaderboard,
    /// It says where it is published.
    Source,
}

impl From<&assay_model::Standing> for BoardStanding {
    fn from(standing: &assay_model::Standing) -> Self {
        Self {
            state: standing.state().to_owned(),
            verified: standing.is_verified(),
            reason: standing.reason().map(str::to_owned),
            detail: standing.detail().map(str::to_owned),
            hint: None,
            attested: standing.attested().map(BoardAttested::from),
        }
    }
}

impl From<&assay_model::Attested> for BoardAttested {
    fn from(attested: &assay_model::Attested) -> Self {
        Self {
            assurance: attested.assurance.clone(),
            integration: attested.integration.clone(),
            issuer: attested.issuer.clone(),
            kid: attested.kid.clone(),
            jti: attested.jti.clone(),
            signed_at: attested.signed.to_string(),
            first_seen: attested.first_seen.to_string(),
            issue_index: attested.issue_index,
            decide_index: attested.decide_index,
        }
    }
}

#[cfg(test)]
mod tests {
    use assay_model::Standing;

    use super::*;
    use crate::AccountType;

    #[test]
    fn a_row_has_the_keys_that_the_client_pops_and_those_of_ours() {
        let row = BoardRow {
            rank: 1,
            rank_interval: None,
            model_id: "alice/m".parse().unwrap(),
            value: 72.25,
            filename: ".eval_results/bench.yaml".to_owned(),
            verified: false,
            author: Account {
                id: "0a".to_owned(),
                name: "alice".to_owned(),
                fullname: "Alice".to_owned(),
                account_type: AccountType::User,
                avatar_url: "/a.svg".to_owned(),
                is_pro: false,
                is_hf: false,
            },
            source: None,
            notes: None,
            pull_request: None,
            task_id: "default".parse().unwrap(),
            metric_id: "accuracy".parse().unwrap(),
            metrics: Vec::new(),
            date: "2026-02-15".to_owned(),
            framework: None,
            submitter: Submitter {
                name: "bob".to_owned(),
            },
            commit: ObjectId::from_bytes([1; 20]),
            standing: BoardStanding::from(&Standing::no_token()),
            badges: vec![Badge::Leaderboard],
            group: None,
            setup: Setup::default(),
            runs: 1,
            setups: BoardSetups {
                count: 1,
                low: 72.25,
                high: 72.25,
            },
            value_interval: None,
            sample_size: None,
            evaluator: None,
            evaluated: None,
            published: None,
            retrieved: None,
            cost: None,
            findings: Vec::new(),
            parameters: None,
            run: None,
            runtime_context: None,
            artifacts: None,
        };

        let json = serde_json::to_value(&row).unwrap();

        let keys: Vec<&str> = json
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            keys,
            [
                "rank",
                "modelId",
                "value",
                "filename",
                "verified",
                "author",
                "source",
                "taskId",
                "metricId",
                "metrics",
                "date",
                "submitter",
                "commit",
                "standing",
                "badges",
                "runs",
                "setups"
            ]
        );
        assert!(json["source"].is_null());
        assert_eq!(json["author"]["type"], "user");
        assert_eq!(json["standing"]["reason"], "no_token");
    }
}
