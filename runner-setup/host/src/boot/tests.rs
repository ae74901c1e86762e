use super::*;
use crate::testing::TestMachine;
use std::fs;

fn with(name: &str, path: &str, text: &str) -> TestMachine {
    let machine = TestMachine::new(name);
    fs::create_dir_all(machine.root.path(path).parent().unwrap()).unwrap();
    machine.put(path, text);
    machine
}

#[test]
fn grub_gets_a_file_of_its_own_that_goes_again() {
    let machine = with("intel", "etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"");
    fs::create_dir(machine.root.path("etc/default/grub.d")).unwrap();
    let before = machine.files();
    let shown = plan(&machine.root).unwrap();
    assert!(machine.files() == before, "showing changes nothing");
    insta::assert_snapshot!(format!("{}\n{}", shown.file, shown.after));
    let words: Vec<_> = shown.parameters.iter().map(|p| p.word.as_str()).collect();
    assert_eq!(words, ["nosmt", "nmi_watchdog=0", "transparent_hugepage=never"]);
    assert_eq!(shown.command, ["grub-mkconfig", "-o", "/boot/grub/grub.cfg"]);
    assert!(write(&machine.root).unwrap().1);
    assert_eq!(machine.root.read(&shown.file).unwrap(), shown.after.trim_end());
    assert!(!write(&machine.root).unwrap().1, "a second time changes nothing");
    assert_eq!(remove(&machine.root).unwrap().as_deref(), Some(shown.file.as_str()));
    assert!(machine.files() == before);
    assert_eq!(remove(&machine.root).unwrap(), None);
}

#[test]
fn the_line_of_systemd_boot_keeps_what_others_put_there() {
    // Somebody had nmi_watchdog=0 there before: it stays.
    let machine = with("hybrid", "etc/kernel/cmdline", "root=UUID=77aa ro nmi_watchdog=0");
    let line = || machine.root.read("etc/kernel/cmdline").unwrap();
    write(&machine.root).unwrap();
    assert_eq!(line(), "root=UUID=77aa ro nmi_watchdog=0 nosmt transparent_hugepage=never");
    assert!(!write(&machine.root).unwrap().1);
    // And what is put there meanwhile stays too.
    machine.put("etc/kernel/cmdline", &format!("{} console=ttyS0", line()));
    remove(&machine.root).unwrap();
    assert_eq!(line(), "root=UUID=77aa ro nmi_watchdog=0 console=ttyS0");
}

#[test]
fn without_the_line_the_running_one_is_taken_and_goes_again() {
    let machine = with("arm", "boot/efi/loader/loader.conf", "timeout 3");
    let before = machine.files();
    let (plan, _) = write(&machine.root).unwrap();
    assert!(plan.after.starts_with("root=/dev/mapper/"), "{}", plan.after);
    assert!(!plan.after.contains("nosmt"), "Arm has none");
    remove(&machine.root).unwrap();
    assert!(!machine.root.has("etc/kernel/cmdline"));
    let files: Vec<_> = machine.files().into_iter().filter(|(_, text)| !text.is_empty()).collect();
    let before: Vec<_> = before.into_iter().filter(|(_, text)| !text.is_empty()).collect();
    assert_eq!(files, before);
}

#[test]
fn what_booted_the_machine_counts_and_what_it_added_is_left_out() {
    let machine = with("intel", "etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"");
    assert_eq!(Loader::of(&machine.root), Some(Loader::Grub));
    let info = "sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";
    let utf16 = |text: &str| text.chars().flat_map(|c| [c, '\0']).collect::<String>();
    fs::create_dir_all(machine.root.path(info).parent().unwrap()).unwrap();
    machine.put(info, &format!("\u{6}\0\0\0{}", utf16("GRUB 2.12")));
    assert_eq!(Loader::of(&machine.root), Some(Loader::Grub));
    machine.put(info, &format!("\u{6}\0\0\0{}", utf16("systemd-boot 257.9-1")));
    machine.put("proc/cmdline", "initrd=\\77aa\\6.12\\initrd root=/dev/vda2 quiet");
    let plan = plan(&machine.root).unwrap();
    assert_eq!(plan.loader, Loader::SystemdBoot);
    assert!(plan.after.starts_with("root=/dev/vda2 quiet nosmt "), "{}", plan.after);
}

/// The running kernel still has our words when they are taken back, and it is what
/// `kernel-install` asks where there is no file.
#[test]
fn the_loader_reads_a_line_without_our_words_before_the_file_goes() {
    let machine = with("intel", "boot/efi/loader/loader.conf", "timeout 3");
    write(&machine.root).unwrap();
    let line = machine.root.read("etc/kernel/cmdline").unwrap();
    machine.put("proc/cmdline", &line);
    assert!(Loader::SystemdBoot.forget(&machine.root).unwrap());
    assert_eq!(machine.root.read("etc/kernel/cmdline").unwrap(), "root=UUID=1b0c ro quiet");
    // Killed here, it is begun again.
    assert!(Loader::SystemdBoot.forget(&machine.root).unwrap());
    Loader::SystemdBoot.tidy(&machine.root).unwrap();
    assert!(!machine.root.has("etc/kernel/cmdline"));
    assert!(!Loader::SystemdBoot.forget(&machine.root).unwrap());
}

#[test]
fn a_loader_that_is_not_known_is_said_to_be_so() {
    let error = plan(&TestMachine::new("vm").root).unwrap_err().to_string();
    assert!(error.contains("by hand") && error.contains("nosmt"), "{error}");
}
