//! The store on real files.

#![cfg(test)]

mod accounts;
mod discussions;
mod dump;
mod entries;
mod entry_properties;
mod index;
mod issuer;
mod listing;
mod news;
mod repositories;
mod safety;
mod support;
mod trust;
mod web;
