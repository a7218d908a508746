//! Whether a file that is to be written would be read as trajectories.

use glob::{MatchOptions, Pattern};
use std::path::{Component, Path, PathBuf};

/// As the glob of trajectories is expanded: wildcards stay within a name, `**` crosses directories.
const WITHIN_NAMES: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// Whether reading `trajectories` takes a file at `path` or opens a directory above it: a directory
/// that holds it at any depth, or a glob that matches. Neither `path` nor its directory need exist.
pub fn is_reached(trajectories: &Path, path: &Path) -> bool {
    if let Ok(about) = std::fs::metadata(trajectories) {
        return about.is_dir() && real(path).starts_with(real(trajectories));
    }
    // A pattern without a directory is one of the working directory.
    let fixed: PathBuf =
        std::iter::once(Component::CurDir).chain(trajectories.components().take_while(is_fixed)).collect();
    let rest: PathBuf = trajectories.components().skip_while(is_fixed).collect();
    let lexical = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // By the real path, and as written: a link may lie on either side.
    [(real(&fixed), real(path)), (lexical(&fixed), lexical(path))].into_iter().any(|(fixed, path)| {
        let pattern = Path::new(&Pattern::escape(&fixed.to_string_lossy())).join(&rest);
        let Ok(pattern) = Pattern::new(&pattern.to_string_lossy()) else { return false };
        path.ancestors().any(|path| pattern.matches_path_with(path, WITHIN_NAMES))
    })
}

fn is_fixed(part: &Component<'_>) -> bool {
    !part.as_os_str().to_string_lossy().contains(['*', '?', '['])
}

/// The path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for existing in absolute.ancestors() {
        if let (Ok(real), Ok(rest)) = (existing.canonicalize(), absolute.strip_prefix(existing)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    absolute
}

#[cfg(test)]
mod tests {
    use super::is_reached;
    use std::fs;

    #[test]
    fn directories_and_globs_reach_what_lies_in_them() {
        let dir = tempfile::tempdir().expect("scratch");
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("data [1]/deep")).expect("made");
        fs::write(at("data [1]/one.parquet"), "").expect("written");
        assert!(is_reached(&at("data [1]"), &at("data [1]/out/runs.parquet")));
        assert!(is_reached(&at("data [1]"), &at("data [1]/deep/../out/runs.parquet")));
        assert!(!is_reached(&at("data [1]/one.parquet"), &at("data [1]/out/runs.parquet")), "a file is itself only");
        assert!(!is_reached(&at("data [1]"), &at("data [1]-out/runs.parquet")));
        fs::create_dir(at("data")).expect("made");
        for (glob, path, reached) in [
            ("data/*.parquet", "data/out.parquet", true),
            ("data/*.parquet", "data/out/runs.parquet", false),
            ("data/**/*.parquet", "data/out/runs.parquet", true),
            ("data/*/*.parquet", "data/out/runs.parquet", true),
            ("data/o*", "data/out/deep/runs.parquet", true),
            ("data/*.parquet", "else/runs.parquet", false),
            ("da?a/**/part-*.parquet", "data/out/distances/part-00000.parquet", true),
            ("data/[", "data/out/runs.parquet", false),
        ] {
            assert_eq!(is_reached(&at(glob), &at(path)), reached, "{glob} {path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_hide_where_a_file_lies() {
        let dir = tempfile::tempdir().expect("scratch");
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("data")).expect("made");
        std::os::unix::fs::symlink("data", at("link")).expect("linked");
        assert!(is_reached(&at("data"), &at("link/out/runs.parquet")));
        assert!(is_reached(&at("link"), &at("data/out/runs.parquet")));
        assert!(is_reached(&at("data/**/*.parquet"), &at("link/out/runs.parquet")));
        assert!(is_reached(&at("link/**/*.parquet"), &at("data/out/runs.parquet")));
    }
}
