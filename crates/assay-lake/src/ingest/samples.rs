//! The samples of records, from rows to columns, while they are judged.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_check::{Follow, ReadSamples};
use assay_formats::Value;
use assay_formats::rows::Algorithm;

use super::plan::{Planned, Stamp};
use crate::discover::digest_of;
use crate::error::{Error, Result};
use crate::lake::Writing;
use crate::manifest::DataFile;
use crate::names::Names;
use crate::partition::Partition;
use crate::record::RecordFacts;
use crate::row::Reader;
use crate::sample::{Block, Questions, Waiting};
use crate::sheet::{Buffers, Desk, Sheet};
use crate::table::Table;
use crate::writer::{MAX_GROUP_BYTES, MAX_GROUP_ROWS};

/// How many blocks are kept for the next rows.
const SPARE_BLOCKS: usize = 16;
/// Of how many benchmarks the questions are kept for the next model. Files come in the order of their paths, which mostly name the
/// benchmark first.
const KNOWN_BENCHMARKS: usize = 16;
/// How much memory the questions may take together before those of the benchmark that was met first are forgotten.
const KNOWN_BYTES: usize = 256 << 20;
/// After how many lines texts are written. Files of two models that are asked the same are thereby cut at the same questions, unless
/// so many have more text than may wait.
const LINES_TOGETHER: u64 = 1 << 14;

/// The samples of a record as files that no manifest names yet.
#[derive(Debug)]
pub(super) struct Staged {
    /// The SHA-256 of the samples.
    pub(super) digest: String,
    /// How many rows they have.
    pub(super) rows: u64,
    /// Where they belong, as the record said when it was judged.
    pub(super) partition: Partition,
    /// The files.
    pub(super) files: Vec<DataFile>,
}

/// Writes the samples of one step while they are judged.
pub(super) struct Stage<'s> {
    writing: &'s Writing,
    names: &'s Names,
    /// The records of the step, by the path of their samples.
    planned: BTreeMap<&'s str, &'s Planned>,
    /// Who hears of files that are complete.
    finished: Sender<PathBuf>,
    staged: Mutex<BTreeMap<String, Result<Option<Staged>>>>,
    kept: &'s Kept,
}

/// What serves one step after the other.
#[derive(Default)]
pub(super) struct Kept {
    /// Memory that was used for other samples. What is new has to be got from the system first, page by page.
    kits: Mutex<Vec<Kit>>,
    blocks: Mutex<Vec<Gathered>>,
    buffers: Buffers,
    /// What the benchmarks ask that were met last.
    questions: Mutex<VecDeque<(String, Arc<Questions>)>>,
}

/// The samples of one record on their way.
pub(super) struct Way {
    facts: RecordFacts,
    questions: Arc<Questions>,
    /// Blocks are added one at a time, so nobody waits for this.
    pair: Mutex<Result<Pair>>,
}

/// Rows that are being gathered, and who reads them.
#[derive(Default)]
pub(super) struct Gathered {
    /// The rows before each line at which texts are cut, and those after the last.
    before: Vec<Block>,
    block: Block,
    reader: Reader,
}

/// The two files of a partition that is being written.
struct Pair {
    instances: Sheet,
    messages: Sheet,
    kit: Kit,
}

/// What waits to be written, and what it is written with.
struct Kit {
    waiting: Waiting,
    desk: Desk,
}

impl<'s> Stage<'s> {
    /// Nothing has been read.
    pub(super) fn new(
        writing: &'s Writing,
        names: &'s Names,
        step: &'s [Planned],
        finished: Sender<PathBuf>,
        kept: &'s Kept,
    ) -> Self {
        let with_samples = step
            .iter()
            .filter_map(|planned| Some((planned.samples.as_deref()?, planned)));
        Self {
            writing,
            names,
            planned: with_samples.collect(),
            finished,
            staged: Mutex::default(),
            kept,
        }
    }

