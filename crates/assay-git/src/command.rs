//! The one way to run `git`: without the environment and the configuration of whoever started the hub.
