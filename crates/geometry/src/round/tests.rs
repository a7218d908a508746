use super::*;
use crate::Polyhedron;
use crate::hull::convex_hull;

fn v(x: f64, y: f64, z: f64) -> Vec3<f64> {
    Vec3::new(x, y, z)
}

/// Directions spread over the sphere, with those of the axes among them.
fn directions() -> Vec<Vec3<f64>> {
    let spread = (0..400).map(|i| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 400.0;
        let (radius, turn) = ((1.0 - z * z).sqrt(), 2.399_963_229_728_653 * f64::from(i));
        v(radius * turn.cos(), radius * turn.sin(), z)
    });
    let axes = [v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(0.0, 0.0, 1.0)];
    spread.chain(axes.into_iter().flat_map(|axis| [axis, -axis])).collect()
}

/// One body of every kind, in general position, with many points of it.
fn bodies() -> Vec<(&'static str, RoundBody, Vec<Vec3<f64>>)> {
    let skew = [v(0.5, 0.1, -0.2), v(-0.1, 0.7, 0.3), v(0.2, -0.1, 0.9)];
    let disc = |z: f64, radius: f64| Cap::disc(v(0.3, -0.2, z), [skew[0].scale(radius), skew[1].scale(radius)]);
    let ball = |least: f64| {
        let middle = v(1.0, 2.0, -1.0) + skew[2].scale(least.max(0.0));
        Cap { middle, axes: skew, height: 1.0 - least }
    };
    let mut all = Vec::new();
    let caps = |caps: Vec<Cap>| {
        let mut points = Vec::new();
        for cap in &caps {
            let (least, base) = (1.0 - cap.height, (1.0 - cap.height).max(0.0));
            for d in directions() {
                for scale in [1.0, 0.6] {
                    if d.z * scale >= least || cap.is_flat() {
                        points.push(cap.image([d.x * scale, d.y * scale, d.z * scale - base]));
                    }
                    let (rim, across) = ((1.0 - least * least).sqrt(), d.x.hypot(d.y));
                    if scale == 1.0 && across > 0.0 {
                        points.push(cap.image([d.x * rim / across, d.y * rim / across, least - base]));
                    }
                }
            }
        }
        (RoundBody::hull(caps), points)
    };
    for (name, list) in [
        ("cylinder", vec![disc(-1.0, 1.0), disc(1.0, 1.0)]),
        ("cone", vec![disc(-1.0, 1.0), disc(1.0, 0.0)]),
        ("disc", vec![disc(0.0, 2.0)]),
        ("ellipsoid", vec![ball(-1.0)]),
        ("dish", vec![ball(0.0)]),
        ("shallow cap", vec![ball(0.8)]),
        ("deep cap", vec![ball(-0.7)]),
        ("two balls", vec![ball(-1.0), Cap { middle: v(-1.0, 0.0, 0.5), ..ball(-1.0) }]),
    ] {
        let (body, points) = caps(list);
        all.push((name, body, points));
    }
    let sections = [
        ("tube", Section::Disc { arc: 1.5, radius: 0.4 }),
        ("horn", Section::Disc { arc: 0.5, radius: 0.5 }),
        ("duct", Section::Rectangle { inner: 0.5, outer: 1.1, half_height: 0.3 }),
        ("core", Section::Rectangle { inner: 0.0, outer: 1.1, half_height: 0.3 }),
    ];
    for (name, section) in sections {
        for span in [0.2_f64, 1.2] {
            let (from, to) = (0.4_f64, 0.4 + span);
            let (from, to) = ([from.cos(), from.sin()], [to.cos(), to.sin()]);
            let sector = Sector { middle: v(0.1, 0.2, 0.3), axes: skew, section, from, to, is_chord: false };
            all.push((name, RoundBody::Sector(sector), points_of(&sector, span)));
        }
    }
    all
}

fn points_of(sector: &Sector, span: f64) -> Vec<Vec3<f64>> {
    let mut points = Vec::new();
    for i in 0..=40 {
        let angle = 0.4 + span * f64::from(i) / 40.0;
        for j in 0..40 {
            let around = std::f64::consts::TAU * f64::from(j) / 40.0;
            let at = match sector.section {
                Section::Disc { arc, radius } => [arc + radius * around.cos(), radius * around.sin()],
                Section::Rectangle { inner, outer, half_height } => {
                    let [x, y] = [around.cos(), around.sin()].map(|c| (2.0 * c).clamp(-1.0, 1.0));
                    [0.5 * (inner + outer) + 0.5 * (outer - inner) * x, half_height * y]
                }
            };
            points.push(sector.point([angle.cos(), angle.sin()], at).point);
        }
    }
    points
}

