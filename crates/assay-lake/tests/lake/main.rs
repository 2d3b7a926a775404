//! A lake from files on the disk to answers, through the doors that the commands use.

#![cfg(test)]

mod bucket;
mod cluster;
mod command;
mod compare;
mod crash;
mod duckdb;
#[cfg(unix)]
mod hub;
#[cfg(unix)]
mod hub_boards;
#[cfg(unix)]
mod hub_fill;
#[cfg(unix)]
mod hub_pages;
mod ingest;
mod peers;
mod query;
mod questions;
#[cfg(unix)]
mod serve;
mod storage;
mod support;
