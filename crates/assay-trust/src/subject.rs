use assay_formats::Value;
use assay_model::{MetricId, Number, RepoId, Revision, TaskId};

use crate::json::ObjectWriter;
use crate::members::Members;
use crate::{Digest, Json, Malformed};

/// The claim itself: these values, of this model, on this benchmark and task, by this framework.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The model.
    pub model_repo: RepoId,
    /// The commit of the model, in full.
    pub model_revision: Revision,
    /// The benchmark.
    pub benchmark_repo: RepoId,
    /// The commit of the benchmark, in full.
    pub benchmark_revision: Revision,
    /// The task of the benchmark.
    pub task_id: TaskId,
    /// The values, in the order listed; at least one.
    pub metrics: Vec<MetricClaim>,
    /// The program that ran the evaluation.
    pub framework: FrameworkClaim,
}

/// One value that is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricClaim {
    /// The metric.
    pub metric_id: MetricId,
    /// Its value.
    pub value: Number,
    /// The subset it applies to.
    pub slice: Option<String>,
}

/// The program that ran the evaluation, as it is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameworkClaim {
    /// Such as `inspect-ai`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The command line; absent in the claim exactly when it is absent in the entry.
    pub command: Option<String>,
}

impl Subject {
    const DOMAIN: &str = "eval-subject/v1";

    /// The digest of the claim.
    pub fn digest(&self) -> Digest {
        Digest::in_domain(Self::DOMAIN, self.to_jcs().as_bytes())
    }

    /// The claim in its canonical spelling. It is written member by member, in the order of their
    /// names, because it is written for every verdict.
    pub fn to_jcs(&self) -> String {
        let mut object = ObjectWriter::begin();
        object.text("benchmark_repo", self.benchmark_repo.as_str());
        object.text("benchmark_revision", self.benchmark_revision.as_str());
        object.object("framework", |object| {
            object.optional_text("command", self.framework.command.as_deref());
            object.text("name", &self.framework.name);
            object.text("version", &self.framework.version);
        });
        object.list("metrics", &self.metrics, |object, metric| {
            object.text("metric_id", metric.metric_id.as_str());
            object.optional_text("slice", metric.slice.as_deref());
            object.number("value", metric.value);
        });
        object.text("model_repo", self.model_repo.as_str());
        object.text("model_revision", self.model_revision.as_str());
        object.text("task_id", self.task_id.as_str());
        object.end()
    }

    /// The members of the claim, which are also those of the token.
    pub(crate) fn members(&self) -> [(&'static str, Json); 7] {
        let metrics = self.metrics.iter().map(MetricClaim::to_json).collect();
        [
            ("model_repo", Json::shown(&self.model_repo)),
            ("model_revision", Json::shown(&self.model_revision)),
            ("benchmark_repo", Json::shown(&self.benchmark_repo)),
            ("benchmark_revision", Json::shown(&self.benchmark_revision)),
            ("task_id", Json::shown(&self.task_id)),
            ("metrics", Json::List(metrics)),
            ("framework", self.framework.to_json()),
        ]
    }

    /// Takes the claim out of the members of a token.
    pub(crate) fn take(members: &mut Members<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            benchmark_repo: members.parsed("benchmark_repo")?,
            benchmark_revision: full_revision(members, "benchmark_revision")?,
            framework: FrameworkClaim::take(members.members("framework")?)?,
            metrics: read_metrics(members.list("metrics")?)?,
            model_repo: members.parsed("model_repo")?,
            model_revision: full_revision(members, "model_revision")?,
            task_id: members.parsed("task_id")?,
        })
    }
}

impl MetricClaim {
    fn to_json(&self) -> Json {
        let mut json = Json::map([
            ("metric_id", Json::shown(&self.metric_id)),
            ("value", Json::Number(self.value)),
        ]);
        json.set("slice", self.slice.clone().map(Json::Text));
        json
    }

    fn read(value: Value<'_>) -> Result<Self, Malformed> {
        let mut members = Members::of(value)?;
        let number = members.required("value")?.number().and_then(Number::new);
        let metric = Self {
            metric_id: members.parsed("metric_id")?,
            value: number.ok_or(Malformed::Wrong("value"))?,
            slice: members.optional_text("slice")?,
        };
        members.finish().map(|()| metric)
    }

    /// Returns the identity of a value: no metric may have two values for one slice.
    pub(crate) fn identity(&self) -> (&MetricId, Option<&str>) {
        (&self.metric_id, self.slice.as_deref())
    }
}

impl FrameworkClaim {
    fn to_json(&self) -> Json {
        let mut json = Json::map([
            ("name", Json::shown(&self.name)),
            ("version", Json::shown(&self.version)),
        ]);
        json.set("command", self.command.clone().map(Json::Text));
        json
    }

    fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let framework = Self {
            name: members.text("name")?,
            version: members.text("version")?,
            command: members.optional_text("command")?,
        };
        members.finish().map(|()| framework)
    }
}

fn full_revision(members: &mut Members<'_>, key: &'static str) -> Result<Revision, Malformed> {
    let revision: Revision = members.parsed(key)?;
    if revision.is_full() {
        Ok(revision)
    } else {
        Err(Malformed::Wrong(key))
    }
}

fn read_metrics<'d>(items: impl Iterator<Item = Value<'d>>) -> Result<Vec<MetricClaim>, Malformed> {
    let metrics: Vec<MetricClaim> = items.map(MetricClaim::read).collect::<Result<_, _>>()?;
    if metrics.is_empty() || repeated_metric(&metrics).is_some() {
        return Err(Malformed::Wrong("metrics"));
    }
    Ok(metrics)
}

/// The first metric that has a value for its slice already.
pub(crate) fn repeated_metric(metrics: &[MetricClaim]) -> Option<&MetricClaim> {
    let mut seen = std::collections::HashSet::with_capacity(metrics.len());
    metrics
        .iter()
        .find(|metric| !seen.insert(metric.identity()))
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    fn any_subject() -> impl Strategy<Value = Subject> {
        let metric = ("[!-~]{1,9}", any::<i32>(), option::of(any::<String>()));
        let metrics = proptest::collection::vec(metric, 1..4);
        let framework = (
            any::<String>(),
            any::<String>(),
            option::of(any::<String>()),
        );
        (metrics, framework, "[!-~]{1,9}").prop_map(|(metrics, framework, task)| Subject {
            model_repo: "acme/model".parse().unwrap(),
            model_revision: "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6".parse().unwrap(),
            benchmark_repo: "cais/hle".parse().unwrap(),
            benchmark_revision: "5503434ddd753f426f4b38109466949a1217c2bb".parse().unwrap(),
            task_id: task.parse().unwrap(),
            metrics: metrics
                .into_iter()
                .map(|(id, value, slice)| MetricClaim {
                    metric_id: id.parse().unwrap(),
                    value: Number::new(f64::from(value) / 64.0).unwrap(),
                    slice,
                })
                .collect(),
            framework: FrameworkClaim {
                name: framework.0,
                version: framework.1,
                command: framework.2,
            },
        })
    }

    proptest! {
        #[test]
        fn what_is_written_member_by_member_is_canonical(subject in any_subject()) {
            prop_assert_eq!(subject.to_jcs(), Json::map(subject.members()).to_jcs());
        }
    }
}
