use assay_cli::{Exit, Printer};
use assay_model::chain;
use assay_render::visible;
use assay_server::{Config, ServeError, Serves};

use super::args::{Place, Serve};
use crate::commands::serve::{load, refuse, runtime};

/// Runs an issuer until it is told to stop.
pub(super) fn run(command: &Serve, place: &Place, printer: &mut Printer) -> Exit {
    let mut flags = place.hub.flags();
    flags.push(("issuer.hub", command.hub.clone()));
    if let Some(listen) = &command.listen {
        flags.push(("listen", listen.clone()));
    }
    if let Some(policy) = &place.policy {
        flags.push(("issuer.policy", policy.display().to_string()));
    }
    let mut config = match load(place.hub.config.as_deref(), &flags, &command.set) {
        Ok(config) => config,
        Err(faults) => return refuse(&faults, printer),
    };
    config.serves = Serves::IssuerAlone;
    assay_server::start_log(&config);
    let Some(runtime) = runtime(printer) else {
        return Exit::Failed;
    };
    match runtime.block_on(serve(config, printer)) {
        Ok(()) => Exit::Clean,
        Err(error) => {
            printer.error(&visible(&chain(&error)));
            Exit::Failed
        }
    }
}

async fn serve(config: Config, printer: &mut Printer) -> Result<(), ServeError> {
    let scheme = if config.has_tls() { "https" } else { "http" };
    let server = assay_server::serve(config).await?;
    printer.line(&format!("the issuer is at {scheme}://{}", server.address()));
    if let Some((account, secret)) = server.first_operator() {
        printer.line(&format!(
            "the operator is `{}`; this token is shown once:\n  {}",
            account.name,
            secret.reveal()
        ));
    }
    printer.flush();
    server.run().await
}
