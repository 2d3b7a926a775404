mod alias;
mod keys;
mod tabs;

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Input, Parser, ScalarStyle, ScanError, Span};

use self::alias::Anchored;
use self::keys::Keys;
use self::tabs::Tabs;
use super::ascii::Ascii;
use super::locate::{Bounds, Locator, Opening, Role};
use super::place::{Prolog, character_at, skip_space, without_added_break};
use super::scalar::resolve;
use super::words::in_plain_words;
use crate::syntax::{SyntaxFault, SyntaxFaultKind, YamlConstruct, limits};
use crate::tape::{Form, Kind, Node, Tape};

/// Maximum length of a directive. The parser copies what a `%TAG` stands for at every tag that uses
/// it.
const MAX_DIRECTIVE_BYTES: usize = 1024;

/// Reads one document into `tape` and returns its faults; when one is fatal the tape is left empty.
///
/// ```
/// # use assay_formats::{Kind, Tape, yaml};
/// let source = "task_id: gpqa_diamond\nvalue: 20.90\n";
/// let mut tape = Tape::new();
///
/// let faults = yaml::parse(source, &mut tape);
///
/// assert!(faults.is_empty());
/// let value = tape.root(source).and_then(|root| root.get("value")).expect("the key is there");
/// assert_eq!(value.kind(), Kind::Number);
/// assert_eq!(value.range(), 29..34);
/// ```
pub fn parse(source: &str, tape: &mut Tape) -> Vec<SyntaxFault> {
    tape.clear();
    #[cfg(feature = "testing")]
    crate::watch::note(crate::watch::Event::Parsed, source);
    let limit = limits::MAX_YAML_BYTES;
    if source.len() > limit {
        let message = format!("the document is larger than {limit} bytes");
        return vec![SyntaxFault {
            kind: SyntaxFaultKind::Yaml(message),
            range: character_at(source, source.floor_char_boundary(limit)),
        }];
    }
    let prolog = Prolog::read(source);
    let mut run = Run {
        source,
        locator: Locator::new(source, &prolog),
        tape,
        faults: Vec::new(),
        stack: Vec::new(),
        complex_key: None,
        anchors: HashMap::new(),
        tabs: Tabs::of(source),
    };
    let end = run.text(&prolog).and_then(|()| run.document());
    if end.is_ok() {
        run.tabs_between_tokens();
    }
    let mut faults = run.faults;
    faults.sort_by_key(|fault| fault.range.start);
    if let Err(Stop(fault)) = end {
        tape.clear();
        faults.push(fault);
    }
    tape.faults.clone_from(&faults);
    faults
}

/// The document cannot be read any further.
struct Stop(SyntaxFault);

struct Run<'a> {
    source: &'a str,
    locator: Locator<'a>,
    tape: &'a mut Tape,
    faults: Vec<SyntaxFault>,
    stack: Vec<Frame>,
    /// The depth of the stack at the beginning of a key that is a list or a map. The content of
    /// such a key is not kept.
    complex_key: Option<usize>,
    anchors: HashMap<usize, Anchored>,
    tabs: Tabs,
}

/// A list or map that is not yet closed.
struct Frame {
    /// Its node; inside a key the node of the key.
    node: u32,
    bounds: Bounds,
    /// The role of the next value.
    role: Role,
    /// The keys so far.
    keys: Keys,
    anchor: usize,
    /// The depth of lists and maps in it.
    height: usize,
}

impl<'a> Run<'a> {
    /// Judges what the parser does not tell of.
    fn text(&mut self, prolog: &Prolog) -> Result<(), Stop> {
        for directive in &prolog.directives {
            self.construct(YamlConstruct::Directive, directive.clone());
            if directive.len() > MAX_DIRECTIVE_BYTES {
                let message = format!("a directive has more than {MAX_DIRECTIVE_BYTES} bytes");
                return stop(SyntaxFaultKind::Yaml(message), directive.clone());
            }
        }
        let is_control = |byte: u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
        // Hardly any text has one, and a fold is many times faster than looking at each place.
        if self
            .source
            .bytes()
            .fold(false, |any, byte| any | is_control(byte))
        {
            for (at, byte) in self.source.bytes().enumerate() {
                if is_control(byte) {
                    self.fault(SyntaxFaultKind::ControlCharacter, at..at + 1);
                }
            }
        }
        Ok(())
    }

    fn document(&mut self) -> Result<(), Stop> {
        match Ascii::of(self.source) {
            Some(ascii) => self.events(Parser::new(ascii)),
            None => self.events(Parser::new_from_str(self.source)),
        }
    }

