//! Inspect logs converted and judged by what comes out: by the published rules of the judge, by the
//! published schema, by the reference's own output, and by what must never happen.

mod convert;
mod corpus;
mod frames;
mod golden;
mod groups;
mod hostile;
mod packing;
mod support;
