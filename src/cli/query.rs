//! `clearsweep query`: one pair at one pose.

use super::args::QueryArgs;
use super::body_lines::{self, OF_HULLS};
use super::exit::{self, ProgramEnd};
use super::stdout;
use super::text::{Lengths, table};
use clearsweep::{Error, Result};
use clearsweep_engine::{Explained, MotionQuery, PairOptions, ProximityQuery};
use clearsweep_geometry::{Pose, Vec3};
use clearsweep_model::{BetweenFrames, LengthUnit, Model, Scene, Shape};
use clearsweep_narrow::interval::{IntervalMethod, IntervalProximity, IntervalStatus};
use clearsweep_narrow::{DirectionalDistance, DirectionalRelation, FeatureKind, Method, Proximity, Status};
use clearsweep_scene::direction::{DIRECTION_REMEDY, parse_direction};
use clearsweep_scene::{BodyBuilder, Geometry, SceneBuilder};
use serde_json::{Value, json};
use std::path::Path;

/// Answers the pair, and prints distance, bracket and witnesses.
pub(crate) fn query(args: &QueryArgs) -> Result<ProgramEnd> {
    let unit = LengthUnit::parse(&args.unit)
        .ok_or_else(|| Error::usage("--unit", format!("`{}` is no unit", args.unit), "give m, mm, cm, km, in or ft"))?;
    if let Some(ends) = &args.between {
        let ends = [pose("--between", &ends[0], unit)?, pose("--between", &ends[1], unit)?];
        let scene = load(args, unit)?;
        return between(args, &scene, ends, Lengths::of(unit));
    }
    let a_from_b = pose("--pose", &args.pose, unit)?;
    let direction = args.direction.as_deref().map(direction).transpose()?;
    let scene = load(args, unit)?;
    let [a, b] = [&scene.bodies[0].shape, &scene.bodies[1].shape];
    let explained = if args.explain { Some(clearsweep_engine::explain(a, b, &a_from_b, &args.narrow)?) } else { None };
    let answer = match &explained {
        Some(explained) => explained.answer,
        None => {
            let options = PairOptions { narrow: args.narrow.clone(), ..PairOptions::default() };
            let answer = ProximityQuery::new(a, b, &options)?.proximity(&Pose::IDENTITY, &a_from_b)?;
            answer.ok_or_else(|| Error::internal("query", "the pair has no answer"))?
        }
    };
    let directional = direction.map(|along| {
        let mut query = ProximityQuery::new(a, b, &PairOptions::default())?;
        query.directional(&Pose::IDENTITY, &a_from_b, along)
    });
    let directional = directional.transpose()?;
    let printed = if args.json {
        let mut object = as_json(&answer);
        if let Some(directional) = &directional {
            directional_json(directional, &mut object);
        }
        (object["hull_a"], object["hull_b"]) = (body_lines::hull_json(a), body_lines::hull_json(b));
        (object["decomposition_a"], object["decomposition_b"]) =
            (body_lines::decomposition_json(a), body_lines::decomposition_json(b));
        (object["mesh_a"], object["mesh_b"]) = (body_lines::mesh_json(a), body_lines::mesh_json(b));
        if let Some(explained) = &explained {
            object["explained"] = explained_json(explained);
        }
        stdout::print_json(&object)
    } else {
        let explained = explained.as_ref().map(explained_text).unwrap_or_default();
        let lengths = Lengths::of(unit);
        let along = directional.map(|found| directional_text(&found, lengths));
        let each = |text: &dyn Fn(&str, &Shape) -> Option<String>| {
            [("A", a), ("B", b)].into_iter().filter_map(|(name, shape)| text(name, shape)).collect::<Vec<_>>()
        };
        let remarks = [
            ("along", along.unwrap_or_default()),
            ("hulls", each(&|name, shape| body_lines::hull(name, shape, lengths))),
            ("decomposed", each(&|name, shape| body_lines::decomposition(name, shape, lengths))),
            ("meshes", each(&body_lines::mesh)),
        ];
        stdout::print(&(as_text(&answer, &remarks, lengths) + &explained))
    };
    let end = if answer.status == Status::Uncertified { ProgramEnd::Uncertified } else { ProgramEnd::Clear };
    exit::printed(printed, end)
}

