//! The listing of the public items, `docs/public-api.txt`, is that of the sources.
//!
//! The items are those that `src/lib.rs` re-exports and does not hide; of each, its signature, its
//! public fields, variants and methods, and the traits that it implements.
//! `CLEARSWEEP_UPDATE_PUBLIC_API=1` in the environment writes the listing anew.

use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, TraitItem, Type, UseTree, Visibility};

const UPDATE: &str = "CLEARSWEEP_UPDATE_PUBLIC_API";

/// Most public items: more is no front door. Three of them are for distances along a direction and
/// for motion between frames, one says what is known of an inside, one how much is computed, one
/// holds values of joints, five say how searches go about their work.
const ITEMS: usize = 56;

/// The names of this repository's other crates begin so.
const CRATES: &str = "clearsweep_";

/// The sources, by module path; of other crates it begins with their name.
struct Sources {
    files: BTreeMap<Vec<String>, syn::File>,
}

impl Sources {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = BTreeMap::new();
        let mut waiting = vec![(root.join("src"), Vec::new())];
        for entry in std::fs::read_dir(root.join("crates")).expect("a folder") {
            let folder = entry.expect("an entry").path();
            if !folder.is_dir() {
                continue;
            }
            let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
            waiting.push((folder.join("src"), vec![format!("{CRATES}{name}")]));
        }
        while let Some((dir, path)) = waiting.pop() {
            for entry in std::fs::read_dir(dir).expect("a folder") {
                let file = entry.expect("an entry").path();
                let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
                let module: Vec<String> = match stem.as_str() {
                    "mod" | "lib" => path.clone(),
                    _ => path.iter().cloned().chain([stem.clone()]).collect(),
                };
                if file.is_dir() {
                    waiting.push((file, module));
                } else if file.extension().is_some_and(|kind| kind == "rs") && stem != "main" && stem != "tests" {
                    files.insert(module, parse(&file));
                }
            }
        }
        Self { files }
    }

    /// The module in which the item of this name is defined that `module` gives out, and its name
    /// there; `None`: it comes from another crate.
    fn find(&self, module: &[String], name: &str) -> Option<(Vec<String>, String)> {
        let file = self.files.get(module)?;
        if file.items.iter().any(|item| ident(item).is_some_and(|own| own == name)) {
            return Some((module.to_vec(), name.to_owned()));
        }
        for item in &file.items {
            let Item::Use(item) = item else { continue };
            let leaves = leaves(&item.tree, Vec::new());
            let Some((path, _)) = leaves.into_iter().find(|(_, given)| given == name) else { continue };
            let (real, path) = path.split_last().expect("a path has an end");
            let from = absolute(module, path);
            return self.find(&from, real);
        }
        None
    }
}

fn parse(file: &PathBuf) -> syn::File {
    let text = std::fs::read_to_string(file).expect("a source");
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The module that a path names in `module`.
fn absolute(module: &[String], path: &[String]) -> Vec<String> {
    let mut base = module.to_vec();
    let mut rest = path;
    while let Some((first, more)) = rest.split_first() {
        match first.as_str() {
            "crate" => base.retain(|name| name.starts_with(CRATES)),
            of_crate if of_crate.starts_with(CRATES) => {
                base.clear();
                break;
            }
            "super" => drop(base.pop()),
            "self" => {}
            _ => break,
        }
        rest = more;
    }
    base.extend_from_slice(rest);
    base
}

/// The paths of a `use`, each with the name that it gives.
fn leaves(tree: &UseTree, mut path: Vec<String>) -> Vec<(Vec<String>, String)> {
    match tree {
        UseTree::Path(next) => {
            path.push(next.ident.to_string());
            leaves(&next.tree, path)
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            path.push(name.clone());
            vec![(path, name)]
        }
        UseTree::Rename(name) => {
            path.push(name.ident.to_string());
            vec![(path, name.rename.to_string())]
        }
        UseTree::Group(group) => group.items.iter().flat_map(|tree| leaves(tree, path.clone())).collect(),
        UseTree::Glob(_) => Vec::new(),
    }
}

fn ident(item: &Item) -> Option<&syn::Ident> {
    match item {
        Item::Struct(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Const(item) => Some(&item.ident),
        _ => None,
    }
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        let text = a.to_token_stream().to_string();
        text.contains("doc (hidden)") || text.contains("cfg (test)")
    })
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Tokens as a person writes them.
fn tidy(tokens: impl ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (from, to) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        (" ,", ","),
        (" : ", ": "),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" ;", ";"),
        ("[ ", "["),
        (" ]", "]"),
        ("->", " -> "),
        ("=", " = "),
        ("+", " + "),
    ] {
        text = text.replace(from, to);
    }
    while text.contains("  ") {
        text = text.replace("  ", " ");
    }
    text.replace("- >", "->").replace("Fn(", "Fn (").replace("- ", "-").replace(",)", ")")
}

