//! The hub through its router, one file a subject.

#![cfg(test)]

mod accounts;
mod arrivals;
mod audit;
mod boards_page;
mod browser;
mod client_calls;
mod client_webhooks;
mod commits;
mod discussions;
mod docs_pages;
mod downloads;
mod early_answers;
mod evidence;
mod files;
mod findings_page;
mod git;
mod issuer;
mod kept;
#[cfg(unix)]
mod lake_fill;
mod large_files;
mod leaderboards;
mod limits;
mod listing;
mod matrix_page;
mod monitoring;
mod observability;
mod one_board;
mod openapi;
mod page_sizes;
mod pages;
mod permissions;
mod quota;
mod readiness;
mod reading_pages;
mod records;
mod refs;
mod repositories;
mod rights;
mod serving;
mod slow_clients;
mod tolerated;
mod traps;
mod unseen_pages;
mod web_acts;
mod web_changes;
mod web_hooks;
mod web_inbox;
mod web_provenance;
mod web_safety;
mod web_support;
mod web_trust;
mod web_upload;
mod xet;
