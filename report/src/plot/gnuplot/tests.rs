use super::*;
use crate::plot::{Axis, Bar, Curve, Joined, Mark, PlotPoint};

fn picture(text: &str) -> Picture {
    let point = |x: f64| PlotPoint { x, y: 2.0 * x, low: 1.9 * x, high: 2.1 * x };
    let curve = |joined, colour| Curve {
        name: text.to_owned(),
        colour,
        dashed: true,
        joined,
        points: vec![point(1.0), PlotPoint { y: f64::NAN, ..point(1.5) }, point(2.0)],
    };
    let words = vec![(1.0, text.to_owned()), (2.0, "b".to_owned())];
    let axis = Axis { label: text.to_owned(), ..Axis::default() };
    Picture {
        title: text.to_owned(),
        caption: vec![text.to_owned(); 2],
        x: Axis { words, ..axis.clone() },
        y: axis,
        curves: vec![curve(Joined::Line, 0), curve(Joined::Band, 1), curve(Joined::Steps, 2)],
        marks: vec![Mark { x: 1.5, text: text.to_owned(), strong: true }],
        height: 400,
        ..Picture::default()
    }
}

/// Whatever a name holds, it is drawn and not obeyed: no file, no command, no layout.
#[test]
fn hostile_text_is_only_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("made");
    let path = file.display();
    for hostile in [
        format!("'; system('touch {path}'); '"),
        format!("\"; system(\"touch {path}\"); \""),
        format!("`touch {path}`"),
        format!("$(touch {path})"),
        format!("x\nsystem('touch {path}')\n"),
        format!("x\nEND\nset output '{path}'\n"),
        "@macro {/:Bold b} a_b^c ~x{.5y} &{z} %s %d %n \\\\ \\' \u{1b}[31m".to_owned(),
        "<script>alert(1)</script> & ]]> –×µ…".to_owned(),
        "'".repeat(7),
        "\\".to_owned(),
    ] {
        for mut picture in [picture(&hostile), picture(&hostile)] {
            let svg = String::from_utf8(picture.draw(ImageFormat::Svg).unwrap()).unwrap();
            assert!(!svg.contains("<script"), "{svg}");
            assert!(!file.exists(), "{hostile:?} was obeyed");
            picture.curves.clear();
            picture.bars = vec![Bar {
                name: hostile.clone(),
                factor: 1.5,
                interval: Some((1.4, 1.6)),
                text: hostile.clone(),
                colour: 0,
            }];
            picture.draw(ImageFormat::Svg).unwrap();
            assert!(!file.exists(), "{hostile:?} was obeyed");
        }
    }
}

#[test]
fn text_comes_out_as_it_went_in() {
    let svg = picture("a_b^c @d {e} 100 % `12` \\9 it's \\n").draw(ImageFormat::Svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    let drawn = svg.matches("a_b^c @d {e} 100 % `12` \\9 it's \\n").count();
    // Title (twice: drawn and told), two lines of caption, both axes, a word, a mark, three
    // entries of the legend.
    assert_eq!(drawn, 11, "{svg}");
}

#[test]
fn a_png_is_one() {
    let png = picture("x").draw(ImageFormat::Png).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n"));
}