    fn events<T: Input>(&mut self, mut parser: Parser<'_, T>) -> Result<(), Stop> {
        let mut has_begun = false;
        while let Some(event) = parser.next_event() {
            let (event, span) = event.or_else(|error| self.refuse(&error))?;
            match event {
                Event::DocumentStart(_) if has_begun => {
                    self.second_document();
                    break;
                }
                Event::DocumentStart(is_explicit) => {
                    has_begun = true;
                    if is_explicit {
                        let at = self.locator.byte(span.start);
                        self.locator.advance(at + "---".len());
                    }
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let opening = self.opening(anchor, tag.is_some(), span);
                    self.scalar(&text, style, anchor, &opening, span)?;
                }
                Event::Alias(anchor) => self.alias(anchor, span)?,
                Event::SequenceStart(anchor, tag) => {
                    let opening = self.opening(anchor, tag.is_some(), span);
                    self.open(Kind::List, anchor, &opening, span)?;
                }
                Event::MappingStart(anchor, tag) => {
                    let opening = self.opening(anchor, tag.is_some(), span);
                    self.open(Kind::Map, anchor, &opening, span)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(span),
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => {}
            }
        }
        if self.tape.nodes.is_empty() {
            self.push(node(0..0, Kind::Null, Form::Plain))?;
        }
        Ok(())
    }

    /// Points at the `---` of a second document, or at its first character.
    fn second_document(&mut self) {
        let at = self.locator.at();
        let between = Prolog::read(self.source.get(at..).unwrap_or_default());
        let start = skip_space(self.source, at + between.end);
        let is_explicit = self
            .source
            .get(start..)
            .is_some_and(|rest| rest.starts_with("---"));
        let range = if is_explicit {
            start..start + "---".len()
        } else {
            character_at(self.source, start)
        };
        self.construct(YamlConstruct::SecondDocument, range);
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        opening: &Opening,
        span: Span,
    ) -> Result<(), Stop> {
        let role = self.role();
        let range = self
            .locator
            .scalar(text.is_empty(), style, opening, role, span);
        self.tabs.note(self.source, style, &range);
        if self.complex_key.is_some() {
            self.remember(anchor, Anchored::Lost);
            self.done();
            return Ok(());
        }
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let text = if is_block && self.locator.byte(span.end) == self.source.len() {
            without_added_break(text, self.source, &range)
        } else {
            text
        };
        let (kind, mut form) = if style == ScalarStyle::Plain {
            resolve(text)
        } else {
            (Kind::String, Form::Plain)
        };
        if (kind, form) == (Kind::String, Form::Plain) && self.shown(&range, style) != Some(text) {
            form = Form::Decoded;
        }
        if form == Form::NonFinite && role != Role::Key {
            self.fault(SyntaxFaultKind::NonFinite, range.clone());
        }
        let mut node = node(range.clone(), kind, form);
        if form == Form::Decoded {
            node.next = self.decode(text);
        }
        let decoded = None;
        self.remember(anchor, Anchored::Scalar { node, decoded });
        if role == Role::Key {
            if style == ScalarStyle::Plain && text == "<<" {
                self.construct(YamlConstruct::MergeKey, range);
            }
            self.push_key(as_key(node), text)?;
        } else {
            self.push(node)?;
        }
        self.done();
        Ok(())
    }

    fn open(
        &mut self,
        kind: Kind,
        anchor: usize,
        opening: &Opening,
        span: Span,
    ) -> Result<(), Stop> {
        let role = self.role();
        let bounds = self.locator.enter(kind, opening, role, span);
        let start = bounds.start;
        if self.stack.len() >= limits::MAX_YAML_DEPTH {
            return stop(SyntaxFaultKind::TooDeep, character_at(self.source, start));
        }
        if self.complex_key.is_none() {
            let mut node = node(start..start, kind, Form::Plain);
            if role == Role::Key {
                self.complex_key = Some(self.stack.len());
                node.kind = Kind::String;
            }
            self.push(node)?;
        }
        let anchored = match self.complex_key {
            Some(_) => Anchored::Lost,
            None => Anchored::Open,
        };
        self.remember(anchor, anchored);
        self.stack.push(Frame {
            node: offset(self.tape.nodes.len().saturating_sub(1)),
            bounds,
            role: if kind == Kind::Map {
                Role::Key
            } else {
                Role::Item
            },
            keys: Keys::default(),
            anchor,
            height: 1,
        });
        Ok(())
    }

    fn close(&mut self, span: Span) {
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let range = self.locator.leave(&frame.bounds, span);
        if self.complex_key == Some(self.stack.len()) {
            self.complex_key = None;
            self.close_key(frame.node, range);
        } else if self.complex_key.is_none() {
            self.close_value(&frame, range);
        }
        self.done();
    }

    /// A key that is a list or a map is known by its source text.
    fn close_key(&mut self, index: u32, range: Range<usize>) {
        self.construct(YamlConstruct::ComplexKey, range.clone());
        let text = self.source.get(range.clone()).unwrap_or_default();
        let mut node = node(range, Kind::String, Form::Decoded);
        node.next = self.decode(text);
        self.tape.nodes[index as usize] = node;
        self.note_key(text, index);
    }

    fn close_value(&mut self, frame: &Frame, range: Range<usize>) {
        let nodes = frame.node as usize..self.tape.nodes.len();
        let node = &mut self.tape.nodes[nodes.start];
        node.end = offset(range.end);
        node.next = offset(nodes.end);
        let height = frame.height;
        self.remember(frame.anchor, Anchored::Tree { nodes, height });
        self.raise(height + 1);
    }

    /// Notes how deep the innermost list or map nests.
    fn raise(&mut self, height: usize) {
        if let Some(frame) = self.stack.last_mut() {
            frame.height = frame.height.max(height);
        }
    }

    /// Returns the role of the current value in the list or map that holds it.
    fn role(&self) -> Role {
        self.stack.last().map_or(Role::Root, |frame| frame.role)
    }

    /// Moves the innermost map from key to value and back.
    fn done(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            frame.role = match frame.role {
                Role::Key => Role::Value,
                Role::Value => Role::Key,
                Role::Item | Role::Root => frame.role,
            };
        }
    }

