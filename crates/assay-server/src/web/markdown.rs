//! Markdown of strangers as HTML without effects: no markup of theirs, no picture that a browser
//! would fetch, no link that is not plain.

use std::vec::IntoIter;

use assay_app::{Referable, Reference, references};
use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
    TextMergeStream, html,
};

use super::escape::escaped;
use super::links;

/// The number of bytes of a text that are shown.
const MAX: usize = 256 << 10;

/// The extensions of Markdown that are read.
const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// A text as HTML. Addresses without a host are below `folder`, an address of this hub.
pub(crate) fn render(text: &str, folder: &str) -> String {
    let text = beginning(without_front_matter(text), MAX);
    to_html(text, folder, None, None)
}

/// A page of our own as HTML: as [`render`], with anchors at its headings and in its links.
pub(crate) fn render_page(text: &str, folder: &str) -> String {
    to_html(text, folder, Some(anchors(text).into_iter()), None)
}

/// A comment as HTML: what it refers to is linked.
pub(crate) fn render_comment(text: &str, front: &str, referable: &Referable) -> String {
    let talk = Talk { front, referable };
    let folder = format!("{front}/blob/main");
    to_html(beginning(text, MAX), &folder, None, Some(talk))
}

fn to_html(
    text: &str,
    folder: &str,
    anchors: Option<IntoIter<String>>,
    talk: Option<Talk<'_>>,
) -> String {
    let mut tamer = Tamer {
        folder,
        talk,
        open: Vec::new(),
        in_code: false,
        anchors,
    };
    // An address with an underscore is one text only when its pieces are put together.
    let events =
        TextMergeStream::new(Parser::new_ext(text, OPTIONS)).filter_map(|event| tamer.inert(event));
    let mut out = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut out, events);
    out
}

/// The anchors of all headings, in their order: lower case, words joined by dashes, without other
/// signs. The second heading of a name has `-1` at its end, as on other forges.
fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, OPTIONS) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let numbered = (1..).map(|number| format!("{anchor}-{number}"));
                let free = std::iter::once(anchor.clone())
                    .chain(numbered)
                    .find(|free| !anchors.contains(free));
                anchors.push(free.unwrap_or(anchor));
            }
            _ => {}
        }
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let words = heading.trim().to_lowercase().replace(' ', "-");
    words.chars().filter(|sign| is_of_anchor(*sign)).collect()
}

fn is_of_anchor(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '-' | '_')
}

/// The text after the front matter of a card.
fn without_front_matter(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return text;
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "---" {
            return &rest[at..];
        }
    }
    text
}

/// The beginning of a text, of at most so many bytes.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The repository of a comment, with what the comment may refer to.
#[derive(Debug, Clone, Copy)]
struct Talk<'f> {
    /// The page of the repository.
    front: &'f str,
    referable: &'f Referable,
}

impl Talk<'_> {
    /// Returns the address that a reference leads to; none when there is no such thing.
    fn target(self, reference: Reference<'_>) -> Option<String> {
        match reference {
            Reference::Account(name) => {
                let exists = self.referable.accounts.contains(&name.to_ascii_lowercase());
                exists.then(|| format!("/{}", links::part(name)))
            }
            Reference::Discussion(number) => (number <= self.referable.last_number)
                .then(|| format!("{}/discussions/{number}", self.front)),
            Reference::Address(address) => links::safe(address).map(str::to_owned),
        }
    }

    /// A text with its references as links; none when it has no reference.
    fn linked(self, text: &str) -> Option<String> {
        let mut html = String::new();
        let mut done = 0;
        for (range, reference) in references(text) {
            let Some(target) = self.target(reference) else {
                continue;
            };
            html.push_str(&escaped(&text[done..range.start]));
            let rel = match reference {
                Reference::Address(_) => " rel=\"nofollow ugc noopener\"",
                Reference::Account(_) | Reference::Discussion(_) => "",
            };
            let (target, word) = (escaped(&target), escaped(&text[range.clone()]));
            html.extend(["<a href=\"", &target, "\"", rel, ">", &word, "</a>"]);
            done = range.end;
        }
        (done > 0).then(|| html + &escaped(&text[done..]))
    }
}

/// Turns events into those that do nothing.
struct Tamer<'f> {
    folder: &'f str,
    /// The repository of the text, when it is a comment.
    talk: Option<Talk<'f>>,
    /// True inside a block of code.
    in_code: bool,
    /// The closing tags of the links and pictures that have begun.
    open: Vec<&'static str>,
    /// The anchors of the headings that come, on pages of our own.
    anchors: Option<IntoIter<String>>,
}

