//! `check --srdf`: the SRDF that a robot needs, as far as its postures tell.

use super::args::SrdfArgs;
use super::args_input::ProgressArg;
use super::files;
use super::pipe::is_dash;
use super::text::{count, counted, visible};
use super::{interrupt, progress, stdout};
use clearsweep::{Error, Result};
use clearsweep_base::share::share_with_interval;
use clearsweep_engine::{CancelToken, LinkPairFound, LinkPairKind, LinkPairs, link_pairs};
use clearsweep_model::{Scene, SceneRobot};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Draws, unless a number is given: those of MoveIt's setup assistant.
const SAMPLES: u64 = 10_000;

/// The kinds in the order of the file, each with its number and its lines.
type Section<'a> = (LinkPairKind, String, Vec<&'a LinkPairFound>);

/// A proposal, and where it goes.
pub(super) struct Proposal<'s> {
    robot: &'s SceneRobot,
    found: LinkPairs,
    target: &'s Path,
}

impl<'s> Proposal<'s> {
    /// Makes the proposal that is asked for, and writes its file; `None`: none is asked for.
    ///
    /// # Errors
    /// The scene has not one robot, the file is there already, or the job fails.
    pub(super) fn new(scene: &'s Scene, args: &'s SrdfArgs) -> Result<Option<Self>> {
        let Some(target) = args.srdf.as_deref() else { return Ok(None) };
        let [robot] = scene.robots.as_slice() else {
            let problem = format!("needs a scene of one [[robot]], and this one has {}", scene.robots.len());
            return Err(Error::usage("--srdf", problem, "check a scene with that robot alone"));
        };
        if !is_dash(target) {
            files::check_target(target, args.force)?;
        }
        let token = CancelToken::new();
        let cancelled = token.clone();
        interrupt::at_first(move || cancelled.cancel());
        let draws = [args.srdf_samples.unwrap_or(SAMPLES), args.srdf_seed.unwrap_or(0)];
        let shown = progress::shown(ProgressArg::Auto);
        let proposal = Self { robot, found: link_pairs(scene, 0, draws, &shown, &token)?, target };
        drop(shown);
        match is_dash(target) {
            true => stdout::print_bytes(proposal.text().as_bytes())?,
            false => files::write_whole(target, proposal.text().as_bytes(), args.force)?,
        }
        Ok(Some(proposal))
    }

    /// Whether it goes to stdout, which then has nothing else.
    pub(super) fn is_printed(&self) -> bool {
        is_dash(self.target)
    }

