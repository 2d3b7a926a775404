//! The settings of generation: the model's configuration, the plan, the tools and the limits.

use assay_formats::eee::record::{
    AgenticConfig, Details, EvalLimits, GenerationArgs, GenerationConfig, Plan, Sandbox, Tool,
};
use assay_formats::{Kind, Value};

use super::message::{compact, detail};

/// The configuration of generation in a header.
pub(super) fn generation(root: Value<'_>) -> GenerationConfig {
    let source = Source {
        eval: root.present("eval"),
        plan: root.present("plan"),
    };
    GenerationConfig {
        generation_args: Some(source.arguments()),
        additional_details: details(source.model_config()),
    }
}

/// The entries of a map that are not null, as text.
fn details(map: Option<Value<'_>>) -> Details {
    map.into_iter()
        .flat_map(Value::entries)
        .filter(|(_, value)| value.kind() != Kind::Null)
        .filter_map(|(key, value)| Some((key.text()?.into_owned(), detail(value))))
        .collect()
}

#[derive(Clone, Copy)]
struct Source<'d> {
    eval: Option<Value<'d>>,
    plan: Option<Value<'d>>,
}

impl<'d> Source<'d> {
    fn model_config(self) -> Option<Value<'d>> {
        self.eval?.present("model_generate_config")
    }

    /// A setting: that of the plan, which came last, or else that of the model.
    fn setting(self, key: &str) -> Option<Value<'d>> {
        let planned = self
            .plan
            .and_then(|plan| plan.present("config")?.present(key));
        planned.or_else(|| self.model_config()?.present(key))
    }

    fn task_argument(self, key: &str) -> Option<Value<'d>> {
        self.eval?.present("task_args")?.present(key)
    }

    fn steps(self) -> impl Iterator<Item = Value<'d>> {
        self.plan
            .and_then(|plan| plan.get("steps"))
            .into_iter()
            .flat_map(Value::items)
    }

    fn arguments(self) -> GenerationArgs {
        let number = |key: &str| self.setting(key).and_then(Value::number);
        let tools = self.tools();
        GenerationArgs {
            temperature: number("temperature"),
            top_p: number("top_p"),
            top_k: number("top_k"),
            max_tokens: count(self.setting("max_tokens")).filter(|tokens| *tokens > 0),
            execution_command: None,
            reasoning: self.reasoning(),
            prompt_template: self.prompt_template(),
            agentic_eval_config: (!tools.is_empty()).then(|| AgenticConfig {
                available_tools: tools,
                additional_details: Details::new(),
            }),
            eval_plan: self.eval_plan(),
            eval_limits: self.limits(),
            sandbox: self.sandbox(),
            max_attempts: count(self.task_argument("max_attempts"))
                .or_else(|| count(self.task_argument("max_retries"))),
        }
    }

    /// Returns whether the model was asked to reason; a log that does not say leaves it open.
    fn reasoning(self) -> Option<bool> {
        if let Some(effort) = self.setting("reasoning_effort").and_then(Value::text) {
            return Some(effort != "none");
        }
        count(self.setting("reasoning_tokens")).map(|tokens| tokens > 0)
    }

    fn prompt_template(self) -> Option<String> {
        let step = self.steps().find(|step| {
            step.get("solver")
                .is_some_and(|solver| solver.is_text("prompt_template"))
        })?;
        Some(step.get("params")?.text_of("template")?.into_owned())
    }

    /// The tools of all steps that hand some out, each once. They lie in lists of one or two
    /// levels.
    fn tools(self) -> Vec<Tool> {
        let mut tools: Vec<Tool> = Vec::new();
        for step in self.steps() {
            let listed = step
                .get("params")
                .and_then(|params| params.present("tools"));
            for item in listed.into_iter().flat_map(Value::items) {
                let inner = (item.kind() == Kind::List).then(|| item.items());
                match inner {
                    Some(items) => items.for_each(|item| add_tool(&mut tools, item)),
                    None => add_tool(&mut tools, item),
                }
            }
        }
        tools
    }

    fn eval_plan(self) -> Option<Plan> {
        let plan = self.plan?;
        Some(Plan {
            name: plan.text_of("name").map(std::borrow::Cow::into_owned),
            steps: self.steps().map(step).collect(),
            config: details(plan.present("config")),
        })
    }

    fn limits(self) -> Option<EvalLimits> {
        let config = self.eval?.present("config")?;
        let limits = EvalLimits {
            time_limit: count(config.get("time_limit")),
            message_limit: count(config.get("message_limit"))
                .or_else(|| count(config.get("max_messages"))),
            token_limit: count(config.get("token_limit")),
        };
        (limits != EvalLimits::default()).then_some(limits)
    }

    /// Returns the sandbox of tools: a name, a name and a configuration, or a map of both.
    fn sandbox(self) -> Option<Sandbox> {
        let value = self
            .eval?
            .present("sandbox")
            .or_else(|| self.task_argument("sandbox"))?;
        let (kind, config) = match value.kind() {
            Kind::String => (Some(value), None),
            Kind::List => (value.items().next(), value.items().nth(1)),
            Kind::Map => (value.present("type"), value.present("config")),
            Kind::Null | Kind::Bool | Kind::Number => return None,
        };
        Some(Sandbox {
            kind: Some(detail(kind?)),
            config: config
                .filter(|config| config.kind() != Kind::Null)
                .map(detail),
        })
    }
}

fn count(value: Option<Value<'_>>) -> Option<u64> {
    u64::try_from(value?.integer()?).ok()
}

fn add_tool(tools: &mut Vec<Tool>, item: Value<'_>) {
    let text = |key: &str| item.text_of(key).map(std::borrow::Cow::into_owned);
    let name = item
        .text()
        .map(std::borrow::Cow::into_owned)
        .or_else(|| text("name"));
    if name.is_none() || tools.iter().any(|tool| tool.name == name) {
        return;
    }
    tools.push(Tool {
        name,
        description: text("description"),
        parameters: details(item.present("params")),
    });
}

/// A step as JSON: the solver and what it was given. Older logs do not tell what was given from
/// what was assumed.
fn step(step: Value<'_>) -> String {
    let solver = step
        .get("solver")
        .map_or_else(|| "null".to_owned(), compact);
    let params = step.get("params").map_or_else(|| "{}".to_owned(), compact);
    let passed = step.get("params_passed").map(compact);
    let passed = passed.as_deref().unwrap_or(&params);
    format!(r#"{{"solver":{solver},"params":{params},"params_passed":{passed}}}"#)
}
