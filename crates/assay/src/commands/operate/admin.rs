mod publisher;
mod purge;

use std::sync::Arc;

use assay_app::{
    Account, AccountKind, Collected, Error, GRACE, Hub, LargeFilesPlace, LookAlike,
    MovedLargeFiles, NewAccount, NewToken, Scope, ScopePattern, TokenInfo, draw_secret,
    move_large_files,
};
use assay_cli::{Exit, Printer};
use assay_model::{Clock as _, Timestamp};
use assay_server::SystemClock;
use serde_json::{Value as Json, json};

use super::adopt;
use super::args::{Admin, AdminAction, BenchmarkAction, OrgAction, TokenAction, UserAction};
use super::{audit, backup, hub_config, with_config, with_hub};
use crate::args::ShowFormat;
use crate::config::Config;
use crate::plural::{count, grouped};
use crate::progress::Progress;
use crate::table::table;

/// The length of a day, in milliseconds.
const DAY: i64 = 86_400_000;

/// The outcome of a command, for people and for machines.
pub(super) struct Done {
    pub(super) text: String,
    pub(super) json: Json,
}

impl Done {
    pub(super) fn new(text: String, json: Json) -> Self {
        Self { text, json }
    }
}

/// Does what the operator asked.
pub(crate) fn run(command: &Admin, config: &Config, printer: &mut Printer) -> Exit {
    match &command.action {
        AdminAction::User(action) => manage(command, printer, async |hub| user(&hub, action).await),
        AdminAction::Org(action) => manage(command, printer, async |hub| {
            organisation(&hub, action).await
        }),
        AdminAction::Token(action) => {
            manage(command, printer, async |hub| token(&hub, action).await)
        }
        AdminAction::Publisher(action) => manage(command, printer, async |hub| {
            publisher::run(&hub, action).await
        }),
        AdminAction::Gc { dry_run } => {
            manage(command, printer, async |hub| collect(&hub, *dry_run).await)
        }
        AdminAction::MoveLargeFiles { to, no_progress } => {
            move_files(command, to, config.shows_progress(*no_progress), printer)
        }
        AdminAction::Benchmark(action) => {
            manage(command, printer, async |hub| benchmark(&hub, action).await)
        }
        AdminAction::Purge(action) => {
            manage(command, printer, async |hub| purge::run(&hub, action).await)
        }
        AdminAction::Unrecorded => manage(command, printer, async |hub| adopt::list(&hub).await),
        AdminAction::Audit(asked) => {
            manage(command, printer, async |hub| audit::list(&hub, asked).await)
        }
        AdminAction::Adopt(action) => adopt::run(action, &command.hub, command.format, printer),
        AdminAction::Backup(arguments) => backup::back_up(command, arguments, config, printer),
        AdminAction::Restore(arguments) => backup::restore(command, arguments, config, printer),
    }
}

/// Opens the hub, does something in it and tells what was done.
fn manage<F>(command: &Admin, printer: &mut Printer, work: impl FnOnce(Arc<Hub>) -> F) -> Exit
where
    F: Future<Output = Result<Done, Error>>,
{
    match with_hub(&command.hub, printer, work) {
        Ok(done) => {
            match command.format {
                ShowFormat::Text => printer.data(&done.text),
                ShowFormat::Json => printer.json(&done.json),
            }
            Exit::Clean
        }
        Err(exit) => exit,
    }
}

async fn collect(hub: &Hub, dry_run: bool) -> Result<Done, Error> {
    let collected = hub
        .operations()
        .collect_large_files(&hub.shell(), GRACE, dry_run)
        .await?;
    let verb = if dry_run { "would remove" } else { "removed" };
    let Collected { files, bytes, kept } = collected;
    let text = format!(
        "{verb} {} of {} bytes that no repository has; {} stay\n",
        count(files, "large file", "large files"),
        grouped(bytes),
        grouped(kept)
    );
    let json = json!({ "dry_run": dry_run, "files": files, "bytes": bytes, "kept": kept });
    Ok(Done::new(text, json))
}

/// Copies the large files of a hub that is stopped to another place.
fn move_files(command: &Admin, to: &LargeFilesPlace, shown: bool, printer: &mut Printer) -> Exit {
    let bar = Progress::counting(shown, 0, "large files");
    let moved = with_config(&command.hub, printer, async |server| {
        let progress = |done, total| bar.at(done, total);
        move_large_files(hub_config(&server), Arc::new(SystemClock), to, &progress).await
    });
    drop(bar);
    match moved {
        Ok(moved) => {
            let Done { text, json } = tell_moved(&moved, to);
            match command.format {
                ShowFormat::Text => printer.data(&text),
                ShowFormat::Json => printer.json(&json),
            }
            Exit::Clean
        }
        Err(exit) => exit,
    }
}

