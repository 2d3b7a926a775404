//! `assay serve`: a hub, until it is told to stop.

mod demo;

use std::net::SocketAddr;

use assay_app::issuer::NewCredential;
use assay_app::{Error, NewToken, Scope};
use assay_cli::{Exit, Printer};
use assay_hub_api::client::{Client, ClientError};
use assay_model::{Clock as _, Timestamp, chain};
use assay_server::{Config as ServerConfig, ConfigFault, ServeError, Server, SystemClock};

use crate::commands::operate::args::Serve;
use crate::plural::count;
use assay_render::visible;

/// The length of an hour, in milliseconds.
const HOUR: i64 = 3_600_000;

/// Runs a hub in the foreground.
pub(crate) fn run(command: &Serve, printer: &mut Printer) -> Exit {
    let config = match ServerConfig::load(command.server.config.as_deref(), &command.server.flags())
    {
        Ok(loaded) => loaded.config,
        Err(faults) => return refuse(&faults, printer),
    };
    assay_server::start_log(&config);
    let Some(runtime) = runtime(printer) else {
        return Exit::Failed;
    };
    match runtime.block_on(serve(config, command.demo, printer)) {
        Ok(()) => Exit::Clean,
        Err(error) => {
            printer.error(&visible(&chain(&error)));
            Exit::Failed
        }
    }
}

/// Loads the configuration of the operator: a file, the environment, and flags.
pub(crate) fn load(
    file: Option<&std::path::Path>,
    flags: &[(&str, String)],
    set: &[KeyValue],
) -> Result<ServerConfig, Vec<ConfigFault>> {
    let set = set
        .iter()
        .map(|pair| (pair.key.as_str(), pair.value.clone()));
    let flags: Vec<(&str, String)> = set.chain(flags.iter().cloned()).collect();
    ServerConfig::load(file, &flags).map(|loaded| loaded.config)
}

/// A key of the configuration and its value, as `--set` takes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyValue {
    pub(crate) key: String,
    pub(crate) value: String,
}

impl std::str::FromStr for KeyValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text
            .split_once('=')
            .ok_or("write a key, `=` and its value: `limits.file_bytes=10MiB`")?;
        Ok(Self {
            key: key.trim().to_owned(),
            value: value.trim().to_owned(),
        })
    }
}

/// Says what is wrong with a configuration, every fault.
pub(crate) fn refuse(faults: &[ConfigFault], printer: &mut Printer) -> Exit {
    for fault in faults {
        printer.error(&visible(&fault.to_string()));
    }
    Exit::Failed
}

/// Returns the runtime of asynchronous work.
pub(crate) fn runtime(printer: &mut Printer) -> Option<tokio::runtime::Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    built
        .inspect_err(|error| printer.error(&format!("threads cannot be started: {error}")))
        .ok()
}

async fn serve(
    mut config: ServerConfig,
    demo: bool,
    printer: &mut Printer,
) -> Result<(), ServeError> {
    if demo && config.issuer.policy.is_none() {
        config.issuer.policy = demo::policy_in(&config.data);
    }
    if demo {
        add_lake(&mut config);
    }
    let own = config.clone();
    let server = assay_server::serve(config).await?;
    let url = server.url();
    printer.line(&format!("the hub is at {url}"));
    if let Some((account, secret)) = server.first_operator() {
        printer.line(&format!(
            "the operator is `{}`; this token is shown once:\n  {}",
            account.name,
            secret.reveal()
        ));
    }
    report_state(&server, printer).await?;
    printer.flush();
    if demo {
        let (operator, visitor) = demo_tokens(&server).await?;
        let signer = demo_signer(&server, &own).await;
        let samples = if own.lake.directory.is_some() {
            demo::Samples::Shown
        } else {
            demo::Samples::None
        };
        fill_behind(server.address(), [operator, visitor], signer, samples);
    }
    server.run().await
}

