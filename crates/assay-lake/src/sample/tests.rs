//! What is written by hand is what the general way writes: cell by cell, by the general sort and the writer of Arrow.

use std::borrow::Cow;

use assay_formats::eee::sample_hash;
use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use proptest::prelude::*;

use super::{Asked, Block, Part, Piece, Questions, Sample, Waiting};
use crate::batch::{Batch, Cell};
use crate::order::sorted;
use crate::partition::Partition;
use crate::record::RecordFacts;
use crate::sheet::{Buffers, Desk, Sheet};
use crate::table::{ColumnType, Table};
use crate::writer::properties;

#[derive(Debug, Clone)]
struct Row {
    task: Option<String>,
    hash: Option<String>,
    id: Option<String>,
    result_id: Option<String>,
    interaction: Option<String>,
    metadata: Option<String>,
    score: Option<f64>,
    is_correct: Option<bool>,
    tokens: Option<i64>,
    failed: bool,
    raw: Option<String>,
    references: Vec<String>,
    choices: Vec<String>,
    said: Vec<Words>,
}

#[derive(Debug, Clone)]
struct Words {
    part: Part,
    turn: Option<i64>,
    role: Option<String>,
    texts: [Option<String>; 4],
}

impl Row {
    fn metric(&self) -> Option<&str> {
        match self.result_id.as_deref() {
            Some("one") => Some("accuracy"),
            Some(_) => None,
            None => self.task.as_deref(),
        }
    }

    fn numbers(&self) -> [Option<u64>; 14] {
        let mut numbers = [None; 14];
        numbers[0] = self.score.map(f64::to_bits);
        numbers[1] = self.is_correct.map(u64::from);
        numbers[5] = self.tokens.map(i64::cast_unsigned);
        numbers[6] = Some(120);
        numbers[10] = self.score.map(f64::to_bits);
        numbers[13] = Some(u64::from(self.failed));
        numbers
    }

    /// The hash of the question, where one is asked.
    fn hash(&self) -> Option<Cow<'_, str>> {
        match &self.raw {
            Some(raw) if !raw.trim().is_empty() => {
                let references: Vec<Cow<'_, str>> = self.references.iter().map(Cow::from).collect();
                Some(sample_hash(raw, &references).into())
            }
            Some(_) | None => self.hash.as_deref().map(Cow::Borrowed),
        }
    }

    /// All its text, in the order of the conversation.
    fn pieces(&self) -> Vec<Words> {
        let alone = |part, role: Option<&str>, text: &String| Words {
            part,
            turn: None,
            role: role.map(str::to_owned),
            texts: [Some(text.clone()), None, None, None],
        };
        let asked = self
            .raw
            .iter()
            .map(|raw| alone(Part::Input, Some("user"), raw));
        let references = self
            .references
            .iter()
            .map(|text| alone(Part::Reference, None, text));
        let choices = self
            .choices
            .iter()
            .map(|text| alone(Part::Choice, None, text));
        asked
            .chain(references)
            .chain(choices)
            .chain(self.said.clone())
            .collect()
    }

    fn asked(&self, questions: &Questions) -> Asked {
        let mut input = serde_json::json!({"reference": self.references, "choices": self.choices});
        if let Some(raw) = &self.raw {
            input["raw"] = raw.as_str().into();
        }
        let input = input.to_string();
        let mut tape = assay_formats::Tape::new();
        assay_formats::json::parse(&input, &mut tape);
        questions.asked(tape.root(&input).unwrap(), 0)
    }

    fn add_to(&self, line: i64, questions: &Questions, block: &mut Block) {
        let hash = self.hash();
        let sample = Sample {
            task: self.task.as_deref(),
            hash: hash.as_deref().map(str::as_bytes),
            id: self.id.as_deref(),
            result_id: self.result_id.as_deref(),
            line: Some(line),
        };
        block.push(&sample, self.asked(questions), questions, || self.metric());
        for (number, bits) in self.numbers().into_iter().enumerate() {
            if let Some(bits) = bits {
                block.number(number, bits);
            }
        }
        if let Some(interaction) = &self.interaction {
            block.interaction(interaction);
        }
        if let Some(metadata) = &self.metadata {
            block.metadata(metadata);
        }
        for words in &self.said {
            block.say(&Piece {
                part: words.part,
                turn: words.turn,
                role: words.role.as_deref(),
                texts: words.texts.each_ref().map(Option::as_deref),
            });
        }
    }

    fn add_to_instances(&self, line: i64, facts: &RecordFacts, batch: &mut Batch) {
        let hash = self.hash();
        let numbers = self.numbers();
        let columns = &Table::Instances.columns()[6..];
        let numeric = columns
            .iter()
            .filter(|(_, holds, _)| *holds != ColumnType::Text);
        let mut numbers = numeric
            .zip(numbers)
            .map(|((_, holds, _), bits)| match holds {
                ColumnType::Number => Cell::Number(bits.map(f64::from_bits)),
                ColumnType::Truth => Cell::Truth(bits.map(|bits| bits != 0)),
                _ => Cell::Integer(bits.map(u64::cast_signed)),
            });
        let mut row = vec![
            Cell::Text(Some(&facts.partition.benchmark)),
            Cell::Text(Some(&facts.partition.model)),
            Cell::Text(self.task.as_deref()),
            Cell::Text(self.metric()),
            Cell::Text(hash.as_deref()),
            Cell::Text(self.id.as_deref()),
        ];
        row.extend(numbers.by_ref().take(2));
        row.push(Cell::Text(self.interaction.as_deref()));
        row.extend(numbers);
        row.extend([
            Cell::Text(self.metadata.as_deref()),
            Cell::Text(Some(&facts.id)),
            Cell::Text(self.result_id.as_deref()),
            Cell::Integer(Some(line)),
        ]);
        batch.push(&row);
    }

    /// Adds what was asked to one batch, and what was said to the other.
    fn add_to_messages(&self, line: i64, facts: &RecordFacts, [asked, said]: [&mut Batch; 2]) {
        let hash = self.hash();
        for (position, words) in (0..).zip(&self.pieces()) {
            let is_asked = matches!(words.part, Part::Input | Part::Reference | Part::Choice);
            let batch = if is_asked { &mut *asked } else { &mut *said };
            let [content, reasoning, calls, call_id] = words.texts.each_ref().map(Option::as_deref);
            batch.push(&[
                Cell::Text(Some(&facts.partition.benchmark)),
                Cell::Text(Some(&facts.partition.model)),
                Cell::Text(self.task.as_deref()),
                Cell::Text(hash.as_deref()),
                Cell::Text(self.id.as_deref()),
                Cell::Integer(Some(line)),
                Cell::Integer(Some(position)),
                Cell::Text(Some(Part::NAMES[words.part as usize])),
                Cell::Integer(words.turn),
                Cell::Text(words.role.as_deref()),
                Cell::Text(content),
                Cell::Text(reasoning),
                Cell::Text(calls),
                Cell::Text(call_id),
                Cell::Text(Some(&facts.id)),
                Cell::Text(self.result_id.as_deref()),
            ]);
        }
    }
}