fn tell_moved(moved: &MovedLargeFiles, to: &LargeFilesPlace) -> Done {
    let MovedLargeFiles {
        from,
        files,
        bytes,
        copied,
    } = moved;
    let text = format!(
        "the large files are in `{to}` now: {} of {} bytes, {} copied\nstart the hub with `large_files = \"{to}\"`; those in \
         `{from}` are not used any more\n",
        count(*files, "file", "files"),
        grouped(*bytes),
        grouped(*copied),
    );
    let json = json!({
        "from": from.to_string(), "to": to.to_string(), "files": files, "bytes": bytes, "copied": copied,
    });
    Done::new(text, json)
}

async fn user(hub: &Hub, action: &UserAction) -> Result<Done, Error> {
    let shell = hub.shell();
    match action {
        UserAction::Create {
            name,
            full_name,
            email,
            operator,
            allow_look_alike,
        } => {
            let new = NewAccount {
                name,
                full_name: full_name.as_deref().unwrap_or(name),
                email: email.as_deref(),
                operator: *operator,
                look_alike: look_alike(*allow_look_alike),
            };
            let account = hub
                .accounts()
                .create_account(&shell, AccountKind::User, &new)
                .await?;
            Ok(Done::new(
                format!("made the user `{}`\n", account.name),
                account_json(&account),
            ))
        }
        UserAction::List => {
            let accounts = hub.accounts().accounts(&shell).await?;
            Ok(listed(&accounts))
        }
        UserAction::Password {
            name,
            stdin,
            remove,
        } => password(hub, name, *stdin, *remove).await,
        UserAction::Enable { name } => {
            hub.accounts().enable_account(&shell, name).await?;
            Ok(Done::new(
                format!("enabled `{name}`: its tokens work again\n"),
                json!({ "enabled": name }),
            ))
        }
        UserAction::Disable { name } => {
            hub.accounts().disable_account(&shell, name).await?;
            Ok(Done::new(
                format!("disabled `{name}`: its tokens no longer work\n"),
                json!({ "disabled": name }),
            ))
        }
    }
}

/// Gives a user a password, or takes it away. One that was drawn is shown once.
async fn password(hub: &Hub, name: &str, stdin: bool, remove: bool) -> Result<Done, Error> {
    let shell = hub.shell();
    if remove {
        hub.accounts().set_password(&shell, name, None).await?;
        return Ok(Done::new(
            format!("`{name}` has no password any more\n"),
            json!({ "user": name, "password": false }),
        ));
    }
    if stdin {
        let mut line = String::new();
        std::io::stdin()
            .read_line(&mut line)
            .map_err(Error::internal)?;
        let given = line.trim_end_matches(['\r', '\n']);
        hub.accounts()
            .set_password(&shell, name, Some(given))
            .await?;
        return Ok(Done::new(
            format!("`{name}` has another password now; their sessions are over\n"),
            json!({ "user": name, "password": true }),
        ));
    }
    let drawn = draw_secret()?;
    hub.accounts()
        .set_password(&shell, name, Some(&drawn))
        .await?;
    Ok(Done::new(
        format!("the password of `{name}`, shown once: {drawn}\n"),
        json!({ "user": name, "password": drawn }),
    ))
}

fn look_alike(allowed: bool) -> LookAlike {
    if allowed {
        LookAlike::Allowed
    } else {
        LookAlike::Refused
    }
}

fn listed(accounts: &[Account]) -> Done {
    let rows: Vec<Vec<String>> = accounts
        .iter()
        .map(|account| {
            vec![
                account.name.clone(),
                kind(account.kind).to_owned(),
                if account.operator { "operator" } else { "" }.to_owned(),
                account.created.to_string(),
                account.full_name.clone(),
            ]
        })
        .collect();
    let json = accounts.iter().map(account_json).collect();
    Done::new(
        table(
            &["NAME", "KIND", "RUNS THE HUB", "MADE", "FULL NAME"],
            &rows,
        ),
        Json::Array(json),
    )
}

async fn organisation(hub: &Hub, action: &OrgAction) -> Result<Done, Error> {
    let shell = hub.shell();
    match action {
        OrgAction::Create {
            name,
            full_name,
            allow_look_alike,
        } => {
            let new = NewAccount {
                name,
                full_name: full_name.as_deref().unwrap_or(name),
                email: None,
                operator: false,
                look_alike: look_alike(*allow_look_alike),
            };
            let account = hub
                .accounts()
                .create_account(&shell, AccountKind::Organisation, &new)
                .await?;
            Ok(Done::new(
                format!("made the organisation `{}`\n", account.name),
                account_json(&account),
            ))
        }
        OrgAction::Member {
            organisation,
            user: None,
            ..
        } => {
            let members = hub.accounts().members(&shell, organisation).await?;
            let rows: Vec<Vec<String>> = members
                .iter()
                .map(|(account, role)| vec![account.name.clone(), role.to_string()])
                .collect();
            let json = members
                .iter()
                .map(|(account, role)| json!({ "name": account.name, "role": role }))
                .collect();
            Ok(Done::new(
                table(&["NAME", "ROLE"], &rows),
                Json::Array(json),
            ))
        }
        OrgAction::Member {
            organisation,
            user: Some(user),
            role,
            remove,
        } => {
            let role = (!remove).then_some(*role);
            hub.accounts()
                .set_member(&shell, organisation, user, role)
                .await?;
            let text = match role {
                Some(role) => format!("`{user}` may {role} in `{organisation}`\n"),
                None => format!("`{user}` has no part in `{organisation}` any more\n"),
            };
            let json = json!({ "organisation": organisation, "user": user, "role": role });
            Ok(Done::new(text, json))
        }
    }
}

