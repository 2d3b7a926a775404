/// An account to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewAccount<'a> {
    /// The name, which is also its namespace.
    pub name: &'a str,
    /// The name for people; none when empty.
    pub full_name: &'a str,
    /// The address of a user, for commits.
    pub email: Option<&'a str>,
    /// True if it runs the hub.
    pub operator: bool,
    /// The treatment of a name that looks like another one.
    pub look_alike: LookAlike,
}

/// The treatment of a new name that looks like an existing one, such as `a1ice` beside `alice`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookAlike {
    /// It is refused.
    Refused,
    /// An operator wants it.
    Allowed,
}