fn facts() -> RecordFacts {
    let record = r#"{"model_info": {"id": "acme/model"}, "evaluation_results": []}"#;
    let mut tape = assay_formats::Tape::new();
    assay_formats::json::parse(record, &mut tape);
    RecordFacts::read(
        tape.root(record).unwrap(),
        "data/b/acme/model/x.json",
        "digest",
    )
}

/// Both tables as they are written by hand, and as the general way writes them; a stretch of rows ends with the block that has so
/// many. The file of a second model that was asked the same comes after that of the first.
fn both_ways(
    rows: &[Row],
    block_rows: usize,
    group_rows: usize,
    page_rows: usize,
    questions: &Questions,
) -> Vec<[Bytes; 2]> {
    let mut kit = Kit::new(page_rows);
    let first = kit.write(rows, block_rows, group_rows, questions);
    let second = kit.write(rows, block_rows, group_rows, questions);
    first.into_iter().chain(second).collect()
}

/// What files are written with, one after the other.
struct Kit {
    waiting: Waiting,
    desk: Desk,
    block: Block,
    buffers: Buffers,
}

impl Kit {
    fn new(page_rows: usize) -> Self {
        Self {
            waiting: Waiting::default(),
            desk: Desk::with_pages_of(page_rows).unwrap(),
            block: Block::default(),
            buffers: Buffers::default(),
        }
    }

