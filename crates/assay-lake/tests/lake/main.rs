//! A lake from files on the disk to answers, through the doors that the commands use.

#![cfg(test)]

mod bucket;
mod cluster;
mod command;
mod compare;
mod crash;
mod duckdb;
mod ingest;
mod query;
mod questions;
mod storage;
mod support;
