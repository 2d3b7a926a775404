use std::ops::Range;

use assay_formats::json::{Stream, StreamError};
use assay_formats::{Kind, Value};

use super::super::judging::SentPrompt;
use super::super::reader::Reader;
use super::super::{Log, Refusal};
use super::files::{RunFiles, Source};
use super::jury::prompts;
use super::run_spec::Generation;

/// The facts of all requests that are needed before the first row can be written. Only times are
/// read, and the first request; everything else is passed over.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Time at which the first request was answered.
    pub(super) first: Option<i64>,
    /// The time of the last one.
    pub(super) last: Option<i64>,
    /// Number of requests that failed.
    pub(super) failed: u64,
    pub(super) generation: Generation,
    pub(super) model: Option<String>,
    pub(super) deployment: Option<String>,
    /// True if the first answer came with its thinking.
    pub(super) reasoning: bool,
    /// The prompts of judges for the first answer.
    pub(super) judge_prompts: Vec<SentPrompt>,
    /// True if each reference got a request of its own.
    pub(super) by_reference: bool,
    /// The range of each request, so that nobody has to look for its end again.
    pub(super) places: Vec<Range<u64>>,
    pub(super) digest: Vec<u8>,
}

impl Survey {
    /// Walks through `scenario_state.json`.
    pub(super) fn read(log: &Log<'_>, files: &RunFiles) -> Result<Self, Refusal> {
        let mut source = Source::hashed(log, &files.scenario_state)?;
        if log.options.samples {
            source = source.silent();
        }
        let mut survey = Self::default();
        survey
            .walk(&mut source.stream())
            .map_err(|error| Refusal::stream(&files.scenario_state, error))?;
        survey.digest = source.digest();
        Ok(survey)
    }

    fn walk(&mut self, stream: &mut Stream<&mut Source<'_>>) -> Result<(), StreamError> {
        let mut reader = Reader::new();
        stream.enter_map()?;
        while let Some(key) = stream.next_key()? {
            if key != "request_states" || !stream.is_list()? {
                stream.skip()?;
                continue;
            }
            stream.enter_list()?;
            let mut is_first = true;
            while stream.has_item()? {
                let is_map = stream.is_map()?;
                let start = stream.position();
                if is_first {
                    self.first_state(stream.value()?);
                    is_first = false;
                } else if is_map {
                    self.state(&mut reader, stream)?;
                } else {
                    stream.skip()?;
                }
                self.places.push(start..stream.position());
            }
        }
        Ok(())
    }

    /// Looks at the first state in full, because all requests of a run are made by one adapter.
    fn first_state(&mut self, bytes: &[u8]) {
        let mut reader = Reader::new();
        let Some(state) = reader.read(bytes) else {
            return;
        };
        self.by_reference = state.present("reference_index").is_some();
        self.judge_prompts = prompts(state);
        if let Some(request) = state.present("request") {
            self.generation = Generation::read(request);
            let text = |key: &str| request.text_of(key).map(Into::into);
            self.model = text("model");
            self.deployment = text("model_deployment");
        }
        let Some(result) = state.present("result") else {
            return;
        };
        self.failed += u64::from(is_failed(Some(result)));
        self.reasoning = result
            .get("completions")
            .and_then(|completions| completions.items().next())
            .and_then(thinking)
            .is_some();
        if let Some(time) = result.get("request_datetime").and_then(Value::integer) {
            self.time(time);
        }
    }

    fn state(
        &mut self,
        reader: &mut Reader,
        stream: &mut Stream<&mut Source<'_>>,
    ) -> Result<(), StreamError> {
        // Parsing a state that is laid out like the one before is quicker than looking for its end.
        let Some(state) = reader.sound(stream)? else {
            return self.large_state(stream);
        };
        let result = state.get("result");
        self.failed += u64::from(is_failed(result));
        let time = result.and_then(|result| result.get("request_datetime"));
        if let Some(time) = time.and_then(|time| time.raw().parse().ok()) {
            self.time(time);
        }
        Ok(())
    }

    /// Walks through a state that is broken, or too large to be parsed only for its time.
    fn large_state(&mut self, stream: &mut Stream<&mut Source<'_>>) -> Result<(), StreamError> {
        stream.enter_map()?;
        while let Some(key) = stream.next_key()? {
            if key == "result" && stream.is_map()? {
                self.result(stream)?;
            } else {
                stream.skip()?;
            }
        }
        Ok(())
    }

    fn result(&mut self, stream: &mut Stream<&mut Source<'_>>) -> Result<(), StreamError> {
        stream.enter_map()?;
        while let Some(key) = stream.next_key()? {
            if key == "success" {
                self.failed += u64::from(stream.value()? == b"false");
                continue;
            }
            if key != "request_datetime" {
                stream.skip()?;
                continue;
            }
            let time = std::str::from_utf8(stream.value()?)
                .ok()
                .and_then(|text| text.parse().ok());
            if let Some(time) = time {
                self.time(time);
            }
        }
        Ok(())
    }

    fn time(&mut self, time: i64) {
        self.first = Some(self.first.map_or(time, |first| first.min(time)));
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }
}

fn is_failed(result: Option<Value<'_>>) -> bool {
    let success = result.and_then(|result| result.get("success")?.truth());
    success == Some(false)
}

/// Returns the thoughts of the model before it answered.
pub(super) fn thinking(completion: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    let thinking = completion.present("thinking")?;
    match thinking.kind() {
        Kind::String => thinking.text(),
        Kind::Map => thinking.text_of("text"),
        Kind::Null | Kind::Bool | Kind::Number | Kind::List => None,
    }
}
