use super::results::Results;
use super::table::Table;
use crate::convert::Log;

/// Number of directories above the results file that are looked through for the details.
const MAX_STEPS_UP: usize = 8;

/// The details of one run: a directory with one file for each task.
pub(super) struct Details {
    directory: Option<String>,
    names: Vec<String>,
    date: String,
}

impl Details {
    /// Looks for `details/<model>/<date>` in the directories above the results file: by default
    /// results lie in `results/<model>` of the same output directory, but that can be changed.
    pub(super) fn find(log: &Log<'_>, results: &Results<'_>) -> Self {
        let date = results.date.clone().unwrap_or_default();
        let mut found = Self {
            directory: None,
            names: Vec::new(),
            date,
        };
        if found.date.is_empty() {
            return found;
        }
        let model = results.model_name.trim_matches('/');
        let mut above = log.path;
        for _ in 0..MAX_STEPS_UP {
            let parent = above.rsplit_once('/').map_or("", |(parent, _)| parent);
            let directory = join(parent, &format!("details/{model}/{}", found.date));
            if let Ok(names) = log.logs.list(&directory) {
                found.directory = Some(directory);
                found.names = names;
                return found;
            }
            if parent.is_empty() {
                break;
            }
            above = parent;
        }
        found
    }

    /// Opens the details of a task; nothing if there are none.
    pub(super) fn table<'a>(&self, log: &Log<'a>, key: &str) -> Result<Option<Table<'a>>, String> {
        let (Some(directory), Some(name)) = (&self.directory, self.name_for(key)) else {
            return Ok(None);
        };
        let path = join(directory, name);
        Table::open(log.logs, &path)
            .map(Some)
            .map_err(|why| format!("`{path}` is damaged ({why})"))
    }

    /// The file of a task. Its name holds `:` and `|`, which some tools that copy files replace.
    fn name_for(&self, key: &str) -> Option<&str> {
        let expected = format!("details_{key}_{}.parquet", self.date);
        let exact = self.names.iter().find(|name| **name == expected);
        let mut alike = self.names.iter().filter(|name| is_alike(name, &expected));
        exact
            .or_else(|| alike.next().filter(|_| alike.next().is_none()))
            .map(String::as_str)
    }
}

/// Returns whether two names differ only in what stands for characters that not every file system
/// can hold.
fn is_alike(name: &str, expected: &str) -> bool {
    let same = |(found, wanted): (char, char)| {
        found == wanted
            || (matches!(wanted, ':' | '|' | '/')
                && matches!(found, '_' | '-' | '\u{f03a}' | '\u{f07c}'))
    };
    name.chars().count() == expected.chars().count() && name.chars().zip(expected.chars()).all(same)
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(names: &[&str]) -> Details {
        Details {
            directory: Some(String::new()),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            date: "D".to_owned(),
        }
    }

    #[test]
    fn a_task_is_not_given_the_file_of_another() {
        let details = details(&["details_arc:easy|0_D.parquet", "details_arc|0_E.parquet"]);

        assert_eq!(details.name_for("arc|0"), None);
        assert_eq!(
            details.name_for("arc:easy|0"),
            Some("details_arc:easy|0_D.parquet")
        );
    }

    #[test]
    fn replaced_characters_are_recognised_unless_two_files_fit() {
        let one = details(&["details_arc_easy_0_D.parquet"]);
        let two = details(&[
            "details_arc_easy_0_D.parquet",
            "details_arc-easy-0_D.parquet",
        ]);

        assert_eq!(
            one.name_for("arc:easy|0"),
            Some("details_arc_easy_0_D.parquet")
        );
        assert_eq!(two.name_for("arc:easy|0"), None);
    }
}