#[test]
fn supports_are_reached_and_never_passed() {
    for (name, body, points) in bodies() {
        let mut reached = 0;
        for d in directions() {
            let height = body.height(d);
            let most = points.iter().map(|point| point.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            assert!(most <= height + 1e-14, "{name}: {most} beyond {height} along {d:?}");
            reached += usize::from(most > height - 0.02);
        }
        assert!(reached > 390, "{name}: {reached} supports are near points of the body");
    }
}

#[test]
fn covers_contain_their_bodies_and_are_no_farther_than_they_say() {
    for (name, body, points) in bodies() {
        let cover = cover(&body);
        let hull = convex_hull(&cover.points).expect("a hull");
        for d in directions() {
            let outer = cover.points.iter().map(|point| point.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            let height = body.height(d);
            assert!(outer >= height, "{name}: the body reaches out by {}", height - outer);
            assert!(outer <= height + cover.excess, "{name}: {} of {}", outer - height, cover.excess);
        }
        // The corners are near to points of the body itself, not of its hull only.
        for corner in (0..hull.count as u32).map(|i| hull.vertex(i)) {
            let near = points.iter().map(|point| (*point - corner).length()).fold(f64::INFINITY, f64::min);
            assert!(near <= cover.excess + 0.25, "{name}: {near} of {}", cover.excess);
        }
    }
}

#[test]
fn inscribed_sectors_lie_inside() {
    let mut seen = 0;
    for (name, body, _) in bodies() {
        let RoundBody::Sector(sector) = body else { continue };
        let Some(chord) = sector.inscribed() else { continue };
        seen += 1;
        let corners: Vec<OnSector> = directions().into_iter().map(|d| chord.support(d)).collect();
        for pair in corners.windows(2) {
            for share in [0.0, 0.3, 0.5, 0.9] {
                // Axes are independent, so coordinates of the sector's frame tell where a mean
                // lies.
                let mixed = |k: usize| {
                    let of = |p: &OnSector| [p.at[0] * p.turn[0], p.at[0] * p.turn[1], p.at[1]][k];
                    of(&pair[0]) * (1.0 - share) + of(&pair[1]) * share
                };
                let (out, up) = (mixed(0).hypot(mixed(1)), mixed(2));
                let is_inside = match sector.section {
                    Section::Disc { arc, radius } => (out - arc).hypot(up) <= radius + 1e-12,
                    Section::Rectangle { inner, outer, half_height } => {
                        out >= inner - 1e-12 && out <= outer + 1e-12 && up.abs() <= half_height + 1e-12
                    }
                };
                assert!(is_inside, "{name}: {out}, {up}");
            }
        }
    }
    assert!(seen >= 4, "{seen} sectors have a part");
}

#[test]
fn halves_join_and_means_lie_in_their_sector() {
    for (name, body, _) in bodies() {
        let RoundBody::Sector(sector) = body else { continue };
        let halves = sector.halves();
        for d in directions() {
            let both = halves.map(|half| half.support(d).point.dot(d)).into_iter().fold(f64::NEG_INFINITY, f64::max);
            assert!((both - body.height(d)).abs() <= 1e-14, "{name}");
            let means = [sector.support(d), sector.support(-d)];
            let mean = sector.below_mean(means.into_iter().map(|point| (point, 0.5)));
            let hull = (means[0].point + means[1].point).scale(0.5);
            let scale = sector.axes.iter().map(|axis| axis.length2()).sum::<f64>().sqrt();
            let most = sector.section.extent()[1] * sector.sagitta() * scale;
            assert!((mean.point - hull).length() <= most + 1e-14, "{name}");
        }
    }
}

#[test]
fn solids_of_revolution_are_recognized_and_others_are_not() {
    let disc = |z: f64, [a, b]: [f64; 2]| Cap::disc(v(0.0, 0.0, z), [v(a, 0.0, 0.0), v(0.0, b, 0.0)]);
    let of = |caps: Vec<Cap>| match RoundBody::hull(caps) {
        RoundBody::Caps { revolution, .. } => revolution,
        RoundBody::Sector(_) => None,
    };
    let cylinder = of(vec![disc(-1.0, [0.5; 2]), disc(1.0, [0.5; 2])]).expect("a cylinder");
    assert_eq!((cylinder.axis, &cylinder.profile[..2]), (v(0.0, 0.0, 1.0), &[[0.5, 0.0], [0.5, 2.0]][..]));
    assert!(cylinder.is_straight && cylinder.count == 2);
    let cone = of(vec![disc(-1.0, [0.0; 2]), disc(1.0, [0.5; 2])]).expect("a cone");
    assert_eq!(cone.profile[..2], [[0.0, 0.0], [0.5, 2.0]]);
    let cap = |height: f64, up: f64| Cap {
        middle: v(0.0, 0.0, 1.0),
        axes: [v(0.5, 0.0, 0.0), v(0.0, 0.5, 0.0), v(0.0, 0.0, up)],
        height,
    };
    let shallow = of(vec![cap(0.2, -3.0)]).expect("a dish");
    assert!(!shallow.is_straight && shallow.count == 2);
    let [rim, top] = [shallow.profile[0], shallow.profile[1]];
    assert!((rim[0] - 0.3).abs() + rim[1].abs() + top[0].abs() + (top[1] + 0.6).abs() < 1e-15, "{rim:?} {top:?}");
    let deep = of(vec![cap(1.6, 0.7)]).expect("a deep dish");
    let rim = deep.profile[1];
    assert!(deep.count == 3 && (rim[0] - 0.4).abs() + (rim[1] + 0.42).abs() < 1e-15, "{rim:?}");
    assert_eq!(of(vec![cap(2.0, 0.7)]).expect("an ellipsoid").profile[..2], [[0.5, 0.0], [0.0, 0.7]]);
    assert!(of(vec![Cap { axes: [v(0.5, 0.0, 0.0), v(0.0, 0.5, 0.0), v(0.1, 0.0, 1.0)], ..cap(1.0, 1.0) }]).is_none());
    assert!(of(vec![disc(0.0, [0.5; 2])]).is_some());
    assert!(of(vec![disc(-1.0, [0.5, 0.6]), disc(1.0, [0.5, 0.6])]).is_none());
    let shifted = Cap { middle: v(0.1, 0.0, 1.0), ..disc(1.0, [0.5; 2]) };
    assert!(of(vec![disc(-1.0, [0.5; 2]), shifted]).is_none());
    let sheared = Cap::disc(v(0.0, 0.0, 1.0), [v(0.5, 0.0, 0.1), v(0.0, 0.5, 0.0)]);
    assert!(of(vec![disc(-1.0, [0.5; 2]), sheared]).is_none());
    // Turned, it stays one.
    let (sin, cos) = 0.7_f64.sin_cos();
    let turned = |p: Vec3<f64>| v(cos * p.x - sin * p.z, p.y, sin * p.x + cos * p.z);
    let body = RoundBody::hull(vec![disc(-1.0, [0.5; 2]), disc(1.0, [0.5; 2])]);
    let RoundBody::Caps { revolution: Some(solid), .. } = body.mapped(turned, v(1.0, 2.0, 3.0)) else {
        panic!("a turned cylinder is one");
    };
    assert!((solid.axis - turned(v(0.0, 0.0, 1.0))).length() < 1e-15);
}

/// The hull of the cover is built when first asked for, and nothing is built before.
#[test]
fn polyhedra_around_round_bodies_are_built_when_asked_for() {
    let cube: Vec<Vec3<f64>> =
        (0..8_u8).map(|i| v(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) + v(4.0, 0.0, 0.0)).collect();
    for (name, body, _) in bodies() {
        let points = cover(&body).points;
        let around = Polyhedron::around(body.clone(), 10).expect("in range");
        let mut built = convex_hull(&points).expect("a hull");
        let mut solid = convex_hull(&cube).expect("a cube");
        solid.source_mut().iter_mut().for_each(|source| *source += 1000);
        let both = Polyhedron::hull_of(&[around.clone(), solid]);
        let all: Vec<Vec3<f64>> = points.iter().chain(&cube).copied().collect();
        let hull = convex_hull(&all).expect("a hull");
        // All that a search by supports asks for builds nothing.
        assert_eq!(around.bounds(), body.bounds(), "{name}");
        assert!(both.bounds()[1].x >= 5.0 && around.excess() >= 0.0);
        assert_eq!((around.radius, both.radius), (built.radius, hull.radius), "{name}");
        assert_eq!((around.most_vertices(), both.most_vertices()), (points.len(), points.len() + 8), "{name}");
        assert_eq!((around.corners(), both.corners()), (points.clone(), all), "{name}");
        assert!(!around.is_built() && !both.is_built() && !around.clone().is_built(), "{name}");
        built.source_mut().iter_mut().for_each(|source| *source += 10);
        assert_eq!(*around, *built, "{name}");
        let numbered = |source: &u32| {
            if (*source as usize) < points.len() { source + 10 } else { source - points.len() as u32 + 1000 }
        };
        assert_eq!(both.source, hull.source.iter().map(numbered).collect::<Vec<_>>(), "{name}");
        assert_eq!((&both.x, &both.face_vertices, &both.edges), (&hull.x, &hull.face_vertices, &hull.edges), "{name}");
        assert!(around.is_built() && both.is_built() && !around.clone().is_built(), "{name}: a clone builds its own");
    }
}

#[test]
fn covers_out_of_range_are_refused_before_they_are_built() {
    let disc = |radius: f64| RoundBody::hull(vec![Cap::disc(Vec3::ZERO, [v(radius, 0.0, 0.0), v(0.0, radius, 0.0)])]);
    for radius in [1e-200, 1e200, f64::NAN] {
        assert!(Polyhedron::around(disc(radius), 0).is_err(), "{radius:e}");
    }
}
