//! What the hub does and who may do it.