/// `X,Y,Z`.
fn direction(text: &str) -> Result<[f64; 3]> {
    let wrong = |problem| Error::usage("--direction", problem, DIRECTION_REMEDY);
    parse_direction(text).map(|unit| unit.to_array()).map_err(wrong)
}

/// `x,y,z,qw,qx,qy,qz`.
fn pose(flag: &str, text: &str, unit: LengthUnit) -> Result<Pose> {
    let wrong = |problem: &str| {
        Error::usage(flag, format!("{problem}: `{text}`"), "give x,y,z,qw,qx,qy,qz, for example 1,0,0,1,0,0,0")
    };
    let values = numbers(text).ok_or_else(|| wrong("not all of these are numbers"))?;
    let [x, y, z, qw, qx, qy, qz] = values[..] else { return Err(wrong("seven numbers are needed")) };
    let norm = (qw * qw + qx * qx + qy * qy + qz * qz).sqrt();
    if (norm - 1.0).abs() > 1e-3 {
        return Err(wrong("the quaternion is not of length 1"));
    }
    Ok(Pose::new([x, y, z].map(|length| unit.metres(length)), [qw, qx, qy, qz]))
}

/// Finite numbers between commas.
fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(',').map(|number| number.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect()
}

/// The two bodies as a scene: the scene reader then understands shapes and files as it always does.
fn load(args: &QueryArgs, unit: LengthUnit) -> Result<Scene> {
    let body = |name, text| Ok(BodyBuilder::new(name, geometry(text)?).fixed([0.0; 3], Pose::IDENTITY.q));
    let mut builder = SceneBuilder::new(1.0).length_unit(unit).body(body("a", &args.a)?).body(body("b", &args.b)?);
    if let Some(bytes) = args.max_input {
        builder = builder.max_input(bytes.0);
    }
    let scene = builder.build().map_err(|error| in_words_of_a_query(error, [&args.a, &args.b]))?;
    match scene.bodies.len() {
        2 => Ok(scene),
        n => Err(Error::internal("query", format!("two bodies became {n}"))),
    }
}

/// An error about the geometry of a body: here a model stands before the file, the file is named as
/// it was given, and there is no scene to write keys in.
fn in_words_of_a_query(error: Error, given: [&str; 2]) -> Error {
    let file = error.place.split(" (`geometry` of").next().unwrap_or_default();
    let names = given.into_iter().flat_map(|text| [Some(text), text.split_once(':').map(|(_, file)| file)]).flatten();
    let is_file = |name: &&str| std::path::absolute(name).is_ok_and(|path| path.as_os_str() == file);
    let place = names.into_iter().find(is_file).unwrap_or(file).to_owned();
    let mut remedy = error.remedy.replace("the `unit` and the `scale` of the body", "the unit (`--unit`)");
    remedy = remedy.replace("the `unit` and the `scale`", "the unit (`--unit`)");
    for model in Model::ALL {
        remedy = remedy.replace(&format!("`model = \"{}\"`", model.name()), &format!("`{}:FILE`", model.name()));
    }
    Error { place, remedy, ..error }
}

/// Words for shapes, with the numbers and what else each is made of.
const SHAPES: [(&str, &str, &str); 9] = [
    ("box", "3", "box:X,Y,Z with the full sides"),
    ("sphere", "1", "sphere:R"),
    ("capsule", "2", "capsule:R,LENGTH with the length of the core"),
    ("cylinder", "2 or 3", "cylinder:R,HEIGHT (a prism: cylinder:R,HEIGHT,SIDES)"),
    ("cone", "3", "cone:R_BELOW,R_ABOVE,HEIGHT"),
    ("ellipsoid", "3", "ellipsoid:A,B,C with the half axes"),
    ("dish", "2", "dish:R,HEIGHT,spherical or dish:R,HEIGHT,elliptical"),
    ("torus", "2", "torus:R_ARC,R_TUBE or torus:R_ARC,R_TUBE,90deg"),
    ("rectangular_torus", "3", "rectangular_torus:R_INNER,R_OUTER,HEIGHT or with an angle such as 90deg"),
];

