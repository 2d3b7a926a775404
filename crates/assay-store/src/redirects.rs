use assay_model::RepoKey;

questions! {
    /// The names that a repository had before, in lower case and in order.
    fn former_names(key: RepoKey) -> Vec<String>;
}
