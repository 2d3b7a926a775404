//! The hub over HTTP.