/// Says what the operator has to look after.
async fn report_state(server: &Server, printer: &mut Printer) -> Result<(), ServeError> {
    let failed = |source| ServeError::Hub {
        data: server.data().to_owned(),
        source,
    };
    let unrecorded = server
        .hub()
        .operations()
        .unrecorded()
        .await
        .map_err(failed)?;
    if !unrecorded.is_empty() {
        printer.line(&format!(
            "{} not in the database and set aside: `assay admin unrecorded` lists them, `assay admin adopt` brings them back",
            count(unrecorded.len() as u64, "repository is", "repositories are")
        ));
    }
    let damaged = server
        .hub()
        .operations()
        .damaged_repositories()
        .await
        .map_err(failed)?;
    if !damaged.is_empty() {
        printer.line(&format!(
            "{} damaged: `assay reindex --check` names what is wrong",
            count(damaged.len() as u64, "repository is", "repositories are")
        ));
    }
    Ok(())
}

/// Tokens for those who fill the demonstration; they end within the hour.
async fn demo_tokens(server: &Server) -> Result<(String, String), ServeError> {
    let failed = |source| ServeError::Hub {
        data: server.data().to_owned(),
        source,
    };
    let hub = server.hub();
    let shell = hub.shell();
    match hub
        .accounts()
        .create_user(&shell, demo::VISITOR, "A visitor", None, false)
        .await
    {
        Ok(_) | Err(Error::Exists(_)) => {}
        Err(error) => return Err(failed(error)),
    }
    let accounts = hub.accounts().accounts(&shell).await.map_err(failed)?;
    let operator = accounts.into_iter().find(|account| account.operator);
    let operator = operator.map_or_else(String::new, |account| account.name);
    let mut secrets = Vec::new();
    for (name, scope) in [
        (operator.as_str(), Scope::Admin),
        (demo::VISITOR, Scope::Write),
    ] {
        let token = NewToken {
            label: "demonstration".to_owned(),
            scope,
            expires: Some(Timestamp::from_millis(SystemClock.now().millis() + HOUR)),
        };
        let (_, secret) = hub
            .accounts()
            .create_token(&shell, name, token)
            .await
            .map_err(failed)?;
        secrets.push(secret.reveal().to_owned());
    }
    let visitor = secrets.pop().unwrap_or_default();
    Ok((secrets.pop().unwrap_or_default(), visitor))
}

/// A credential for the harness that signs some of the results. A hub with a policy of its own does
/// not know the harness, and its results stay unsigned.
async fn demo_signer(server: &Server, config: &ServerConfig) -> Option<String> {
    let issuer = assay_server::open_issuer(server.hub(), config);
    let shell = server.hub().shell();
    let new = NewCredential {
        label: "demonstration".to_owned(),
        days: 1,
        public_key: None,
    };
    let made = async {
        match issuer.add_integration(&shell, demo::INTEGRATION).await {
            Ok(()) | Err(Error::Exists(_)) => {}
            Err(error) => return Err(error),
        }
        issuer.add_credential(&shell, demo::IDENTITY, new).await
    };
    match made.await {
        Ok((_, secret)) => secret.map(|secret| secret.reveal().to_owned()),
        Err(error) => {
            tracing::warn!("the demonstration has no verified results: {error}");
            None
        }
    }
}

/// Fills the hub while it runs: the demonstration comes in by the front door.
fn fill_behind(
    address: SocketAddr,
    people: [String; 2],
    signer: Option<String>,
    samples: demo::Samples,
) {
    std::thread::spawn(
        move || match fill(address, &people, signer.as_deref(), samples) {
            Ok(()) => tracing::info!("the demonstration is complete"),
            Err(error) => tracing::error!("the demonstration is incomplete: {error}"),
        },
    );
}

/// Gives the demonstration a lake in its data directory, where the program is installed and none is
/// configured.
fn add_lake(config: &mut ServerConfig) {
    let is_free = config.lake.directory.is_none() && config.lake.socket.is_none();
    if !is_free || !super::lake::is_installed() {
        return;
    }
    let faults = config.check().len();
    config.lake.directory = Some(config.data.join("lake"));
    // A data directory may be too deep for a socket; the demonstration is then one without samples.
    if config.check().len() > faults {
        config.lake.directory = None;
    }
}

fn fill(
    address: SocketAddr,
    [operator, visitor]: &[String; 2],
    signer: Option<&str>,
    samples: demo::Samples,
) -> Result<(), ClientError> {
    let url = format!("http://{address}");
    demo::fill(
        &Client::new(&url, Some(operator.as_str()))?,
        &Client::new(&url, Some(visitor.as_str()))?,
        signer
            .map(|secret| Client::new(&url, Some(secret)))
            .transpose()?
            .as_ref(),
        samples,
    )
}
