use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file has no PEM of the right kind.
    #[error("`{path}` has no {what} in PEM: {source}")]
    Pem {
        /// The file.
        path: PathBuf,
        /// What it should have.
        what: &'static str,
        /// Why not.
        source: pem::Error,
    },
    /// Key and certificate do not belong together, or are of a kind that TLS does not know.
    #[error("the certificate cannot be used with this key: {0}")]
    Unusable(#[from] rustls::Error),
}

/// What a TLS connection is answered with.
pub(crate) fn load(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let fault = |path: &Path, what, source| TlsError::Pem {
        path: path.to_owned(),
        what,
        source,
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|source| fault(certificate, "certificate", source))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|source| fault(key, "key", source))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, secret)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
