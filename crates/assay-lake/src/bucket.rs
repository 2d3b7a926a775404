//! Lakes in S3-compatible object storage.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::exec_err;
use datafusion::error::DataFusionError;
use datafusion::execution::object_store::{ObjectStoreRegistry, ObjectStoreUrl};
use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use url::Url;

use crate::error::Result;

/// What the address of a bucket begins with.
const SCHEME: &str = "s3://";
/// What the variables of the environment that concern buckets begin with.
const VARIABLES: &str = "AWS_";

/// The place that `s3://BUCKET/PREFIX` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bucket {
    name: String,
    prefix: ObjectPath,
}

/// How object storage is reached: keys, region, address.
#[derive(Clone, Default)]
pub struct Storage {
    settings: Vec<(AmazonS3ConfigKey, String)>,
}

/// The stores that the engine reads from: the file system, and buckets as they are asked for.
#[derive(Debug)]
pub(crate) struct Stores {
    storage: Storage,
    local: Arc<LocalFileSystem>,
    buckets: Mutex<BTreeMap<String, Arc<dyn ObjectStore>>>,
}

impl Bucket {
    /// The bucket that a path names, which is the path of no directory then.
    pub(crate) fn named(path: &Path) -> Option<Self> {
        let (name, prefix) = {
            let rest = path.to_str()?.strip_prefix(SCHEME)?;
            rest.split_once('/').unwrap_or((rest, ""))
        };
        Some(Self {
            name: name.to_owned(),
            prefix: ObjectPath::from(prefix),
        })
    }

    /// The bucket in the words of the engine.
    pub(crate) fn url(&self) -> Result<ObjectStoreUrl> {
        Ok(ObjectStoreUrl::parse(format!("{SCHEME}{}", self.name))?)
    }

    /// The key of a file of the lake.
    pub(crate) fn key_of(&self, relative: &str) -> ObjectPath {
        self.prefix
            .parts()
            .chain(ObjectPath::from(relative).parts())
            .collect()
    }

    /// Connects to the bucket.
    pub(crate) fn open(&self, storage: &Storage) -> object_store::Result<Arc<dyn ObjectStore>> {
        storage.bucket(&self.name)
    }
}

impl Storage {
    /// What variables of the environment say, by the names that other programs know: `AWS_ACCESS_KEY_ID`,
    /// `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`, `AWS_ALLOW_HTTP` and so on. All others are passed over.
    pub fn from_variables(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let known = |(name, value): (String, String)| {
            let is_ours = name.starts_with(VARIABLES);
            let key = name.to_ascii_lowercase().parse().ok().filter(|_| is_ours)?;
            Some((key, value))
        };
        Self {
            settings: variables.into_iter().filter_map(known).collect(),
        }
    }

    fn bucket(&self, name: &str) -> object_store::Result<Arc<dyn ObjectStore>> {
        let builder = self.settings.iter().fold(
            AmazonS3Builder::new().with_bucket_name(name),
            |builder, (key, value)| builder.with_config(*key, value),
        );
        Ok(Arc::new(builder.build()?))
    }
}

/// Keys are never printed.
impl fmt::Debug for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.settings.iter().map(|(key, _)| key.as_ref());
        formatter.debug_list().entries(names).finish()
    }
}

impl Stores {
    /// The stores that can be reached so.
    pub(crate) fn new(storage: Storage) -> Self {
        Self {
            storage,
            local: Arc::new(LocalFileSystem::new()),
            buckets: Mutex::new(BTreeMap::new()),
        }
    }
}

impl ObjectStoreRegistry for Stores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.insert(url.host_str().unwrap_or_default().to_owned(), store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>, DataFusionError> {
        match url.scheme() {
            "file" => Ok(Arc::clone(&self.local) as Arc<dyn ObjectStore>),
            "s3" => {
                let name = url.host_str().unwrap_or_default();
                let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(bucket) = buckets.get(name) {
                    return Ok(Arc::clone(bucket));
                }
                let bucket = self.storage.bucket(name)?;
                buckets.insert(name.to_owned(), Arc::clone(&bucket));
                Ok(bucket)
            }
            other => exec_err!("`{other}://` is no place that a lake can lie in"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_and_a_prefix_are_told_apart_from_a_directory() {
        let bucket = Bucket::named(Path::new("s3://results/lakes/main/")).unwrap();

        assert_eq!(bucket.url().unwrap().as_str(), "s3://results/");
        assert_eq!(bucket.key_of("lake.json").as_ref(), "lakes/main/lake.json");
        let whole = Bucket::named(Path::new("s3://results")).unwrap();
        assert_eq!(
            whole.key_of("tables/a/b.parquet").as_ref(),
            "tables/a/b.parquet"
        );
        assert_eq!(Bucket::named(Path::new("/srv/s3://results")), None);
        assert_eq!(Bucket::named(Path::new("results")), None);
    }

    #[test]
    fn keys_of_a_bucket_are_not_printed() {
        let variables = [
            ("AWS_SECRET_ACCESS_KEY", "hush"),
            ("AWS_UNHEARD_OF", "x"),
            ("PATH", "/bin"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));

        let storage = Storage::from_variables(variables);

        assert_eq!(format!("{storage:?}"), r#"["aws_secret_access_key"]"#);
    }
}
