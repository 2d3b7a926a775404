use askama::Template;
use axum::extract::State;

use super::Visitor;
use super::frame::Frame;
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::state::AppState;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
}

/// The first page.
pub(super) async fn home(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let page = Home {
        frame: visitor
            .frame("Assay")
            .about("Leaderboards of evaluation results that can be checked."),
    };
    visitor.render_kept(&state, place, &page)
}