/// The lines of an item and of its parts, without those of impls.
fn item_lines(item: &Item, name: &str, lines: &mut Vec<String>) {
    let path = format!("clearsweep::{name}");
    match item {
        Item::Struct(item) => {
            lines.push(format!("pub struct {path}{}", tidy(&item.generics)));
            derives(&item.attrs, &path, lines);
            fields(&item.fields, &path, true, lines);
        }
        Item::Enum(item) => {
            lines.push(format!("pub enum {path}{}", tidy(&item.generics)));
            derives(&item.attrs, &path, lines);
            for variant in &item.variants {
                let path = format!("{path}::{}", variant.ident);
                match &variant.fields {
                    Fields::Unnamed(fields) => lines.push(format!("pub {path}{}", tidy(fields))),
                    _ => lines.push(format!("pub {path}")),
                }
                if let Fields::Named(_) = &variant.fields {
                    fields(&variant.fields, &path, false, lines);
                }
            }
        }
        Item::Trait(item) => {
            let bounds = &item.supertraits;
            let bounds = if bounds.is_empty() { String::new() } else { format!(": {}", tidy(bounds)) };
            lines.push(format!("pub trait {path}{}{bounds}", tidy(&item.generics)));
            for part in &item.items {
                if let TraitItem::Fn(method) = part
                    && !is_hidden(&method.attrs)
                {
                    let kind = if method.default.is_some() { "provided" } else { "required" };
                    lines.push(format!("pub {path}::{} ({kind})", signature(&method.sig)));
                }
            }
        }
        Item::Type(item) => {
            lines.push(format!("pub type {path}{} = {}", tidy(&item.generics), tidy(&item.ty)));
        }
        Item::Fn(item) => lines.push(format!("pub fn {path}: {}", signature(&item.sig))),
        Item::Const(item) => lines.push(format!("pub const {path}: {}", tidy(&item.ty))),
        _ => panic!("{path} is of no kind that the listing knows"),
    }
}

fn fields(fields: &Fields, path: &str, only_public: bool, lines: &mut Vec<String>) {
    for (number, field) in fields.iter().enumerate() {
        if is_hidden(&field.attrs) || only_public && !is_public(&field.vis) {
            continue;
        }
        let name = field.ident.as_ref().map_or(number.to_string(), ToString::to_string);
        lines.push(format!("pub {path}::{name}: {}", tidy(&field.ty)));
    }
}

fn derives(attributes: &[Attribute], path: &str, lines: &mut Vec<String>) {
    for attribute in attributes.iter().filter(|a| a.path().is_ident("derive")) {
        let traits = attribute
            .parse_args_with(syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated)
            .expect("a list of traits");
        lines.extend(traits.iter().map(|one| format!("impl {} for {path}", tidy(one))));
    }
}

/// A signature without the word `fn`, its name first.
fn signature(signature: &syn::Signature) -> String {
    let text = tidy(signature).replace("(mut self", "(self");
    text.strip_prefix("fn ").map_or(text.clone(), str::to_owned)
}

/// The lines of an impl for the item.
fn impl_lines(found: &ItemImpl, name: &str, lines: &mut Vec<String>) {
    let path = format!("clearsweep::{name}");
    if let Some((_, of, _)) = &found.trait_ {
        lines.push(format!("impl {} for {path}", tidy(of)));
        return;
    }
    for part in &found.items {
        match part {
            ImplItem::Fn(method) if is_public(&method.vis) && !is_hidden(&method.attrs) => {
                lines.push(format!("pub fn {path}::{}", signature(&method.sig)));
            }
            ImplItem::Const(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                lines.push(format!("pub const {path}::{}: {}", item.ident, tidy(&item.ty)));
            }
            _ => {}
        }
    }
}