impl Tamer<'_> {
    fn inert<'e>(&mut self, event: Event<'e>) -> Option<Event<'e>> {
        match event {
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Start(Tag::HtmlBlock)
            | Event::End(TagEnd::HtmlBlock) => None,
            Event::Text(text) => Some(self.text(text)),
            Event::Code(text) => Some(Event::Code(shown(text))),
            Event::Start(Tag::Link { dest_url, .. }) => Some(self.link(&dest_url)),
            Event::Start(Tag::Image { dest_url, .. }) => Some(self.picture(&dest_url)),
            Event::End(TagEnd::Link | TagEnd::Image) => {
                self.open.pop().map(|end| Event::InlineHtml(end.into()))
            }
            Event::Start(Tag::Heading { level, .. }) => Some(Event::Start(Tag::Heading {
                level: lower(level),
                id: self
                    .anchors
                    .as_mut()
                    .and_then(Iterator::next)
                    .map(CowStr::from),
                classes: Vec::new(),
                attrs: Vec::new(),
            })),
            Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(lower(level)))),
            Event::Start(Tag::Table(columns)) => {
                // How a column is aligned would be an inline style.
                let columns = vec![Alignment::None; columns.len()];
                Some(Event::Start(Tag::Table(columns)))
            }
            Event::End(TagEnd::CodeBlock) => {
                self.in_code = false;
                Some(Event::End(TagEnd::CodeBlock))
            }
            Event::Start(Tag::CodeBlock(_)) => {
                self.in_code = true;
                let plain = CodeBlockKind::Indented;
                Some(Event::Start(Tag::CodeBlock(plain)))
            }
            other => Some(other),
        }
    }

    /// A text, with links to what a comment refers to. Code refers to nothing, and a link in a link
    /// is none.
    fn text<'e>(&self, text: CowStr<'e>) -> Event<'e> {
        let talk = self.talk.filter(|_| !self.in_code && self.open.is_empty());
        match talk.and_then(|talk| talk.linked(&text)) {
            Some(html) => Event::InlineHtml(html.into()),
            None => Event::Text(shown(text)),
        }
    }

    fn link<'e>(&mut self, address: &str) -> Event<'e> {
        // A link in a link is none.
        let target = match &self.anchors {
            Some(_) => target_with_anchor(address, self.folder),
            None => target(address, self.folder),
        };
        let Some(target) = target.filter(|_| !self.open.contains(&"</a>")) else {
            return self.begin("<span>".to_owned(), "</span>");
        };
        let target = escaped(&target);
        self.begin(
            format!("<a href=\"{target}\" rel=\"nofollow ugc noopener\">"),
            "</a>",
        )
    }

    /// A picture becomes a link to it: nothing is fetched until somebody asks for it.
    fn picture<'e>(&mut self, address: &str) -> Event<'e> {
        let target = target(address, self.folder).filter(|_| !self.open.contains(&"</a>"));
        let Some(target) = target else {
            return self.begin("<span class=\"picture\">".to_owned(), "</span>");
        };
        let target = escaped(&target);
        self.begin(
            format!("<a class=\"picture\" href=\"{target}\" rel=\"nofollow ugc noopener\">"),
            "</a>",
        )
    }

    fn begin<'e>(&mut self, html: String, end: &'static str) -> Event<'e> {
        self.open.push(end);
        Event::InlineHtml(html.into())
    }
}

