//! What must hold for any bytes, one file a family of targets.

mod evidence;
mod files;
mod hub;
mod log;
mod names;
mod texts;
mod wire;