/// Whether an impl in `module` is for the type `name` of `home`.
fn is_for(sources: &Sources, found: &ItemImpl, module: &[String], home: &[String], name: &str) -> bool {
    let Type::Path(path) = &*found.self_ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    last.ident == name && sources.find(module, name).is_some_and(|(at, _)| at == home)
}

fn listing() -> (String, usize) {
    let sources = Sources::read();
    let root = &sources.files[&Vec::new()];
    let mut items: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in &root.items {
        let Item::Use(item) = item else {
            if let Item::Mod(module) = item {
                let open = is_public(&module.vis) && !is_hidden(&module.attrs);
                assert!(!open, "the module `{}` is public: re-export its deliberate items instead", module.ident);
            }
            continue;
        };
        if !is_public(&item.vis) || is_hidden(&item.attrs) {
            continue;
        }
        for (path, given) in leaves(&item.tree, Vec::new()) {
            let mut lines = Vec::new();
            let (real, module) = path.split_last().expect("a path has an end");
            match sources.find(module, real) {
                None => lines.push(format!("pub use {} as clearsweep::{given}", origin(&sources, module, real))),
                Some((home, name)) => {
                    let file = &sources.files[&home];
                    let item = file.items.iter().find(|item| ident(item).is_some_and(|own| *own == name));
                    item_lines(item.expect("an item that was found"), &given, &mut lines);
                    let mut impls = Vec::new();
                    for (module, file) in &sources.files {
                        for item in &file.items {
                            if let Item::Impl(found) = item
                                && !is_hidden(&found.attrs)
                                && is_for(&sources, found, module, &home, &name)
                            {
                                impl_lines(found, &given, &mut impls);
                            }
                        }
                    }
                    impls.sort();
                    lines.extend(impls);
                }
            }
            items.insert(given, lines);
        }
    }
    let count = items.len();
    let lines: Vec<String> = items.into_values().flat_map(deduplicated).collect();
    (lines.join("\n") + "\n", count)
}

fn deduplicated(lines: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    lines.into_iter().filter(|line| seen.insert(line.clone())).collect()
}

/// The path in another crate that a module of this one gives out.
fn origin(sources: &Sources, module: &[String], name: &str) -> String {
    let uses = sources.files.get(module).into_iter().flat_map(|file| &file.items);
    let found = uses
        .filter_map(|item| match item {
            Item::Use(item) => leaves(&item.tree, Vec::new()).into_iter().find(|(_, given)| given == name),
            _ => None,
        })
        .next();
    found.unwrap_or_else(|| panic!("{module:?} has no item {name}")).0.join("::")
}

#[test]
fn the_listing_of_public_items_is_that_of_the_sources() {
    let (found, count) = listing();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/public-api.txt");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &found).expect("docs/public-api.txt can be written");
    }
    assert!(count <= ITEMS, "{count} public items, but a front door has at most {ITEMS}");
    let kept = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    let [new, old] = [&found, &kept].map(|text| text.lines().collect::<BTreeSet<_>>());
    let only = |one: &BTreeSet<&str>, other: &BTreeSet<&str>, mark: &str| {
        one.difference(other).map(|line| format!("{mark} {line}\n")).collect::<String>()
    };
    assert!(
        found == kept,
        "the public items are not those of docs/public-api.txt:\n{}{}\nwhere the change is meant, write the listing \
         anew: {UPDATE}=1 cargo test --test house public_api::",
        only(&old, &new, "-"),
        only(&new, &old, "+"),
    );
}

#[test]
fn signatures_are_tidy() {
    let item: syn::ItemFn = syn::parse_quote! {
        pub fn f<'a, T: Into<String>>(self: &'a mut Self, list: &[[f64; 3]], g: impl Fn(u8) -> Vec<T> + 'a) -> Result<()> {}
    };
    assert_eq!(
        signature(&item.sig),
        "f<'a, T: Into<String>>(self: &'a mut Self, list: &[[f64; 3]], g: impl Fn (u8) -> Vec<T> + 'a) -> Result<()>"
    );
}