/// Returns the target of a link: another site by `http` or `https`, else a file beside the text.
fn target(address: &str, folder: &str) -> Option<String> {
    if let Some(address) = links::safe(address) {
        return Some(address.to_owned());
    }
    let path = address.split(['#', '?']).next().unwrap_or_default();
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_plain = !path.is_empty()
        && !path.starts_with('/')
        && !path.contains([':', '\\'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then(|| {
        let parts: Vec<String> = path.split('/').map(links::part).collect();
        format!("{folder}/{}", parts.join("/"))
    })
}

/// Returns the address of a link of our own: as [`target`], to a heading of this page or of another
/// one too.
fn target_with_anchor(address: &str, folder: &str) -> Option<String> {
    let Some((path, anchor)) = address.split_once('#') else {
        return target(address, folder);
    };
    if links::safe(address).is_some() || !anchor.chars().all(is_of_anchor) {
        return target(address, folder);
    }
    let path = match path {
        "" => String::new(),
        path => target(path, folder)?,
    };
    Some(format!("{path}#{anchor}"))
}

/// A text with what is hidden made visible.
fn shown(text: CowStr<'_>) -> CowStr<'_> {
    if !text.chars().any(links::is_hidden) {
        return text;
    }
    let seen = |c| {
        if links::is_hidden(c) {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        }
    };
    text.chars().map(seen).collect::<String>().into()
}

/// The page has its own first heading.
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        render(text, "/a/b/blob/main")
    }

    #[test]
    fn a_text_keeps_its_structure_and_loses_its_front_matter() {
        let html =
            rendered("---\nlicense: mit\n---\n# Title\n\nSome *text*.\n\n|a|b|\n|--|-:|\n|1|2|\n");

        assert!(
            html.starts_with("<h2>Title</h2>\n<p>Some <em>text</em>.</p>"),
            "{html}"
        );
        assert!(html.contains("<td>2</td>"), "{html}");
        assert!(
            !html.contains("license") && !html.contains("style="),
            "{html}"
        );
    }

    #[test]
    fn pages_of_our_own_lead_to_headings() {
        let text = "# The `eval.yaml`, in short\n\n## Rate limits\n\n## Rate limits\n\n\
                    [a](#rate-limits) [b](cli.md#in-ci) [c](cli.md) [d](https://e.org/#x) [e](#\"x) [f](../a.md#b)";

        let html = render_page(text, "/docs");

        for part in [
            "<h2 id=\"the-evalyaml-in-short\">",
            "<h3 id=\"rate-limits\">",
            "<h3 id=\"rate-limits-1\">",
            "<a href=\"#rate-limits\" ",
            "<a href=\"/docs/cli.md#in-ci\" ",
            "<a href=\"/docs/cli.md\" ",
            "<a href=\"https://e.org/#x\" ",
            "<span>e</span>",
            "<span>f</span>",
        ] {
            assert!(html.contains(part), "{part} is not in {html}");
        }
        let strangers = rendered(text);
        assert!(!strangers.contains(" id=") && strangers.contains("<span>a</span>"));
    }

    #[test]
    fn nothing_that_a_stranger_writes_does_anything() {
        for text in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "<svg onload=alert(1)>\n\ntext",
            "<style>body{display:none}</style>",
            "[x](javascript:alert(1))",
            "[x](JAVASCRIPT:alert(1))",
            "[x](  javascript:alert(1))",
            "[x](data:text/html;base64,PHNjcmlwdD4=)",
            "[x](vbscript:x)",
            "[x](&#106;avascript:alert(1))",
            "<javascript:alert(1)>",
            "![x](javascript:alert(1))",
            "![x](https://tracker.example/pixel.png)",
            "[x](//evil.example)",
            "[x](https://e.org \"onmouseover=alert(1)\")",
            "```\"><script>alert(1)</script>\ncode\n```",
            "[![x](https://e.org/i.png)](javascript:alert(1))",
            "[x]: javascript:alert(1)\n\n[x]",
            "[\"><script>](https://e.org/\"><script>)",
        ] {
            let html = rendered(text);

            let lower = html.to_lowercase();
            for hole in [
                "<script",
                "<img",
                "<svg",
                "<style",
                "<iframe",
                "href=\"j",
                "href=\"d",
                "href=\"v",
                "href=\"//",
                " onmouse",
                " onerror=",
                " onload=",
                "style=",
            ] {
                assert!(!lower.contains(hole), "{text:?} gave {html}");
            }
        }
    }

    #[test]
    fn links_lead_elsewhere_plainly_or_to_files_beside_the_text() {
        let html =
            rendered("[a](https://e.org/?b=c&d) [b](docs/x.md) [c](../../etc) ![d](plot.png)");

        assert!(html.contains("href=\"https://e.org/?b=c&amp;d\""), "{html}");
        assert!(html.contains("href=\"/a/b/blob/main/docs/x.md\""), "{html}");
        assert!(html.contains("<span>c</span>"), "{html}");
        assert!(
            html.contains("<a class=\"picture\" href=\"/a/b/blob/main/plot.png\""),
            "{html}"
        );
    }

    #[test]
    fn a_comment_links_what_it_refers_to_and_exists() {
        let referable = Referable {
            accounts: ["ada".to_owned()].into(),
            last_number: 3,
        };
        let html = |text: &str| render_comment(text, "/a/b", &referable);

        let said = html("@Ada see #3 and https://e.org/a_b_c?d=e&f, not @eve or #4");
        assert_eq!(
            said,
            "<p><a href=\"/Ada\">@Ada</a> see <a href=\"/a/b/discussions/3\">#3</a> and \
             <a href=\"https://e.org/a_b_c?d=e&amp;f\" rel=\"nofollow ugc noopener\">https://e.org/a_b_c?d=e&amp;f</a>, \
             not @eve or #4</p>\n"
        );
        for plain in [
            "`@ada #3`",
            "```\n@ada #3 https://e.org\n```",
            "https://bank.example@evil.example/",
        ] {
            assert!(!html(plain).contains("<a "), "{plain}");
        }
        let nested = html("[@ada #3](https://e.org)");
        assert_eq!(nested.matches("<a ").count(), 1, "{nested}");
        let hostile = html("@ada <script> https://e.org/\"onclick=x");
        assert!(!hostile.contains("<script"), "{hostile}");
        assert!(!hostile.contains("org/\"onclick"), "{hostile}");
    }

    #[test]
    fn what_is_hidden_is_seen() {
        assert!(rendered("a\u{202e}b").contains("a\u{fffd}b"));
    }

    #[test]
    fn links_in_links_and_much_text_end_as_they_should() {
        let nested = rendered("[![a](https://e.org/i.png)](https://e.org)");
        assert_eq!(
            nested.matches("<a ").count(),
            nested.matches("</a>").count()
        );

        let long = rendered(&"word \u{e9} ".repeat(MAX));
        assert!(long.len() < 2 * MAX);
    }
}
