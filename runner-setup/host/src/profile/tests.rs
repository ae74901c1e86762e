use super::*;

#[test]
fn the_profiles_are_sound_and_each_is_used() {
    for (name, text) in FILES {
        parse(name, text).unwrap();
    }
    let parts = |vendor: &str, guest| Profile::combine(vendor, guest).unwrap().parts;
    assert_eq!(parts("GenuineIntel", false), ["common", "intel"]);
    assert_eq!(parts("AuthenticAMD", true), ["common", "amd", "vm"]);
    assert_eq!(parts("Arm", false), ["common", "arm"]);
    assert_eq!(parts("Unheard Of", false), ["common"]);
}

#[test]
fn the_order_is_the_one_that_the_kernel_needs() {
    for vendor in ["GenuineIntel", "AuthenticAMD", "Arm"] {
        let profile = Profile::combine(vendor, false).unwrap();
        let at = |name: &str| profile.knobs.iter().position(|knob| knob.name == name).unwrap();
        assert!(at("governor") < at("turbo"), "writing the governor can switch turbo on");
        assert!(at("smt") < at("max-frequency"), "siblings share a frequency");
        assert!(at("turbo") < at("max-frequency"), "turbo moves the most that there is");
        assert!(at("irqbalance") < at("irq-affinity"), "it would move them back");
        assert!(at("smt") < at("isolated-cpus"), "siblings go away");
    }
}

#[test]
fn a_later_file_takes_the_place_of_a_knob() {
    let clock = |vendor: &str, guest| {
        let profile = Profile::combine(vendor, guest).unwrap();
        assert_eq!(profile.knobs.iter().filter(|knob| knob.name == "clocksource").count(), 1);
        profile.knob("clocksource").unwrap().clone()
    };
    assert_eq!(clock("Arm", false).wanted.as_deref(), Some("arch_sys_counter"));
    assert!(clock("GenuineIntel", true).also.contains(&"kvm-clock".to_owned()));
    assert!(clock("GenuineIntel", false).also.is_empty());
}

/// A sound knob, in which `from` becomes `to`.
fn told(from: &str, to: &str) -> String {
    const SOUND: &str = r#"profile = "x"
about = "x"

[[knob]]
name = "k"
order = 1
about = "a"
wanted = "0"
verify = "v"
cost = "c"
fix = "f"
source = "https://x"
files = [{ path = "sys/a" }]
"#;
    assert!(SOUND.contains(from), "{from}");
    parse("x.toml", SOUND).unwrap();
    parse("x.toml", &SOUND.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn each_mistake_is_named_with_file_and_line() {
    let has = |text: String, words: &str| assert!(text.contains(words), "{text}");
    has(told("cost =", "costs ="), "x.toml:10: unknown field `costs`");
    has(told("path = \"sys/a\"", "file = \"sys/a\""), "x.toml:13: unknown field `file`");
    has(told("verify = \"v\"\n", ""), "missing field `verify`");
    has(told("\"sys/a\"", "\"etc/passwd\""), "x.toml:5: knob `k` has `etc/passwd`");
    has(told("\"sys/a\"", "\"sys/../etc/a\""), "files are below");
    has(told("\"sys/a\"", "\"sys/a*/b*\""), "one `*` at most");
    has(told("\"0\"", "\"@bass\""), "there are @base");
    has(told("\"0\"", "\"@base\""), "numbers with `base`");
    has(told("\"0\"", "\"@benchmark\""), "lists or masks");
    has(told("\"c\"", "\"\""), "what that costs");
    has(told("https:", "ftp:"), "can be looked up");
    has(told("order = 1", "order = 1\nat-least = true"), "for numbers");
    has(told("order = 1", "order = 1\nmatch = \"subset\""), "for CPUs");
    has(told("order = 1", "order = 1\nunits = [\"u\"]"), "one of `files`, `units`");
    has(told("{ path = \"sys/a\" }", "{ path = \"sys/a\", words = { off = \"1\" } }"), "none of");
    has(told("profile = \"x\"", "profile = \"y\""), "x.toml:1: profile `y` stands in x.toml");
}