/// The geometry of `box:1,1,1` or a file.
fn geometry(text: &str) -> Result<Geometry> {
    let shape = text.split_once(':').and_then(|(word, rest)| {
        SHAPES.iter().find(|(name, ..)| *name == word.trim().to_ascii_lowercase()).map(|known| (known, rest))
    });
    let Some((&(word, count, form), rest)) = shape else {
        let modelled = text.split_once(':').and_then(|(word, rest)| {
            Model::ALL.into_iter().find(|model| model.name() == word).map(|model| (model, rest))
        });
        return match modelled {
            // A file may really be called so.
            Some((model, path)) if !Path::new(text).is_file() => file(path, Some(model)),
            _ => file(text, None),
        };
    };
    let wrong = |problem: &str| Error::usage(format!("`{text}`"), problem, format!("give {form}"));
    let (items, beside) = beside_numbers(word, rest);
    let values = numbers(items).ok_or_else(|| wrong("not all of these are plain numbers (their unit: --unit)"))?;
    match (word, values.as_slice()) {
        ("sphere", &[radius]) => Ok(Geometry::Sphere(radius)),
        ("capsule", &[radius, length]) => Ok(Geometry::Capsule { radius, length }),
        ("box", &[x, y, z]) => Ok(Geometry::Box([x, y, z])),
        ("cylinder", &[radius, height, sides]) => {
            if sides.fract() != 0.0 || !(3.0..=1e6).contains(&sides) {
                return Err(wrong("the number of sides is a whole number, at least 3"));
            }
            Ok(Geometry::Cylinder { radius, height, sides: sides as u32 })
        }
        ("cylinder" | "dish" | "torus", [_, _]) | ("cone" | "ellipsoid" | "rectangular_torus", [_, _, _]) => {
            let beside = beside.map(|(key, text)| format!(", {key} = {:?}", text.trim())).unwrap_or_default();
            Ok(Geometry::Shape(format!("{{ {word} = {values:?}{beside} }}")))
        }
        _ => Err(wrong(&format!("{count} numbers are needed, {} are given", values.len()))),
    }
}

/// The numbers of a shape, and the last of its items where that is an angle or a kind, with its
/// key.
fn beside_numbers<'t>(word: &str, items: &'t str) -> (&'t str, Option<(&'static str, &'t str)>) {
    let (numbers, key) = match word {
        "dish" => (2, "kind"),
        "torus" => (2, "angle"),
        "rectangular_torus" => (3, "angle"),
        _ => return (items, None),
    };
    match items.rsplit_once(',') {
        Some((first, last)) if items.split(',').count() == numbers + 1 => (first, Some((key, last))),
        _ => (items, None),
    }
}

/// A geometry file; `model`: how it is understood, `None`: as a hull if it is convex, else as its
/// triangles.
fn file(text: &str, model: Option<Model>) -> Result<Geometry> {
    let path = Path::new(text);
    let absolute = std::path::absolute(path).map_err(|error| Error::unreadable(path, &error))?;
    if !absolute.is_file() {
        let shapes: Vec<&str> = SHAPES.iter().map(|(.., form)| *form).collect();
        return Err(Error::usage(
            format!("`{text}`"),
            "is neither a shape nor a file that exists",
            format!("give a geometry file (hull:FILE: its convex hull), or {}", shapes.join("; ")),
        ));
    }
    Ok(Geometry::file(absolute, model))
}

