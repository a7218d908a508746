//! Formats that files are mistaken for, recognised by their first bytes.

/// A format that files are mistaken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForeignFormat {
    /// The name of the format in messages.
    pub(super) name: &'static str,
    /// The remedy.
    pub(super) remedy: &'static str,
    /// The extensions of its files, in lower case.
    extensions: &'static [&'static str],
}

const CAD: &str = "export the model from the CAD program as .glb, .stl or .obj, and name that file as `geometry`";
const RENAME_GLB: &str = "name it with the extension .glb";
const PLAIN: &str = "save the file as UTF-8 without a byte order mark";

/// Signatures; the first that matches counts.
const SIGNATURES: [(&[u8], ForeignFormat); 12] = [
    (b"glTF", ForeignFormat { name: "a binary glTF file", remedy: RENAME_GLB, extensions: &["glb"] }),
    (b"ISO-10303-21", ForeignFormat { name: "a STEP or IFC file", remedy: CAD, extensions: &[] }),
    (b"Kaydara FBX Binary", ForeignFormat { name: "an FBX file", remedy: CAD, extensions: &[] }),
    (
        b"PK\x03\x04",
        ForeignFormat {
            name: "a ZIP archive (3MF, a workbook)",
            remedy: "if it is 3MF, name it with the extension .3mf; else export it anew, or unpack it",
            extensions: &["3mf"],
        },
    ),
    (b"\x1f\x8b", ForeignFormat { name: "compressed with gzip", remedy: "unpack it with gunzip", extensions: &[] }),
    (
        b"PAR1",
        ForeignFormat {
            name: "a Parquet file",
            remedy: "Parquet holds trajectories or tables of bodies",
            extensions: &[],
        },
    ),
    (b"%PDF", ForeignFormat { name: "a PDF", remedy: CAD, extensions: &[] }),
    (b"ply\n", ForeignFormat { name: "a PLY file", remedy: "name it with the extension .ply", extensions: &["ply"] }),
    (b"ply\r", ForeignFormat { name: "a PLY file", remedy: "name it with the extension .ply", extensions: &["ply"] }),
    (b"\xff\xfe", ForeignFormat { name: "text in UTF-16", remedy: "save it as UTF-8 text", extensions: &[] }),
    (b"\xfe\xff", ForeignFormat { name: "text in UTF-16", remedy: "save it as UTF-8 text", extensions: &[] }),
    (b"\xef\xbb\xbf", ForeignFormat { name: "text with a byte order mark of UTF-8", remedy: PLAIN, extensions: &[] }),
];

/// The format that the first bytes of a file show, if its extension (lower case) is none of that
/// format.
pub(super) fn format(bytes: &[u8], extension: &str) -> Option<ForeignFormat> {
    let (_, format) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature))?;
    (!format.extensions.contains(&extension)).then_some(*format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_what_they_are() {
        let name = |bytes: &[u8], extension| format(bytes, extension).map(|format| format.name);
        assert_eq!(name(b"glTF\x02\0\0\0", "stl"), Some("a binary glTF file"));
        assert_eq!(name(b"glTF\x02\0\0\0", "glb"), None);
        assert_eq!(name(b"ISO-10303-21;\nHEADER;", "toml"), Some("a STEP or IFC file"));
        assert_eq!(name(b"\xef\xbb\xbfsolid", "stl"), Some("text with a byte order mark of UTF-8"));
        assert_eq!(name(b"solid part", "stl"), None);
        assert_eq!(name(b"", "stl"), None);
    }
}