    fn write(
        &mut self,
        rows: &[Row],
        block_rows: usize,
        group_rows: usize,
        questions: &Questions,
    ) -> [[Bytes; 2]; 2] {
        let Self {
            waiting,
            desk,
            block,
            buffers,
        } = self;
        let facts = facts();
        let root = tempfile::tempdir().unwrap();
        let partition = Partition::clone(&facts.partition);
        let tables = [Table::Instances, Table::Messages];
        let mut sheets = tables.map(|table| {
            Sheet::create(root.path(), table, partition.clone(), "own", buffers).unwrap()
        });
        let mut general = tables.map(|table| {
            ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties(table))).unwrap()
        });
        let mut scores = Batch::new(Table::Instances);
        let [mut asked, mut said] = [(); 2].map(|()| Batch::new(Table::Messages));
        let mut line = 0;
        let blocks = rows.chunks(block_rows).count();
        for (number, rows) in rows.chunks(block_rows).enumerate() {
            for row in rows {
                line += 1;
                row.add_to(line, questions, block);
                row.add_to_instances(line, &facts, &mut scores);
                row.add_to_messages(line, &facts, [&mut asked, &mut said]);
            }
            waiting.add(block);
            block.clear();
            let is_last = number + 1 == blocks;
            let is_due = |waiting: usize| waiting > 0 && (waiting >= group_rows || is_last);
            let (are_scores_due, are_texts_due) =
                (is_due(waiting.scores()), is_due(waiting.texts()));
            if are_scores_due || are_texts_due {
                waiting
                    .write_texts(&facts, questions, &mut sheets[1], desk)
                    .unwrap();
                // What is written is not kept in memory until the scores are.
                assert!(waiting.samples.others.is_empty());
                write_stretch(&mut general[1], Table::Messages, &mut asked);
                write_stretch(&mut general[1], Table::Messages, &mut said);
            }
            if are_scores_due {
                let [instances, messages] = &mut sheets;
                waiting
                    .write(&facts, questions, [instances, messages], desk)
                    .unwrap();
                write_stretch(&mut general[0], Table::Instances, &mut scores);
            }
        }
        let mut general = general.into_iter();
        sheets.map(|sheet| {
            let general = general.next().unwrap().into_inner().unwrap();
            let own = match sheet.finish().unwrap() {
                Some(file) => std::fs::read(root.path().join(file.path)).unwrap(),
                // A table without rows is no file.
                None => general.clone(),
            };
            [own.into(), general.into()]
        })
    }
}

fn write_stretch(writer: &mut ArrowWriter<Vec<u8>>, table: Table, batch: &mut Batch) {
    if batch.len() > 0 {
        writer
            .write(&sorted(table, &[batch.finish()]).unwrap())
            .unwrap();
        writer.flush().unwrap();
    }
}

fn read(file: &Bytes) -> (RecordBatch, ParquetMetaData) {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(file.clone(), options);
    let builder = builder.unwrap();
    let metadata = builder.metadata().as_ref().clone();
    let schema = builder.schema().clone();
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    (concat_batches(&schema, &batches).unwrap(), metadata)
}

fn assert_same([own, general]: &[Bytes; 2]) {
    let ((own, by_hand), (general, by_arrow)) = (read(own), read(general));
    assert_eq!(own.schema(), general.schema());
    assert_eq!(own, general);
    assert_eq!(by_hand.num_row_groups(), by_arrow.num_row_groups());
    for (own, general) in by_hand.row_groups().iter().zip(by_arrow.row_groups()) {
        assert_eq!(own.num_rows(), general.num_rows());
        for (own, general) in own.columns().iter().zip(general.columns()) {
            let name = own.column_path();
            assert_eq!(own.statistics(), general.statistics(), "{name}");
            assert_eq!(own.num_values(), general.num_values(), "{name}");
            let histograms = [own, general].map(|column| column.definition_level_histogram());
            assert_eq!(histograms[0], histograms[1], "{name}");
            assert_eq!(
                own.column_index_offset().is_some(),
                general.column_index_offset().is_some(),
                "{name}"
            );
        }
    }
}

prop_compose! {
    fn words()(
        part in prop::sample::select(vec![Part::Output, Part::Message, Part::Answer, Part::Error]),
        turn in prop::option::of(0_i64..4),
        role in prop::option::of("user|assistant|[a-z]{0,2}"),
        texts in prop::array::uniform4(prop::option::of("\\PC{0,6}|(long ){0,40}")),
    ) -> Words {
        Words { part, turn, role, texts }
    }
}

prop_compose! {
    fn row()(
        (task, hash, id, result_id) in (
            prop::option::of("a|b|(é[c-e]){0,70}"),
            prop::option::of("(same-prefix)?[ab\u{0}]{0,2}"),
            prop::option::of("\\PC{0,4}"),
            prop::option::of("one|two"),
        ),
        (interaction, metadata) in (prop::option::of("single|multi"), prop::option::of("\\{\"a\":[0-9]\\}")),
        (score, is_correct, tokens, failed) in (
            prop::option::of(prop::sample::select(vec![0.0, -0.0, 1.0, 0.5, -3.0, f64::INFINITY, f64::NEG_INFINITY])),
            prop::option::of(any::<bool>()),
            prop::option::of(prop_oneof![0_i64..3, any::<i64>()]),
            any::<bool>(),
        ),
        (raw, references, choices) in (
            prop::option::of("(same )?\\PC{0,3}| |\n\"[ab]"),
            prop::collection::vec("\\PC{0,2}|\\\\", 0..3),
            prop::collection::vec("[a-c]", 0..4),
        ),
        said in prop::collection::vec(words(), 0..5),
    ) -> Row {
        Row {
            task, hash, id, result_id, interaction, metadata, score, is_correct, tokens, failed, raw, references, choices, said,
        }
    }
}