/// `remarks`: what is to be told of bodies, by what they are; first of those whose figures are of
/// hulls.
fn as_text(answer: &Proximity, remarks: &[(&'static str, Vec<String>)], lengths: Lengths) -> String {
    let point = |v: Vec3<f64>| format!("{:?}, {:?}, {:?}", v.x, v.y, v.z);
    let feature = |side: usize| {
        format!(
            "{} {} of part {}",
            FeatureKind::NAMES[answer.feature_kind[side] as usize],
            answer.feature[side],
            answer.part[side]
        )
    };
    let bracket = match answer.status {
        Status::Uncertified => "none proven".to_owned(),
        _ => format!("{:?} .. {:?} m", answer.lower, answer.upper),
    };
    let in_unit = (!lengths.is_in_metres()).then(|| lengths.text(answer.distance));
    let of_hulls = remarks.iter().any(|(of, lines)| *of == "hulls" && !lines.is_empty()).then(|| OF_HULLS.to_owned());
    let status = [Some(Status::NAMES[answer.status as usize].to_owned()), of_hulls.clone()];
    let beside = [in_unit, of_hulls].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let beside = if beside.is_empty() { beside } else { format!(" ({beside})") };
    let mut rows = vec![
        ("status", status.into_iter().flatten().collect::<Vec<_>>().join(", ")),
        ("distance", format!("{:?} m{beside}", answer.distance)),
        ("bracket", bracket),
        ("on A", format!("{} ({})", point(answer.point_a), feature(0))),
        ("on B", format!("{} ({})", point(answer.point_b), feature(1))),
        ("normal", point(answer.normal)),
        ("proof", Method::NAMES[answer.method as usize].to_owned()),
        ("", "metres, in the frame of A; the normal points from A to B".to_owned()),
    ];
    for (of, lines) in remarks {
        rows.extend([*of].into_iter().chain(std::iter::repeat("")).zip(lines.iter().cloned()));
    }
    table(&rows)
}

/// The routes that were taken.
fn stats(explained: &Explained) -> impl Iterator<Item = (&'static str, u64)> {
    explained.stats.entries().into_iter().filter(|&(_, count)| count > 0)
}

fn explained_text(explained: &Explained) -> String {
    let answer = &explained.answer;
    let width = answer.upper - answer.lower;
    let share = |metres: f64| format!("{metres:.3e} m ({:.1e} of the size)", metres / explained.size);
    let steps: Vec<String> = stats(explained).map(|(name, count)| format!("{name} {count}")).collect();
    let exact = match explained.exact {
        Some([lower, upper]) => format!("{lower:?} .. {upper:?} m"),
        None => "only for bodies of one convex piece".to_owned(),
    };
    let rows = [
        ("routes", steps.join(", ")),
        ("size", format!("{:?} m (both radii and the distance of the origins)", explained.size)),
        ("rounding", share(explained.bound)),
        ("width", if width.is_nan() { "none".to_owned() } else { share(width) }),
        ("exact", exact),
    ];
    format!("\n{}", table(&rows))
}

fn explained_json(explained: &Explained) -> Value {
    let stats: serde_json::Map<String, Value> =
        stats(explained).map(|(name, count)| (name.to_owned(), count.into())).collect();
    json!({
        "routes": stats,
        "size_m": explained.size,
        "bound_m": explained.bound,
        "exact_lower_m": explained.exact.map(|e| e[0]),
        "exact_upper_m": explained.exact.map(|e| e[1]),
    })
}

/// Returns the text of what happens along the direction, and how far that is.
fn directional_text(found: &DirectionalDistance, lengths: Lengths) -> Vec<String> {
    let in_unit = |metres: f64| match lengths.is_in_metres() {
        true => String::new(),
        false => format!(" ({})", lengths.text(metres)),
    };
    let what = match found.relation {
        DirectionalRelation::Touches => "B touches A after",
        DirectionalRelation::Leaves => "B is free of A after",
        DirectionalRelation::InContact => "B is in contact with A as it is:",
        DirectionalRelation::Misses => return vec!["B never touches A".to_owned()],
        DirectionalRelation::Undecided => {
            return vec![format!("whether B touches A is not decided; not before {:?} m", found.lower)];
        }
        DirectionalRelation::Unproven => return vec!["nothing is proven".to_owned()],
    };
    let value = found.value.unwrap_or(f64::NAN);
    let upper = if found.upper.is_finite() { format!("{:?} m", found.upper) } else { "never".to_owned() };
    vec![format!("{what} {value:?} m{}", in_unit(value)), format!("{:?} .. {upper}", found.lower)]
}

/// The columns of the distance along a direction.
fn directional_json(found: &DirectionalDistance, object: &mut Value) {
    let finite = |value: f64| value.is_finite().then_some(value);
    object["directional_m"] = json!(found.value);
    object["directional_lower_m"] = json!(finite(found.lower));
    object["directional_upper_m"] = json!(finite(found.upper));
    object["directional_relation"] = json!(DirectionalRelation::NAMES[found.relation as usize]);
}

/// The columns of `distances`; bounds that are not proven are null.
fn as_json(answer: &Proximity) -> Value {
    json!({
        "distance_m": answer.distance,
        "lower_m": answer.lower,
        "upper_m": answer.upper,
        "status": Status::NAMES[answer.status as usize],
        "a_x": answer.point_a.x, "a_y": answer.point_a.y, "a_z": answer.point_a.z,
        "b_x": answer.point_b.x, "b_y": answer.point_b.y, "b_z": answer.point_b.z,
        "n_x": answer.normal.x, "n_y": answer.normal.y, "n_z": answer.normal.z,
        "part_a": answer.part[0],
        "part_b": answer.part[1],
        "feature_a": answer.feature[0],
        "feature_b": answer.feature[1],
        "feature_a_kind": FeatureKind::NAMES[answer.feature_kind[0] as usize],
        "feature_b_kind": FeatureKind::NAMES[answer.feature_kind[1] as usize],
        "method": Method::NAMES[answer.method as usize],
    })
}

/// Answers the pair while B moves from one pose to another, and prints the least distance, when it
/// is, and the first contact.
fn between(args: &QueryArgs, scene: &Scene, ends: [Pose; 2], lengths: Lengths) -> Result<ProgramEnd> {
    let between = if args.motion == "screw" { BetweenFrames::Screw } else { BetweenFrames::Linear };
    let [a, b] = [&scene.bodies[0].shape, &scene.bodies[1].shape];
    let mut query = MotionQuery::new(a, b, between, &PairOptions::default())?;
    let found = query.least_distance([&Pose::IDENTITY, &Pose::IDENTITY], [&ends[0], &ends[1]])?;
    let printed = match args.json {
        true => stdout::print_json(&between_json(&found)),
        false => stdout::print(&between_text(&found, between, lengths)),
    };
    let end = if found.status == IntervalStatus::Undecided { ProgramEnd::Uncertified } else { ProgramEnd::Clear };
    exit::printed(printed, end)
}

fn between_text(found: &IntervalProximity, between: BetweenFrames, lengths: Lengths) -> String {
    let in_unit = if lengths.is_in_metres() { String::new() } else { format!(" ({})", lengths.text(found.upper)) };
    let lower = if found.lower.is_finite() { format!("{:?}", found.lower) } else { "none proven".to_owned() };
    let [first, last] = found.closest;
    let contact = match found.contact {
        [clear, touching] if touching.is_finite() => format!("clear before {clear:?}, in contact at {touching:?}"),
        _ => "none proven".to_owned(),
    };
    let rows = [
        ("status", IntervalStatus::NAMES[found.status as usize].to_owned()),
        ("least", format!("{lower} .. {:?} m{in_unit}", found.upper)),
        ("when", format!("{first:?} .. {last:?} of the way")),
        ("contact", contact),
        ("proof", IntervalMethod::NAMES[found.method as usize].to_owned()),
        ("motion", between.name().to_owned()),
    ];
    table(&rows)
}

/// Returns the columns of `intervals`; what is not proven is null.
fn between_json(found: &IntervalProximity) -> Value {
    let finite = |value: f64| value.is_finite().then_some(value);
    json!({
        "lower_m": finite(found.lower),
        "upper_m": finite(found.upper),
        "closest_lo": found.closest[0],
        "closest_hi": found.closest[1],
        "contact_lo": finite(found.contact[0]),
        "contact_hi": finite(found.contact[1]),
        "status": IntervalStatus::NAMES[found.status as usize],
        "method": IntervalMethod::NAMES[found.method as usize],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_shapes() {
        assert_eq!(geometry("box:1, 2,0.5").expect("a box"), Geometry::Box([1.0, 2.0, 0.5]));
        assert_eq!(geometry("sphere:0.5").expect("a sphere"), Geometry::Sphere(0.5));
        let cylinder = Geometry::Cylinder { radius: 1.0, height: 2.0, sides: 12 };
        assert_eq!(geometry("cylinder:1,2,12").expect("a cylinder"), cylinder);
        for wrong in ["box:1,1", "box:a,b,c", "sphere:", "sphere:nan", "cylinder:1,1,2.5", "cone:1", "nowhere.obj"] {
            assert_eq!(geometry(wrong).expect_err(wrong).kind, clearsweep::ErrorKind::Usage, "{wrong}");
        }
    }

    #[test]
    fn poses_have_seven_numbers_and_a_unit_quaternion() {
        let mm = LengthUnit::parse("mm").expect("a unit");
        let read = pose("--pose", "1000,0,-2.5,0,1,0,0", mm).expect("a pose");
        assert_eq!(read, Pose::new([1.0, 0.0, -0.0025], [0.0, 1.0, 0.0, 0.0]));
        for wrong in ["", "1,2,3", "0,0,0,2,0,0,0", "0,0,0,0,0,0,0", "0,0,inf,1,0,0,0"] {
            assert!(pose("--pose", wrong, mm).is_err(), "{wrong}");
        }
    }
}