async fn token(hub: &Hub, action: &TokenAction) -> Result<Done, Error> {
    let shell = hub.shell();
    match action {
        TokenAction::Create {
            user,
            scope,
            write,
            label,
            days,
        } => {
            let new = NewToken {
                label: label.clone(),
                scope: scope_of(scope, write)?,
                expires: days.map(|days| {
                    Timestamp::from_millis(SystemClock.now().millis() + i64::from(days) * DAY)
                }),
            };
            let (info, secret) = hub.accounts().create_token(&shell, user, new).await?;
            let mut json = token_json(&info);
            json["token"] = json!(secret.reveal());
            Ok(Done::new(
                format!(
                    "token {} of `{user}`, shown once:\n  {}\n",
                    info.id,
                    secret.reveal()
                ),
                json,
            ))
        }
        TokenAction::List { user } => {
            let tokens = hub.accounts().tokens(&shell, user).await?;
            let rows: Vec<Vec<String>> = tokens
                .iter()
                .map(|token| {
                    vec![
                        token.id.to_string(),
                        token.label.clone(),
                        scope_words(&token.scope),
                        moment(token.expires, "never"),
                        moment(token.last_used, "never"),
                    ]
                })
                .collect();
            let json = tokens.iter().map(token_json).collect();
            Ok(Done::new(
                table(&["NUMBER", "LABEL", "MAY", "ENDS", "LAST USED"], &rows),
                Json::Array(json),
            ))
        }
        TokenAction::Revoke { user, id } => {
            let ended = hub.accounts().revoke_token(&shell, user, *id).await?;
            let others = match ended.saturating_sub(1) {
                0 => String::new(),
                1 => ", and 1 token that was made with it".to_owned(),
                others => format!(", and {others} tokens that were made with it"),
            };
            Ok(Done::new(
                format!("token {id} of `{user}` is revoked{others}\n"),
                json!({ "revoked": id, "user": user, "ended": ended }),
            ))
        }
    }
}

async fn benchmark(hub: &Hub, action: &BenchmarkAction) -> Result<Done, Error> {
    let (id, official) = match action {
        BenchmarkAction::Official { id } => (id, true),
        BenchmarkAction::Unofficial { id } => (id, false),
    };
    hub.operations()
        .set_official(&hub.shell(), id, official)
        .await?;
    let what = if official {
        "is official"
    } else {
        "is not official any more"
    };
    Ok(Done::new(
        format!("`{id}` {what}\n"),
        json!({ "id": id, "official": official }),
    ))
}

fn scope_of(word: &str, write: &[String]) -> Result<Scope, Error> {
    if !write.is_empty() {
        let patterns: Result<Vec<ScopePattern>, Error> =
            write.iter().map(|text| pattern(text)).collect();
        return patterns.map(Scope::Fine);
    }
    Ok(match word {
        "read" => Scope::Read,
        "admin" => Scope::Admin,
        _ => Scope::Write,
    })
}

fn pattern(text: &str) -> Result<ScopePattern, Error> {
    if let Some(namespace) = text.strip_suffix("/*") {
        return Ok(ScopePattern::Namespace(namespace.to_owned()));
    }
    let id = text
        .parse()
        .map_err(|error| Error::Invalid(format!("`{text}`: {error}")))?;
    Ok(ScopePattern::Repo(id))
}

fn scope_words(scope: &Scope) -> String {
    match scope {
        Scope::Read => "read".to_owned(),
        Scope::Write => "write".to_owned(),
        Scope::Admin => "admin".to_owned(),
        Scope::Fine(patterns) => {
            let words: Vec<String> = patterns
                .iter()
                .map(|pattern| match pattern {
                    ScopePattern::Repo(id) => id.to_string(),
                    ScopePattern::Namespace(name) => format!("{name}/*"),
                })
                .collect();
            format!("write to {}", words.join(", "))
        }
    }
}

fn kind(kind: AccountKind) -> &'static str {
    match kind {
        AccountKind::User => "user",
        AccountKind::Organisation => "organisation",
    }
}

fn moment(at: Option<Timestamp>, otherwise: &str) -> String {
    at.map_or_else(|| otherwise.to_owned(), |at| at.to_string())
}

fn account_json(account: &Account) -> Json {
    json!({
        "name": account.name,
        "kind": kind(account.kind),
        "full_name": account.full_name,
        "operator": account.operator,
        "created": account.created,
    })
}

fn token_json(token: &TokenInfo) -> Json {
    json!({
        "id": token.id,
        "label": token.label,
        "scope": scope_words(&token.scope),
        "created": token.created,
        "expires": token.expires,
        "last_used": token.last_used,
        "made_with": token.parent,
    })
}
