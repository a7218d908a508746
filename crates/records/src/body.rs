//! `bodies`. It is written from arrays and read in part: a column of lists has no place in a
//! record.

use crate::cell::{Text, Texts};
use crate::column::{Column, ColumnType};
use crate::record::{ColumnFault, StoredRecord, cells};
use arrow_array::RecordBatch;

/// All columns, in the order of the file.
pub(crate) const COLUMNS: [Column; 32] = [
    Column::new("body", ColumnType::PlainText, "Name."),
    Column::new("index", ColumnType::Int32, "Body index."),
    Column::new("model", ColumnType::PlainText, "`model` of the scene, or what was chosen."),
    Column::new("vertices", ColumnType::Int64, "Vertices of its geometry."),
    Column::new("triangles", ColumnType::Int64, "Triangles of its geometry."),
    Column::new("pieces", ColumnType::Int32, "Convex pieces."),
    Column::new("watertight", ColumnType::Boolean, "Whether the triangles close up and run the same way round; null if there are none.").null(),
    Column::new("radius_m", ColumnType::Float64, "About the recentred origin, with offset; of a recentred body at least 0.12 um.").unit("m"),
    Column::new("groups", ColumnType::TextList, "[groups](geometry.md#each-a-body-of-every-part-of-a-file) of the body."),
    Column::new("convex", ColumnType::Boolean, "Whether the mesh, or each piece of it, is convex.").null(),
    Column::new("hull_excess_m", ColumnType::Float64, "How far its hull reaches beyond its mesh ([definition](models.md#convex-and-the-excess-of-a-hull)); of pieces, the largest.").unit("m").null(),
    Column::new("hull_volume_m3", ColumnType::Float64, "Volume of the hull; of pieces, the sum.").unit("m3").null(),
    Column::new("mesh_volume_m3", ColumnType::Float64, "Enclosed by the triangles; null if these do not close up.").unit("m3").null(),
    Column::new("deviation_m", ColumnType::Float64, "Of the body's `deviation`, its decomposition, `weld_shift_m` and `polygon_warp_m` together.").unit("m"),
    Column::new("solid", ColumnType::Boolean, "Inside and outside of the mesh are known ([definition](geometry.md#triangles)).").null(),
    Column::new("components", ColumnType::Int64, "Parts connected by edges.").null(),
    Column::new("boundary_edges", ColumnType::Int64, "Edges of one triangle.").null(),
    Column::new("nonmanifold_edges", ColumnType::Int64, "Edges of more than two triangles.").null(),
    Column::new("welded_vertices", ColumnType::Int64, "Vertices that were welded to an earlier one.").null(),
    Column::new("unused_vertices", ColumnType::Int64, "Vertices that no triangle uses.").null(),
    Column::new("degenerate_triangles", ColumnType::Int64, "Triangles without area, left out.").null(),
    Column::new("duplicate_triangles", ColumnType::Int64, "Triangles that are there twice, left out.").null(),
    Column::new("turned_triangles", ColumnType::Int64, "Triangles that were turned.").null(),
    Column::new("self_contacts", ColumnType::Int64, "Pairs of triangles that touch or cross.").null(),
    Column::new("self_contacts_at_least", ColumnType::Boolean, "Whether counting ended early: there are at least that many.").null(),
    Column::new("decomposition_deviation_m", ColumnType::Float64, "The measured part of `deviation_m`; null if the model is no decomposition.").unit("m").null(),
    Column::new("weld_shift_m", ColumnType::Float64, "How far vertices were moved to close cracks, at most.").unit("m").null(),
    Column::new("warped_triangles", ColumnType::Int64, "Triangles of polygons that are not flat.").null(),
    Column::new("polygon_warp_m", ColumnType::Float64, "How far any other way to cut these polygons may be off.").unit("m").null(),
    Column::new("inside", ColumnType::PlainText, "Of every body. `solid`: inside and outside are known. `winding`: an open mesh, for which the winding number decides. `surface`: declared a sheet."),
    Column::new("coordinate_step_m", ColumnType::Float64, "[how coarse coordinates are](geometry.md#how-coarse-coordinates-are).").unit("m").null(),
    Column::new("deviation_source", ColumnType::PlainText, "Of the geometry. `exact`: it is the body. `proven`: a converter held the triangles against their faces. `declared`: somebody stated a tolerance. `unknown`: nobody did."),
];

/// A body of a result. Columns that an earlier version did not write are `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name.
    pub body: Text,
    /// Whether the mesh, or each piece of it, is convex; `None` if no hull stands for a mesh.
    pub convex: Option<bool>,
    /// How far the true surface may lie from the geometry, metres.
    pub deviation_m: Option<f64>,
    /// `solid`, `winding` or `surface`.
    pub inside: Option<Text>,
    /// Model that is measured: `hull`, `mesh`, ...
    pub model: Option<Text>,
    /// Its groups; those of a class and a level begin with `class:` and `level:`.
    pub groups: Vec<Text>,
}

impl StoredRecord for Body {
    const TABLE: &'static str = "bodies";
    const COLUMNS: &'static [(&'static str, bool)] = &[
        ("body", false),
        ("model", true),
        ("groups", true),
        ("convex", true),
        ("deviation_m", true),
        ("inside", true),
    ];

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, ColumnFault> {
        let (names, convex) = (cells(batch, "body")?, cells(batch, "convex")?);
        let (deviations, insides) = (cells(batch, "deviation_m")?, cells(batch, "inside")?);
        let (models, groups) = (cells(batch, "model")?, cells::<Texts>(batch, "groups")?);
        let rows = names.zip(convex).zip(deviations.zip(insides)).zip(models.zip(groups));
        let row = |(((body, convex), (deviation_m, inside)), (model, Texts(groups)))| Self {
            body,
            convex,
            deviation_m,
            inside,
            model,
            groups,
        };
        Ok(rows.map(row).collect())
    }
}
