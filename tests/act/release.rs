//! `release.yml`: from a pushed tag to the published release, with a real build for the processor of this machine.

use crate::world::{Ran, World};
use serde_json::json;
use std::{fs, path::Path};

const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));

/// Not optimized, which takes a fraction of the time.
const QUICK: [&str; 2] =
    ["CARGO_PROFILE_RELEASE_OPT_LEVEL=0", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16"];

/// A push of a tag, in the given attempt of its run. There is no runner here for the other processor.
fn pushed(world: &World, tag: &str, attempt: u32) -> Ran {
    // Dependencies stay compiled for the next test of this checkout.
    let compiled = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let variables = [
        format!("CARGO_BUILD_BUILD_DIR={}", compiled.display()),
        format!("GITHUB_RUN_ATTEMPT={attempt}"),
    ];
    let mut arguments = vec!["--matrix", "on:ubuntu-22.04"];
    let variables = QUICK.into_iter().chain(variables.iter().map(String::as_str));
    arguments.extend(variables.flat_map(|variable| ["--env", variable]));
    let reference = format!("refs/tags/{tag}");
    world.git(&["tag", "--force", tag, &world.base]);
    world.push(&reference);
    let payload = json!({"ref": reference, "deleted": false, "after": world.base});
    world.act("push", "release", &payload, &arguments)
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_tag_becomes_a_release_of_a_program_that_runs_with_sums_and_an_attestation() {
    let world = World::new();
    // Not the version that the code has.
    let ran = pushed(&world, "v0.0.1", 1);
    assert_eq!(ran.step("build", "Build"), Some("failure"), "{}", ran.printed());
    assert!(ran.told("the version in Cargo.toml"), "{}", ran.printed());
    assert_ne!(ran.step("publish", "Publish"), Some("success"));

    // The first attempt breaks off while it uploads: what is left is a draft, which nobody sees.
    fs::write(world.at("bin/breaks"), "").unwrap();
    let ran = pushed(&world, TAG, 1);
    assert_eq!(ran.step("publish", "Attest"), Some("success"), "{}", ran.printed());
    assert_eq!(ran.step("publish", "Publish"), Some("failure"), "{}", ran.printed());
    assert!(
        ran.printed().contains(&format!("shakedown {}", &TAG[1..])),
        "it runs, and says which it is"
    );
    assert!(world.at("bin/drafts/1").exists() && !world.at("bin/releases").join(TAG).exists());

    let ran = pushed(&world, TAG, 2);
    assert!(ran.success, "{}", ran.printed());
    let published = fs::read_to_string(world.at("bin/releases").join(TAG)).unwrap();
    let files: Vec<&str> = published.lines().skip(1).collect();
    let program = format!("dist/shakedown-{}-{}", world.base, std::env::consts::ARCH);
    let names: Vec<&str> = files.iter().filter_map(|line| line.split("  ").nth(1)).collect();
    assert_eq!(names, ["dist/SHA256SUMS", &program], "{published}");
    // What is attested is what is published, byte for byte.
    let attested = fs::read_to_string(world.at("artifacts/attested")).unwrap();
    assert_eq!(attested.lines().collect::<Vec<_>>(), files);

    let ran = pushed(&world, TAG, 3);
    assert!(!ran.success && ran.told("is published already"), "{}", ran.printed());
    assert_eq!(fs::read_to_string(world.at("bin/releases").join(TAG)).unwrap(), published);
}