/// Rows of which many columns have one value.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    (
        row(),
        prop::collection::vec((row(), any::<[bool; 10]>()), 1..80),
        any::<[bool; 10]>(),
    )
        .prop_map(|(first, rows, varied)| {
            let rows = rows.into_iter().map(|(row, _)| {
                let mut own = first.clone();
                if varied[0] {
                    own.task = row.task;
                }
                if varied[1] {
                    own.hash = row.hash;
                }
                if varied[2] {
                    own.id = row.id;
                }
                if varied[3] {
                    own.result_id = row.result_id;
                }
                if varied[4] {
                    own.metadata = row.metadata;
                }
                if varied[5] {
                    own.score = row.score;
                }
                if varied[6] {
                    own.is_correct = row.is_correct;
                    own.failed = row.failed;
                }
                if varied[7] {
                    own.tokens = row.tokens;
                    own.interaction = row.interaction;
                }
                if varied[8] {
                    own.said = row.said;
                }
                if varied[9] {
                    own.raw = row.raw;
                    own.references = row.references;
                    own.choices = row.choices;
                }
                own
            });
            rows.collect()
        })
}

proptest! {
    #[test]
    fn what_is_written_by_hand_is_what_the_general_way_writes(
        rows in rows(), block_rows in 1_usize..20, group_rows in 1_usize..100, page_rows in 1_usize..50,
        kept in prop_oneof![2 => Just(80_usize), 1 => 0_usize..20],
    ) {
        let questions = Questions::with_room_for(kept);
        for both in both_ways(&rows, block_rows, group_rows, page_rows, &questions) {
            assert_same(&both);
        }
    }
}

#[test]
fn more_rows_than_a_page_and_texts_longer_than_one_come_back() {
    let text = |number: usize| match number {
        7 => Some("x".repeat(3 << 20)),
        number if number % 5 == 0 => None,
        number => Some(format!("text {number} ").repeat(number % 40)),
    };
    let rows = (0..20_000_usize).map(|number| Row {
        task: Some("task".to_owned()),
        hash: (number % 11 != 0).then(|| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a))),
        id: Some((number / 2).to_string()),
        result_id: (number % 3 == 0).then(|| "one".to_owned()),
        interaction: None,
        metadata: Some(format!("{{\"number\":\"{}\"}}", "y".repeat(number % 120))),
        score: Some(f64::from(u32::try_from(number % 7).unwrap())),
        is_correct: Some(number % 2 == 0),
        tokens: i64::try_from(number).ok(),
        failed: false,
        raw: text(number).filter(|_| number % 4 > 0),
        references: vec!["right".to_owned(); number % 2],
        choices: Vec::new(),
        said: vec![
            Words {
                part: Part::Message,
                turn: None,
                role: Some("user".to_owned()),
                texts: [text(number), None, None, None]
            };
            number % 3
        ],
    });
    let rows: Vec<Row> = rows.collect();

    let questions = Questions::new();
    for both in both_ways(&rows, 600, 1 << 18, crate::writer::PAGE_ROWS, &questions) {
        assert_same(&both);
    }
}

#[test]
fn a_question_that_is_spelled_otherwise_is_another_one() {
    let questions = Questions::new();
    let asked = |input: &str, expected: u32| {
        let mut tape = assay_formats::Tape::new();
        assay_formats::json::parse(input, &mut tape);
        questions.asked(tape.root(input).unwrap(), expected)
    };
    let first = asked(r#"{"raw": "caf\u00e9", "reference": "a"}"#, 0);
    let other = asked(r#"{"raw": "café", "reference": "a"}"#, 1);
    let again = asked(r#"{"raw": "caf\u00e9", "reference": "a"}"#, 7);

    let place = |asked: &Asked| match asked {
        Asked::Kept(place) => Some(*place),
        Asked::Nothing | Asked::Own(_) => None,
    };
    assert_eq!(
        [&first, &other, &again].map(place),
        [Some(0), Some(1), Some(0)]
    );
    let [first, other] = [&first, &other].map(|asked| asked.get(&questions).unwrap());
    assert_eq!(first.hash, other.hash);
    assert_eq!(
        first.pieces().collect::<Vec<_>>(),
        [(Part::Input, "café"), (Part::Reference, "a")]
    );
    assert!(first.pieces().eq(other.pieces()));
}

#[test]
fn a_question_too_large_to_keep_is_read_all_the_same() {
    let questions = Questions::new();
    let input = format!(r#"{{"raw": "{}"}}"#, "x".repeat(129 << 20));
    let mut tape = assay_formats::Tape::new();
    assay_formats::json::parse(&input, &mut tape);

    let asked = questions.asked(tape.root(&input).unwrap(), 0);

    assert!(matches!(asked, Asked::Own(_)));
    let question = asked.get(&questions).unwrap();
    assert_eq!(question.pieces().next().unwrap().1.len(), 129 << 20);
    assert!(question.hash.is_some());
}
