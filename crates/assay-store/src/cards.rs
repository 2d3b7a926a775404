use assay_model::RepoKey;
use serde_json::Value as Json;

use crate::backend::Connection;
use crate::row::{Cells, to_json, to_number};
use crate::{Error, Tx, sql};

/// The card of a repository: the front matter of its `README.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The front matter.
    pub data: Json,
    /// The tags to list and filter by, in the order in which they are shown.
    pub tags: Vec<String>,
    /// The models that it says it was made from.
    pub base_models: Vec<String>,
    /// The licence.
    pub license: Option<String>,
    /// The task of the model.
    pub pipeline_tag: Option<String>,
    /// The library that it is used with.
    pub library: Option<String>,
    /// Number of parameters that the model has.
    pub parameters: Option<u64>,
}

questions! {
    /// The card of a repository.
    fn card(key: RepoKey) -> Option<Card>;
}

impl Tx {
    /// Writes the card of a repository, or removes it.
    pub async fn set_card(&mut self, key: RepoKey, card: Option<&Card>) -> Result<(), Error> {
        let query = sql::query("DELETE FROM card_tags WHERE repo = $1").bind(key.0);
        self.change("set_card", query).await?;
        let Some(card) = card else {
            let query = sql::query("DELETE FROM cards WHERE repo = $1").bind(key.0);
            self.change("set_card", query).await?;
            return Ok(());
        };
        self.write_card(key, card).await?;
        for tag in &card.tags {
            let query = sql::query(
                "INSERT INTO card_tags (tag, repo) VALUES ($1, $2) ON CONFLICT (tag, repo) DO NOTHING",
            )
            .bind(tag)
            .bind(key.0);
            self.change("set_card", query).await?;
        }
        Ok(())
    }

    async fn write_card(&mut self, key: RepoKey, card: &Card) -> Result<(), Error> {
        let failed = |error| Error::of("set_card", error);
        let query = sql::query(
            "INSERT INTO cards (repo, data, tags, base_models, license, pipeline_tag, library, parameters)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (repo) DO UPDATE SET data = excluded.data, tags = excluded.tags,
                 base_models = excluded.base_models, license = excluded.license,
                 pipeline_tag = excluded.pipeline_tag, library = excluded.library,
                 parameters = excluded.parameters",
        )
        .bind(key.0)
        .bind(to_json(&card.data).map_err(failed)?)
        .bind(to_json(&card.tags).map_err(failed)?)
        .bind(to_json(&card.base_models).map_err(failed)?)
        .bind(&card.license)
        .bind(&card.pipeline_tag)
        .bind(&card.library)
        .bind(card.parameters.map(to_number));
        self.change("set_card", query).await?;
        Ok(())
    }
}

/// The columns that [`read_card`] reads, of a table called `c`.
macro_rules! card_columns {
    () => {
        "c.data, c.tags, c.base_models, c.license, c.pipeline_tag, c.library, c.parameters"
    };
}
pub(crate) use card_columns;

/// Reads a card, or nothing where a join found none.
pub(crate) fn read_card(cells: &mut Cells<'_>) -> sqlx::Result<Option<Card>> {
    let data = cells.json_option()?;
    let tags = cells.json_option()?;
    let base_models = cells.json_option()?;
    let license = cells.get()?;
    let pipeline_tag = cells.get()?;
    let library = cells.get()?;
    let parameters = cells.number_option()?;
    Ok(data.map(|data| Card {
        data,
        tags: tags.unwrap_or_default(),
        base_models: base_models.unwrap_or_default(),
        license,
        pipeline_tag,
        library,
        parameters,
    }))
}

async fn card(connection: &mut Connection, key: RepoKey) -> sqlx::Result<Option<Card>> {
    let query = concat!(
        "SELECT ",
        card_columns!(),
        " FROM cards c WHERE c.repo = $1"
    );
    let row = sql::query(query)
        .bind(key.0)
        .fetch_optional(connection)
        .await?;
    match row {
        Some(row) => read_card(&mut Cells::of(&row)),
        None => Ok(None),
    }
}
