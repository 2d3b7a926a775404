use crate::{Error, Tx};

questions! {
    /// The value of a setting of this hub.
    fn setting(name: &str) -> Option<String>;
}

impl Tx {
    /// Writes a setting, or removes it.
    pub async fn set_setting(&mut self, name: &str, value: Option<&str>) -> Result<(), Error> {
        let _ = (name, value);
        todo!()
    }
}
