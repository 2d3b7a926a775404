//! The shape of an aggregate record, version by version.

mod common;
mod prelude;
mod v0_2_0;
mod v0_2_2;
mod v0_3_0;

use super::Version;
use crate::shape::Shape;

/// The shape of an aggregate record in one version.
pub fn shape(version: Version) -> &'static Shape {
    match version {
        Version::V0_2_0 => &v0_2_0::RECORD,
        Version::V0_2_1 | Version::V0_2_2 => &v0_2_2::RECORD,
        Version::V0_2_3 | Version::V0_3_0 => &v0_3_0::RECORD,
    }
}
