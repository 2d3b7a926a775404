//! What is written by hand is what the general way writes: cell by cell, by the general sort and the writer of Arrow.

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use proptest::prelude::*;

use super::{Block, Instances, Messages, Part, Piece, Sample, Score};
use crate::batch::{Batch, Cell};
use crate::order::sorted;
use crate::partition::Partition;
use crate::record::RecordFacts;
use crate::sheet::{Desk, Sheet};
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
    pieces: Vec<Words>,
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

    fn add_to(&self, line: i64, block: &mut Block) {
        let sample = Sample {
            task: self.task.as_deref(),
            hash: self.hash.as_deref().map(str::as_bytes),
            id: self.id.as_deref(),
            result_id: self.result_id.as_deref(),
            line: Some(line),
        };
        let score = Score {
            interaction: self.interaction.as_deref(),
            metadata: self.metadata.as_deref(),
            numbers: self.numbers(),
        };
        block.push(&sample, &score, || self.metric());
        for words in &self.pieces {
            block.say(&Piece {
                part: words.part,
                turn: words.turn,
                role: words.role.as_deref(),
                texts: words.texts.each_ref().map(Option::as_deref),
            });
        }
    }

    fn add_to_instances(&self, line: i64, facts: &RecordFacts, batch: &mut Batch) {
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
            Cell::Text(self.hash.as_deref()),
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

    fn add_to_messages(&self, line: i64, facts: &RecordFacts, batch: &mut Batch) {
        for (position, words) in (0..).zip(&self.pieces) {
            let [content, reasoning, calls, call_id] = words.texts.each_ref().map(Option::as_deref);
            batch.push(&[
                Cell::Text(Some(&facts.partition.benchmark)),
                Cell::Text(Some(&facts.partition.model)),
                Cell::Text(self.task.as_deref()),
                Cell::Text(self.hash.as_deref()),
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
/// many.
fn both_ways(
    rows: &[Row],
    block_rows: usize,
    group_rows: usize,
    page_rows: usize,
) -> [[Bytes; 2]; 2] {
    let facts = facts();
    let root = tempfile::tempdir().unwrap();
    let partition = Partition::clone(&facts.partition);
    let tables = [Table::Instances, Table::Messages];
    let mut sheets =
        tables.map(|table| Sheet::create(root.path(), table, partition.clone(), "own").unwrap());
    let mut general = tables.map(|table| {
        ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties(table))).unwrap()
    });
    let mut batches = tables.map(Batch::new);
    let (mut instances, mut messages) = (Instances::default(), Messages::default());
    let mut desk = Desk::with_pages_of(page_rows).unwrap();
    let mut block = Block::default();
    let mut line = 0;
    let blocks = rows.chunks(block_rows).count();
    for (number, rows) in rows.chunks(block_rows).enumerate() {
        for row in rows {
            line += 1;
            row.add_to(line, &mut block);
            row.add_to_instances(line, &facts, &mut batches[0]);
            row.add_to_messages(line, &facts, &mut batches[1]);
        }
        instances.add(&block);
        messages.add(&mut block);
        block.clear();
        let is_last = number + 1 == blocks;
        for (table, full) in [instances.rows(), messages.rows()].into_iter().enumerate() {
            if full == 0 || (full < group_rows && !is_last) {
                continue;
            }
            match tables[table] {
                Table::Instances => instances.write(&facts, &mut sheets[0], &mut desk).unwrap(),
                _ => messages.write(&facts, &mut sheets[1], &mut desk).unwrap(),
            }
            let sorted = sorted(tables[table], &[batches[table].finish()]).unwrap();
            general[table].write(&sorted).unwrap();
            general[table].flush().unwrap();
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
        part in prop::sample::select(vec![
            Part::Input, Part::Reference, Part::Choice, Part::Output, Part::Message, Part::Answer, Part::Error,
        ]),
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
        pieces in prop::collection::vec(words(), 0..5),
    ) -> Row {
        Row { task, hash, id, result_id, interaction, metadata, score, is_correct, tokens, failed, pieces }
    }
}

/// Rows of which many columns have one value.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    (
        row(),
        prop::collection::vec((row(), any::<[bool; 9]>()), 1..80),
        any::<[bool; 9]>(),
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
                    own.pieces = row.pieces;
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
    ) {
        for both in both_ways(&rows, block_rows, group_rows, page_rows) {
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
        pieces: vec![
            Words {
                part: Part::Input,
                turn: None,
                role: Some("user".to_owned()),
                texts: [text(number), None, None, None]
            };
            number % 3
        ],
    });
    let rows: Vec<Row> = rows.collect();

    for both in both_ways(&rows, 600, 1 << 18, crate::writer::PAGE_ROWS) {
        assert_same(&both);
    }
}