    /// The pairs that are left out, by reason.
    fn sections(&self) -> Vec<Section<'_>> {
        let draws = counted(self.found.samples, "draw");
        let (_, [_, most]) = share_with_interval(0, self.found.samples);
        let never = format!(
            "Never: apart in {draws}. This is no proof: with 95 % confidence they touch in less than {} of all draws",
            percent(most)
        );
        let kinds = [
            (LinkPairKind::Adjacent, "Adjacent: joined by a joint".to_owned()),
            (LinkPairKind::Default, "Default: touch or overlap in the default posture. Look at each".to_owned()),
            (LinkPairKind::Always, format!("Always: touch or overlap in each of {draws}")),
            (LinkPairKind::Never { is_proven: true }, "Never: proven for all values of the joints".to_owned()),
            (LinkPairKind::Never { is_proven: false }, never),
        ];
        let of = |kind| self.found.pairs.iter().filter(move |pair| pair.kind == kind).collect::<Vec<_>>();
        let sections = kinds.into_iter().map(|(kind, words)| (kind, words, of(kind)));
        sections.filter(|(_, _, pairs)| !pairs.is_empty()).collect()
    }

    /// The file.
    fn text(&self) -> String {
        let (all, checked) = (self.found.pairs.len() as u64, self.checked().count() as u64);
        let LinkPairs { samples, seed, still, .. } = &self.found;
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- A proposal of clearsweep {} from {}: each joint uniform in its limits, seed {seed}.\n     \
             {} of {} of links with collision geometry are left to be checked. -->\n",
            env!("CARGO_PKG_VERSION"),
            counted(*samples, "draw"),
            count(checked),
            counted(all, "pair"),
        );
        if !still.is_empty() {
            let names = still.join(", ").replace("--", "- -");
            let _ = writeln!(text, "<!-- Without limits, so that they stood still: {names} -->");
        }
        let _ = writeln!(text, "<robot name=\"{}\">", attribute(&self.robot.own_name));
        for (kind, words, pairs) in self.sections() {
            let _ = writeln!(text, "  <!-- {words} -->");
            for pair in pairs {
                let [a, b] = self.names(pair).map(attribute);
                let reason = word(kind);
                let met = match kind {
                    LinkPairKind::Default => {
                        format!(" <!-- in {} of {} -->", count(pair.contacts), counted(*samples, "draw"))
                    }
                    _ => String::new(),
                };
                let _ = writeln!(text, "  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>{met}");
            }
        }
        text + "</robot>\n"
    }

    fn checked(&self) -> impl Iterator<Item = &LinkPairFound> {
        self.found.pairs.iter().filter(|pair| pair.kind == LinkPairKind::Sometimes)
    }

    fn names(&self, pair: &LinkPairFound) -> [&str; 2] {
        pair.links.map(|link| &*self.robot.links[link].name)
    }

    /// Lines of `check`.
    pub(super) fn lines(&self) -> Vec<String> {
        /// Pairs that are listed.
        const LISTED: usize = 5;
        let mut lines = vec![format!("{}, by {}", self.target.display(), counted(self.found.samples, "draw"))];
        lines.extend(
            self.sections().into_iter().map(|(_, words, pairs)| format!("{}: {words}", count(pairs.len() as u64))),
        );
        let mut checked: Vec<&LinkPairFound> = self.checked().collect();
        lines.push(format!(
            "{}: touch or overlap at some values, and are left to be checked",
            count(checked.len() as u64)
        ));
        checked.sort_by_key(|pair| pair.contacts);
        lines.extend(checked.iter().take(LISTED).map(|pair| {
            let [a, b] = self.names(pair).map(visible);
            format!("  {a} and {b}: in {}", counted(pair.contacts, "draw"))
        }));
        match checked.len().saturating_sub(LISTED) as u64 {
            0 => {}
            more => lines.push(format!("  and {} more, in more draws (`srdf` of --json has all)", count(more))),
        }
        if !self.found.still.is_empty() {
            lines.push(format!("stood still, without limits: {}", self.found.still.join(", ")));
        }
        lines
    }

    /// The object of `check --json`.
    pub(super) fn as_json(&self) -> Value {
        let pair = |pair: &LinkPairFound| {
            let [a, b] = self.names(pair);
            let is_proven = match pair.kind {
                LinkPairKind::Never { is_proven } => Some(is_proven),
                _ => None,
            };
            let reason = (pair.kind != LinkPairKind::Sometimes).then(|| word(pair.kind));
            json!({ "link1": a, "link2": b, "reason": reason, "proven": is_proven, "contacts": pair.contacts })
        };
        json!({
            "path": self.target.display().to_string(),
            "robot": self.robot.own_name,
            "samples": self.found.samples,
            "seed": self.found.seed,
            "still": self.found.still,
            "pairs": self.found.pairs.iter().map(pair).collect::<Vec<_>>(),
        })
    }
}

/// The reason in the words of MoveIt.
fn word(kind: LinkPairKind) -> &'static str {
    match kind {
        LinkPairKind::Adjacent => "Adjacent",
        LinkPairKind::Default => "Default",
        LinkPairKind::Always => "Always",
        LinkPairKind::Never { .. } => "Never",
        LinkPairKind::Sometimes => "User",
    }
}

/// A share in percent, rounded up to two digits.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let unit = 10_f64.powf(percent.log10().floor() - 1.0);
    let digits = (-unit.log10().round()).max(0.0) as usize;
    format!("{:.digits$} %", (percent / unit).ceil() * unit)
}

/// A text as the value of an attribute.
fn attribute(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => written.push_str("&amp;"),
            '<' => written.push_str("&lt;"),
            '"' => written.push_str("&quot;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(written, "&#{};", u32::from(c));
            }
            _ => written.push(c),
        }
    }
    written
}
