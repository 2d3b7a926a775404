//! Pictures for READMEs: the rank, the score, or whether a result is verified.

use assay_app::BoardQuery;
use assay_model::{RepoId, RepoKind};
use axum::extract::State;
use serde::Deserialize;

use super::Visitor;
use super::board::how::with_unit;
use super::escape::escaped;
use crate::error::Failure;
use crate::extract::{PageRepo, PathParams};
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// The approximate width of a character, in units of the picture.
const CHARACTER: usize = 7;
/// The longest text of a half.
const MAX: usize = 48;

#[derive(Debug, Deserialize)]
pub(super) struct BadgeParams {
    badge: String,
}

/// A badge of a model for the board that `benchmark` and `task` name.
pub(super) async fn badge(
    State(state): State<AppState>,
    visitor: Visitor,
    PageRepo(model): PageRepo,
    PathParams(file): PathParams<BadgeParams>,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Standing(model.clone()));
    let hub = &state.hub;
    let repo = hub.repo(&visitor.caller, RepoKind::Model, &model).await?;
    let said = visitor.state.get("benchmark").unwrap_or_default();
    let benchmark: RepoId = said
        .parse()
        .map_err(|_| Failure::invalid("`benchmark` names the board: `owner/name`"))?;
    let query = BoardQuery {
        task: visitor.state.get("task").map(str::to_owned),
        ..BoardQuery::default()
    };
    let view = hub
        .boards()
        .leaderboard(&visitor.caller, &benchmark, &query)
        .await?;
    let metric = super::board::ranking(&view)?;
    let row = view
        .rows()
        .iter()
        .find(|row| row.loaded.model() == repo.id());
    let name = &view.benchmark.name;
    let (label, text, tone) = match (file.badge.as_str(), row) {
        ("rank.svg", Some(row)) if view.is_doubtful(row) => {
            (name.clone(), "value in doubt".to_owned(), Tone::Quiet)
        }
        ("rank.svg", Some(row)) => (
            name.clone(),
            format!("#{} of {}", row.rank, view.ranked_with(row)),
            rank_tone(row.rank),
        ),
        ("score.svg", Some(row)) => (name.clone(), with_unit(row.value, metric), Tone::Plain),
        ("verified.svg", Some(row)) if row.loaded.is_verified() => {
            (name.clone(), "\u{2713} verified".to_owned(), Tone::Good)
        }
        ("verified.svg", Some(_)) => (name.clone(), "not verified".to_owned(), Tone::Quiet),
        ("rank.svg" | "score.svg" | "verified.svg", None) => {
            (name.clone(), "no result".to_owned(), Tone::Quiet)
        }
        _ => return Err(Failure::no_route()),
    };
    let picture = draw(&label, &text, tone);
    Ok(visitor.other_kept(&state, place, "image/svg+xml", picture))
}

/// The look of a badge.
#[derive(Debug, Clone, Copy)]
enum Tone {
    /// Among the first three.
    Brass,
    /// Something holds.
    Good,
    /// A fact.
    Plain,
    /// Nothing to tell.
    Quiet,
}

impl Tone {
    /// The colour behind white text: each has a contrast of 4.5 or more.
    fn colour(self) -> &'static str {
        match self {
            Self::Brass => "#7d5807",
            Self::Good => "#176135",
            Self::Plain => "#1d4f91",
            Self::Quiet => "#62656c",
        }
    }
}

fn rank_tone(rank: usize) -> Tone {
    if rank <= 3 { Tone::Brass } else { Tone::Plain }
}

fn draw(label: &str, text: &str, tone: Tone) -> String {
    let (label, text) = (
        super::show::shortened(label, MAX),
        super::show::shortened(text, MAX),
    );
    let width = |text: &str| text.chars().count() * CHARACTER + 14;
    let (left, right) = (width(&label), width(&text));
    let (whole, middle, end) = (left + right, left / 2, left + right / 2);
    let colour = tone.colour();
    let said = escaped(&format!("{label}: {text}"));
    let (label, text) = (escaped(&label), escaped(&text));
    let (inner_left, inner_right) = (left - 14, right - 14);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{said}\">\
         <title>{said}</title><rect width=\"{whole}\" height=\"20\" rx=\"4\" fill=\"#2b2f36\"/>\
         <path d=\"M{left} 0h{}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-{}z\" fill=\"{colour}\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <text x=\"{middle}\" y=\"14\" textLength=\"{inner_left}\" lengthAdjust=\"spacingAndGlyphs\">{label}</text>\
         <text x=\"{end}\" y=\"14\" textLength=\"{inner_right}\" lengthAdjust=\"spacingAndGlyphs\">{text}</text></g></svg>",
        right - 4,
        right - 4,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_benchmark_is_called_does_nothing_in_a_picture() {
        let picture = draw(
            "</text><script>alert(1)</script>",
            "a\u{202e}b&\"'",
            Tone::Quiet,
        );

        assert!(!picture.contains("<script"), "{picture}");
        assert!(!picture.contains('\u{202e}'), "{picture}");
        assert!(picture.contains("&amp;&quot;&#39;"), "{picture}");
    }
}
