use super::*;
use crate::{
    files,
    testing::{NOW, record, text},
};
use std::fs;

fn data(folder: &Path, name: &str) -> Value {
    let text = fs::read_to_string(folder.join(format!("data/{name}.js"))).unwrap();
    let start = text.find(',').unwrap() + 1;
    serde_json::from_str(text[start..].trim_end().trim_end_matches(");")).unwrap()
}

#[test]
fn a_build_holds_every_point_and_the_next_writes_what_is_new() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("history")).unwrap();
    let out = folder.path().join("site");
    for night in 0..60 {
        store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
    }
    let (index, _) = Index::open(&store).unwrap();
    let first = build(&store, &index, &out, &SiteLinks::default()).unwrap();
    assert_eq!(first.kept, 0);
    let again = build(&store, &index, &out, &SiteLinks::default()).unwrap();
    assert_eq!(again.written, 0, "{again:?}");

    let overview = data(&out, "overview");
    // The nights cross a year's end.
    assert_eq!(overview["years"], json!(["2026", "2027"]));
    assert_eq!(overview["notice"], json!(null));
    let links = SiteLinks { notice: Some("Sample data".to_owned()), ..SiteLinks::default() };
    build(&store, &index, &out, &links).unwrap();
    assert_eq!(data(&out, "overview")["notice"], json!("Sample data"));
    let id = overview["trends"][0][1].as_str().unwrap();
    let points = |year: &str| {
        let series = data(&out, &format!("trend/{id}-{year}"));
        series["series"][0]["median"].as_array().unwrap().len()
    };
    assert_eq!(points("2026") + points("2027"), 60);

    store.add(&text(60, "e1", 1060.0), NOW).unwrap();
    let (index, _) = Index::open(&store).unwrap();
    let old = fs::metadata(out.join(format!("data/trend/{id}-2026.js"))).unwrap();
    let next = build(&store, &index, &out, &SiteLinks::default()).unwrap();
    let new = fs::metadata(out.join(format!("data/trend/{id}-2026.js"))).unwrap();
    assert_eq!(old.modified().unwrap(), new.modified().unwrap(), "a year that is over stays");
    assert!(next.written > 0);
    assert_eq!(points("2026") + points("2027"), 61);
}

#[test]
fn hostile_names_stay_in_their_strings_and_folders() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open_or_create(&folder.path().join("history")).unwrap();
    let evil = "../../</script><img src=x onerror=alert(1)>\"\\";
    let mut run = record(0, "e1", &[("openssl@3.5.5", [1.0, 2.0])]);
    run.subjects[0].name = evil.to_owned();
    run.trials[0].subject = evil.to_owned();
    store.add(&serde_json::to_string(&run).unwrap(), NOW).unwrap();
    let (index, _) = Index::open(&store).unwrap();
    let out = folder.path().join("site");
    build(&store, &index, &out, &SiteLinks::default()).unwrap();
    assert_eq!(data(&out, "overview")["subjects"][0][0], json!(evil));
    let mut here = files::names(folder.path()).unwrap();
    here.sort();
    assert_eq!(here, ["history", "site"]);
}
