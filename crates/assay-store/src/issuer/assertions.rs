use assay_model::Timestamp;

use crate::{Error, Tx, sql};

impl Tx {
    /// Notes that an assertion was used. The answer is whether it is the first time. Those that no
    /// longer have to be remembered are forgotten by the way.
    pub async fn use_assertion(
        &mut self,
        issuer: &str,
        jti: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let query =
            sql::query("DELETE FROM seen_assertions WHERE until_ms < $1").bind(now.millis());
        self.quietly("use_assertion", query).await?;
        let query = sql::query(
            "INSERT INTO seen_assertions (issuer, jti, until_ms) VALUES ($1, $2, $3)
             ON CONFLICT (issuer, jti) DO NOTHING",
        )
        .bind(issuer)
        .bind(jti)
        .bind(until.millis());
        Ok(self.quietly("use_assertion", query).await? > 0)
    }
}
