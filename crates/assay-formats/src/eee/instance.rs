//! The shape of a row of a samples file, version by version.

mod prelude;
mod v0_2_0;
mod v0_3_0;

use super::Version;
use crate::shape::Shape;

/// The shape of one row of a samples file in one version.
pub fn shape(version: Version) -> &'static Shape {
    match version {
        Version::V0_2_0 => &v0_2_0::ROW,
        Version::V0_2_1 | Version::V0_2_2 | Version::V0_2_3 | Version::V0_3_0 => &v0_3_0::ROW,
    }
}
