//! Bare repositories: commits, refs, pull-request refs, large files, the git protocol over byte streams.