    /// What came of the samples, by their path; nothing of those that were changed meanwhile.
    pub(super) fn finish(self) -> BTreeMap<String, Result<Option<Staged>>> {
        self.staged
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn create(&self, partition: &Partition) -> Result<Pair> {
        let create = |table| {
            let directory = self.writing.directory();
            let name = self.names.next();
            Sheet::create(
                directory,
                table,
                partition.clone(),
                &name,
                &self.kept.buffers,
            )
        };
        let (instances, messages) = (create(Table::Instances)?, create(Table::Messages)?);
        let kit = match held(&self.kept.kits).pop() {
            Some(kit) => kit,
            None => Kit {
                waiting: Waiting::default(),
                desk: Desk::new().map_err(Error::io("write to", self.writing.directory()))?,
            },
        };
        Ok(Pair {
            instances,
            messages,
            kit,
        })
    }

    fn close(&self, path: &str, way: Way, read: &ReadSamples) -> Result<Option<Staged>> {
        let mut pair = way
            .pair
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)?;
        let digest = match read.algorithm {
            Algorithm::Sha256 => read.digest.clone(),
            Algorithm::Md5 => {
                let (digest, _) = digest_of(Path::new(path)).map_err(Error::io("read", path))?;
                digest
            }
        };
        // Whoever writes to samples while they are read may leave halves of two versions, or a record that tells of another.
        let planned = self.planned.get(path);
        if planned.is_none_or(|planned| Stamp::of(path) != planned.stamp) {
            return Ok(None);
        }
        pair.flush(&way.facts, &way.questions, 0, 0)?;
        held(&self.kept.kits).push(pair.kit);
        let mut files = Vec::new();
        files.extend(pair.instances.finish()?);
        files.extend(pair.messages.finish()?);
        for file in &files {
            // Nobody needs to hear of it.
            let path = self.writing.directory().join(&file.path);
            self.finished.send(path).ok();
        }
        Ok(Some(Staged {
            digest,
            rows: read.rows,
            partition: way.facts.partition,
            files,
        }))
    }
}

impl Kept {
    /// What a benchmark asks, as far as it is known.
    fn questions_of(&self, benchmark: &str) -> Arc<Questions> {
        let mut all = held(&self.questions);
        if let Some((_, questions)) = all.iter().find(|(own, _)| own == benchmark) {
            return Arc::clone(questions);
        }
        let bytes = |all: &VecDeque<(String, Arc<Questions>)>| -> usize {
            all.iter().map(|(_, questions)| questions.bytes()).sum()
        };
        while all.len() >= KNOWN_BENCHMARKS || bytes(&all) > KNOWN_BYTES {
            all.pop_front();
        }
        let questions = Arc::new(Questions::new());
        all.push_back((benchmark.to_owned(), Arc::clone(&questions)));
        questions
    }
}

impl Follow for Stage<'_> {
    type Samples = Way;
    type Block = Gathered;

    fn begin(&self, path: &str, record: Value<'_>) -> Option<Way> {
        let planned = self.planned.get(path)?;
        let facts = RecordFacts::read(record, &planned.path, &planned.digest);
        Some(Way {
            pair: Mutex::new(self.create(&facts.partition)),
            questions: self.kept.questions_of(&facts.partition.benchmark),
            facts,
        })
    }

    fn block(&self, _way: &Way) -> Gathered {
        held(&self.kept.blocks).pop().unwrap_or_default()
    }

    fn row(&self, way: &Way, gathered: &mut Gathered, row: Value<'_>, line: u64) {
        let Gathered {
            before,
            block,
            reader,
        } = gathered;
        reader.push(block, &way.facts, &way.questions, row, line);
        if line.is_multiple_of(LINES_TOGETHER) {
            before.push(std::mem::take(block));
        }
    }

    fn add(&self, way: &Way, mut gathered: Gathered) {
        let mut pair = held(&way.pair);
        if let Ok(writers) = &mut *pair
            && let Err(error) = writers.add(&way.facts, &way.questions, &mut gathered)
        {
            *pair = Err(error);
        }
        drop(pair);
        gathered.before.clear();
        gathered.block.clear();
        let mut blocks = held(&self.kept.blocks);
        if blocks.len() < SPARE_BLOCKS {
            blocks.push(gathered);
        }
    }

    fn end(&self, path: &str, way: Way, read: &ReadSamples) {
        let staged = self.close(path, way, read);
        held(&self.staged).insert(path.to_owned(), staged);
    }
}

impl Pair {
    fn add(
        &mut self,
        facts: &RecordFacts,
        questions: &Questions,
        gathered: &mut Gathered,
    ) -> Result<()> {
        for block in &mut gathered.before {
            self.kit.waiting.add(block);
            self.flush(facts, questions, MAX_GROUP_ROWS, MAX_GROUP_BYTES)?;
            let Kit { waiting, desk } = &mut self.kit;
            waiting.write_texts(facts, questions, &mut self.messages, desk)?;
        }
        self.kit.waiting.add(&mut gathered.block);
        self.flush(facts, questions, MAX_GROUP_ROWS, MAX_GROUP_BYTES)
    }

    /// Writes what waits, where it has as many rows or bytes as this.
    fn flush(
        &mut self,
        facts: &RecordFacts,
        questions: &Questions,
        rows: usize,
        bytes: usize,
    ) -> Result<()> {
        let Kit { waiting, desk } = &mut self.kit;
        if waiting.scores() >= rows || waiting.scores_bytes() >= bytes {
            let sheets = [&mut self.instances, &mut self.messages];
            return waiting.write(facts, questions, sheets, desk);
        }
        if waiting.texts() >= rows || waiting.texts_bytes() >= bytes {
            waiting.write_texts(facts, questions, &mut self.messages, desk)?;
        }
        Ok(())
    }
}

/// What several threads share. A thread that broke off while it held this has told so, and left nothing half done that counts.
fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