    /// Reports the anchor and the tag before a value.
    fn opening(&mut self, anchor: usize, is_tagged: bool, span: Span) -> Opening {
        let properties = usize::from(anchor > 0) + usize::from(is_tagged);
        let opening = self.locator.opening(properties, span);
        for (construct, range) in &opening.properties {
            self.construct(*construct, range.clone());
        }
        opening
    }

    /// The text of a scalar as the tape would show it without decoding.
    fn shown(&self, range: &Range<usize>, style: ScalarStyle) -> Option<&'a str> {
        let raw = self.source.get(range.clone())?;
        match style {
            ScalarStyle::Plain => Some(raw),
            ScalarStyle::DoubleQuoted => Some(unquoted(raw)),
            ScalarStyle::SingleQuoted | ScalarStyle::Literal | ScalarStyle::Folded => None,
        }
    }

    fn push_key(&mut self, node: Node, text: &str) -> Result<(), Stop> {
        let index = self.push(node)?;
        self.note_key(text, index);
        Ok(())
    }

    fn push(&mut self, node: Node) -> Result<u32, Stop> {
        let index = self.tape.nodes.len();
        if index >= limits::MAX_YAML_VALUES {
            let place = character_at(self.source, node.start as usize);
            return stop(SyntaxFaultKind::TooManyValues, place);
        }
        self.tape.nodes.push(node);
        Ok(offset(index))
    }

    /// Remembers a key of the innermost map and reports it if the map has it already.
    fn note_key(&mut self, text: &str, index: u32) {
        let Some(frame) = self.stack.last_mut() else {
            return;
        };
        let first = frame.keys.note(text, index, self.tape, self.source);
        if first != index {
            let [first, range] = [first, index].map(|index| {
                let node = self.tape.nodes[index as usize];
                node.start as usize..node.end as usize
            });
            self.fault(SyntaxFaultKind::DuplicateKey { first }, range);
        }
    }

    fn decode(&mut self, text: &str) -> u32 {
        let index = offset(self.tape.decoded.len());
        self.tape.decoded.push(text.into());
        index
    }

    fn tabs_between_tokens(&mut self) {
        for at in self.tabs.between_tokens(self.source) {
            self.construct(YamlConstruct::Tab, at..at + 1);
        }
    }

    fn construct(&mut self, construct: YamlConstruct, range: Range<usize>) {
        self.fault(SyntaxFaultKind::YamlConstruct(construct), range);
    }

    fn fault(&mut self, kind: SyntaxFaultKind, range: Range<usize>) {
        if self.faults.len() < limits::MAX_SYNTAX_FAULTS {
            self.faults.push(SyntaxFault { kind, range });
        }
    }

    fn refuse<T>(&self, error: &ScanError) -> Result<T, Stop> {
        let kind = match error.info() {
            // The parser has a limit of its own, far above ours, and can reach it before it reports
            // a single bracket.
            "recursion limit exceeded" => SyntaxFaultKind::TooDeep,
            info => SyntaxFaultKind::Yaml(in_plain_words(info)),
        };
        let at = self.locator.byte(*error.marker());
        stop(kind, character_at(self.source, at))
    }
}

fn node(range: Range<usize>, kind: Kind, form: Form) -> Node {
    Node {
        start: offset(range.start),
        end: offset(range.end),
        next: 0,
        kind,
        form,
    }
}

/// A scalar as a key: always a string, whatever it looks like.
fn as_key(node: Node) -> Node {
    let form = match node.form {
        Form::Decoded => Form::Decoded,
        Form::Loose | Form::LooseTrue | Form::LooseFalse => Form::Loose,
        Form::Plain | Form::Escaped | Form::Spelled | Form::True | Form::NonFinite => Form::Plain,
    };
    Node {
        kind: Kind::String,
        form,
        ..node
    }
}

fn stop<T>(kind: SyntaxFaultKind, range: Range<usize>) -> Result<T, Stop> {
    Err(Stop(SyntaxFault { kind, range }))
}

fn unquoted(raw: &str) -> &str {
    raw.strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(raw)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("`parse` refuses a source longer than `MAX_YAML_BYTES`")
}
