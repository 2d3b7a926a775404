use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

/// The reason why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The failure.
        source: io::Error,
    },
    /// The file has no PEM of the right kind.
    #[error("`{path}` has no {what} in PEM: {source}")]
    Pem {
        /// The file.
        path: PathBuf,
        /// The content that it should have.
        what: &'static str,
        /// The cause.
        source: pem::Error,
    },
    /// Key and certificate do not belong together, or are of a kind that TLS does not know.
    #[error("the certificate cannot be used with this key: {0}")]
    Unusable(#[from] rustls::Error),
}

/// A certificate in two files that are read again when they change, so that a renewal needs no
/// restart.
pub(crate) struct Certificate {
    chain: PathBuf,
    key: PathBuf,
    loaded: RwLock<Loaded>,
}

/// What the files had when they were last read, and what it came to.
struct Loaded {
    files: [Vec<u8>; 2],
    certified: Arc<CertifiedKey>,
}

impl Certificate {
    /// Reads a certificate chain and its key.
    pub(crate) fn open(chain: &Path, key: &Path) -> Result<Arc<Self>, TlsError> {
        let files = [read(chain)?, read(key)?];
        let certified = certify(&files, [chain, key])?;
        Ok(Arc::new(Self {
            chain: chain.to_owned(),
            key: key.to_owned(),
            loaded: RwLock::new(Loaded { files, certified }),
        }))
    }

    /// Returns what connections are encrypted with: new ones with the certificate that was read
    /// last.
    pub(crate) fn server_config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, TlsError> {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(self) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// Reads the files again if they have changed. Returns true when there is another certificate
    /// from now on. What cannot be used, such as a new chain whose key is not there yet, changes
    /// nothing.
    pub(crate) fn reload_if_changed(&self) -> Result<bool, TlsError> {
        let files = [read(&self.chain)?, read(&self.key)?];
        if self.loaded.read().files == files {
            return Ok(false);
        }
        let certified = certify(&files, [&self.chain, &self.key])?;
        *self.loaded.write() = Loaded { files, certified };
        Ok(true)
    }

    fn current(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.loaded.read().certified)
    }
}

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current())
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Certificate")
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|source| TlsError::Read {
        path: path.to_owned(),
        source,
    })
}

fn certify(files: &[Vec<u8>; 2], paths: [&Path; 2]) -> Result<Arc<CertifiedKey>, TlsError> {
    let fault = |path: &Path, what, source| TlsError::Pem {
        path: path.to_owned(),
        what,
        source,
    };
    let chain = CertificateDer::pem_slice_iter(&files[0])
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| fault(paths[0], "certificate", source))?;
    let key = PrivateKeyDer::from_pem_slice(&files[1])
        .map_err(|source| fault(paths[1], "key", source))?;
    let certified = CertifiedKey::from_der(chain, key, &ring::default_provider())?;
    Ok(Arc::new(certified))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/hub/tls")
            .join(name)
    }

    #[test]
    fn a_renewed_certificate_is_taken_and_half_of_one_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let [chain, key] = ["chain.pem", "key.pem"].map(|name| directory.path().join(name));
        std::fs::copy(own("certificate.pem"), &chain).unwrap();
        std::fs::copy(own("key.pem"), &key).unwrap();
        let certificate = Certificate::open(&chain, &key).unwrap();
        let first = certificate.current().cert.clone();

        assert!(!certificate.reload_if_changed().unwrap());
        std::fs::copy(own("renewed.pem"), &chain).unwrap();
        let half = certificate.reload_if_changed();
        let during = certificate.current().cert.clone();
        std::fs::copy(own("renewed-key.pem"), &key).unwrap();
        let whole = certificate.reload_if_changed().unwrap();
        std::fs::write(&chain, "").unwrap();
        let emptied = certificate.reload_if_changed();

        assert!(matches!(half, Err(TlsError::Unusable(_))), "{half:?}");
        assert_eq!(during, first);
        assert!(whole);
        assert!(emptied.is_err());
        assert_ne!(certificate.current().cert, first);
    }
}
