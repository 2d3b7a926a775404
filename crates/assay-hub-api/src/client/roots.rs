//! The authorities whose certificates are trusted.

use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// Trusts what this system trusts: its store of certificates, or what `SSL_CERT_FILE` and
/// `SSL_CERT_DIR` name. Returns nothing where there are none, as in a bare container; the
/// authorities of Mozilla then remain.
pub(super) fn of_this_system() -> Option<TlsConfig> {
    let loaded = rustls_native_certs::load_native_certs().certs;
    if loaded.is_empty() {
        return None;
    }
    let certificates = loaded
        .iter()
        .map(|own| Certificate::from_der(own).to_owned());
    let roots = RootCerts::from(certificates);
    Some(TlsConfig::builder().root_certs(roots).build())
}
