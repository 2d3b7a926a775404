use std::sync::OnceLock;

use super::{Service, pkt, version};
use crate::command::Git;
use crate::{Error, Repository};

/// The capabilities of the server for a push.
const CAPABILITIES: &str = concat!(
    "report-status report-status-v2 delete-refs side-band-64k quiet atomic ofs-delta ",
    "object-format=sha1 agent=assay/",
    env!("CARGO_PKG_VERSION")
);

/// Maximum number of bytes of the list of refs.
const MAX_ADVERTISEMENT: usize = 256 << 20;

/// The answer to a client that speaks version 2 says nothing of the repository, so one is enough.
static VERSION_2: OnceLock<Vec<u8>> = OnceLock::new();

impl Repository {
    /// The first answer to a git client, with the service line that smart HTTP puts before it.
    ///
    /// `protocol` is what the client sent as `Git-Protocol`.
    pub async fn advertise(
        &self,
        service: Service,
        protocol: Option<&str>,
    ) -> Result<Vec<u8>, Error> {
        let version = version(protocol);
        if service == Service::UploadPack
            && version == Some("version=2")
            && let Some(known) = VERSION_2.get()
        {
            return Ok(known.clone());
        }
        let repository = self.clone();
        let work = move || match service {
            Service::UploadPack => repository.advertise_upload(version),
            Service::ReceivePack => repository.advertise_receive(),
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(answer) => answer,
            Err(error) => Err(Error::Spawn {
                subcommand: "upload-pack",
                source: error.into(),
            }),
        }
    }

    fn advertise_receive(&self) -> Result<Vec<u8>, Error> {
        let mut out = service_line(Service::ReceivePack);
        let refs = self.ref_values()?;
        let mut lines = refs.iter().map(|(name, id)| format!("{id} {name}"));
        let first = lines.next();
        let first = first.unwrap_or_else(|| format!("{} capabilities^{{}}", "0".repeat(40)));
        pkt::write(&mut out, format!("{first}\0{CAPABILITIES}\n").as_bytes());
        for line in lines {
            pkt::write(&mut out, format!("{line}\n").as_bytes());
        }
        out.extend_from_slice(pkt::FLUSH);
        Ok(out)
    }

    fn advertise_upload(&self, version: Option<&'static str>) -> Result<Vec<u8>, Error> {
        let git = Git::new("upload-pack").within(self.path());
        let git = match version {
            Some(version) => git.env("GIT_PROTOCOL", version),
            None => git,
        };
        let output = git
            .args(["--stateless-rpc", "--advertise-refs"])
            .arg(self.path())
            .run(MAX_ADVERTISEMENT)?
            .require("upload-pack")?;
        // Version 2 says itself what it is.
        if version == Some("version=2") {
            return Ok(VERSION_2.get_or_init(|| output.stdout).clone());
        }
        let mut out = service_line(Service::UploadPack);
        out.extend(output.stdout);
        Ok(out)
    }
}

fn service_line(service: Service) -> Vec<u8> {
    let mut out = Vec::new();
    pkt::write(
        &mut out,
        format!("# service={}\n", service.as_str()).as_bytes(),
    );
    out.extend_from_slice(pkt::FLUSH);
    out
}
