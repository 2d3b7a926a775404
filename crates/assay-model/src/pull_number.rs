/// The number of a discussion or pull request in its repository. Both count in one sequence, which
/// begins with 1; JSON and the database have it as a number.
pub type PullNumber = u32;
