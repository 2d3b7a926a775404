use super::leaderboard::Leaderboard;

/// The edition of AlpacaEval: the baseline, and the judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edition {
    version: Option<Version>,
    /// True if the judge is the one that the version is known for; some leaderboards have another.
    has_own_judge: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Against text-davinci-003, judged by GPT-4.
    V1,
    /// Against GPT-4 Turbo, judged by GPT-4 Turbo with weights from its log-probabilities.
    V2,
}

/// The facts of a version.
pub(super) struct Facts {
    /// The version of AlpacaEval.
    pub(super) version: &'static str,
    /// The name of the judge and its prompt in AlpacaEval.
    pub(super) annotator: &'static str,
    /// The model that judges, as `developer/model`.
    pub(super) judge: &'static str,
    /// The baseline that models are compared with.
    pub(super) baseline: &'static str,
    /// The address of the leaderboard.
    pub(super) url: &'static str,
}

const V1: Facts = Facts {
    version: "1.0",
    annotator: "alpaca_eval_gpt4",
    judge: "openai/gpt-4",
    baseline: "text_davinci_003",
    url: "https://raw.githubusercontent.com/tatsu-lab/alpaca_eval/main/src/alpaca_eval/leaderboards/data_AlpacaEval/alpaca_eval_gpt4_leaderboard.csv",
};

const V2: Facts = Facts {
    version: "2.0",
    annotator: "weighted_alpaca_eval_gpt4_turbo",
    judge: "openai/gpt-4-1106-preview",
    baseline: "gpt4_1106_preview",
    url: "https://raw.githubusercontent.com/tatsu-lab/alpaca_eval/main/src/alpaca_eval/leaderboards/data_AlpacaEval_2/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv",
};

impl Edition {
    /// Told by the path, else by the model that draws with itself, else by the columns: lengths are
    /// controlled for since the second.
    pub(super) fn of(path: &str, board: &Leaderboard) -> Self {
        let annotator = annotator_in(path);
        let version = by_annotator(annotator)
            .or_else(|| by_directory(path))
            .or_else(|| by_baseline(board))
            .or_else(|| board.is_length_controlled.then_some(Version::V2));
        let own = version.map(|version| version.facts().annotator);
        Self {
            version,
            has_own_judge: version.is_some() && (annotator.is_none() || annotator == own),
        }
    }

    pub(super) fn is_known(self) -> bool {
        self.version.is_some()
    }

    pub(super) fn dataset(self) -> &'static str {
        match self.version {
            Some(Version::V1) => "alpaca_eval_v1",
            Some(Version::V2) => "alpaca_eval_v2",
            None => "alpaca_eval",
        }
    }

    pub(super) fn facts(self) -> Option<&'static Facts> {
        self.version.map(Version::facts)
    }

    /// Returns the facts of the judge.
    pub(super) fn judged(self) -> Option<&'static Facts> {
        self.facts().filter(|_| self.has_own_judge)
    }
}

impl Version {
    fn facts(self) -> &'static Facts {
        match self {
            Self::V1 => &V1,
            Self::V2 => &V2,
        }
    }
}

/// The annotator that a path names: `{annotator}_leaderboard.csv`, or the directory of
/// `leaderboard.csv`.
fn annotator_in(path: &str) -> Option<&str> {
    let mut parts = path.rsplit('/');
    let file = parts.next()?;
    if file == "leaderboard.csv" {
        return parts
            .next()
            .filter(|name| *name == V1.annotator || *name == V2.annotator);
    }
    file.strip_suffix("_leaderboard.csv")
}

fn by_annotator(annotator: Option<&str>) -> Option<Version> {
    [Version::V1, Version::V2]
        .into_iter()
        .find(|version| annotator == Some(version.facts().annotator))
}

fn by_directory(path: &str) -> Option<Version> {
    path.split('/').rev().find_map(|part| match part {
        "data_AlpacaEval" => Some(Version::V1),
        "data_AlpacaEval_2" => Some(Version::V2),
        _ => None,
    })
}

fn by_baseline(board: &Leaderboard) -> Option<Version> {
    let even = |name: &str| {
        board.entries.iter().any(|entry| {
            entry.model == name && entry.win_rate == Some(50.0) && entry.standard_error == Some(0.0)
        })
    };
    [Version::V1, Version::V2]
        .into_iter()
        .find(|version| even(version.facts().baseline))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edition(path: &str, text: &str) -> (&'static str, bool) {
        let board = Leaderboard::read(text.as_bytes(), path).unwrap();
        let edition = Edition::of(path, &board);
        (edition.dataset(), edition.judged().is_some())
    }

    #[test]
    fn path_baseline_and_columns_tell_the_edition_in_this_order() {
        const PLAIN: &str = "model,win_rate\na,1\n";
        for (path, text, expected) in [
            ("b.csv", PLAIN, ("alpaca_eval", false)),
            (
                "x/alpaca_eval_gpt4_leaderboard.csv",
                PLAIN,
                ("alpaca_eval_v1", true),
            ),
            (
                "x/weighted_alpaca_eval_gpt4_turbo/leaderboard.csv",
                PLAIN,
                ("alpaca_eval_v2", true),
            ),
            (
                "data_AlpacaEval_2/claude_3_leaderboard.csv",
                PLAIN,
                ("alpaca_eval_v2", false),
            ),
            (
                "b.csv",
                "model,win_rate,standard_error\ntext_davinci_003,50.0,0\n",
                ("alpaca_eval_v1", true),
            ),
            (
                "b.csv",
                "model,win_rate,standard_error\ngpt4_1106_preview,50.0,0.0\n",
                ("alpaca_eval_v2", true),
            ),
            (
                "b.csv",
                "model,win_rate,length_controlled_winrate\na,1,2\n",
                ("alpaca_eval_v2", true),
            ),
        ] {
            assert_eq!(edition(path, text), expected, "{path} {text}");
        }
    }
}
