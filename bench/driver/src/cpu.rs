//! What the processor offers to libraries that choose their code at run time.

/// Instruction set extensions that TLS libraries choose their code by, of those that this
/// process sees. Under valgrind that is less than the machine has.
#[cfg(target_arch = "x86_64")]
pub fn cpu_features() -> Vec<String> {
    macro_rules! seen {
        ($($name:tt)+) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),+]
        };
    }
    let seen = seen!(
        "aes" "pclmulqdq" "sha" "ssse3" "avx" "avx2" "bmi2" "adx" "vaes" "vpclmulqdq"
        "avx512f" "avx512bw" "avx512vl" "avx512ifma"
    );
    seen.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect()
}

/// Instruction set extensions that TLS libraries choose their code by, of those that this
/// process sees.
#[cfg(target_arch = "aarch64")]
pub fn cpu_features() -> Vec<String> {
    macro_rules! seen {
        ($($name:tt)+) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),+]
        };
    }
    let seen = seen!("neon" "aes" "pmull" "sha2" "sha3" "sve" "sve2");
    seen.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect()
}

/// Unknown on this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn cpu_features() -> Vec<String> {
    Vec::new()
}
