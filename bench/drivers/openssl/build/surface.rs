//! Reads the declarations of `src/ffi` and says the same in C.

/// A function or constant that the driver uses.
#[derive(Debug)]
pub struct Declaration {
    /// The library's name of it.
    pub name: String,
    /// Whether the driver can do without it.
    pub optional: bool,
    /// C that compiles and links only if the headers and the archives agree.
    pub c: String,
}

/// Every `fn` and `const`, in order.
///
/// # Errors
/// For a declaration that this reader does not understand.
pub fn parse(text: &str) -> Result<Vec<Declaration>, String> {
    let code: String = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .collect::<Vec<_>>()
        .join(" ");
    let aliases = aliases(&code)?;
    let mut found = Vec::new();
    for statement in code.split(';') {
        let (attributes, rest) = match statement.rfind("pub ") {
            Some(at) => statement.split_at(at),
            None => continue,
        };
        let optional = attributes.rsplit(['{', '}']).next().unwrap_or("").contains("offered =");
        let (name, c) = if let Some(rest) = rest.strip_prefix("pub fn ") {
            let (name, signature) = rest.split_once('(').ok_or_else(|| wrong(rest))?;
            let (result, arguments) = prototype(signature)?;
            let uses = uses(&aliases, signature);
            (name, format!("{uses}{result} (*check_{name})({arguments} = {name};"))
        } else if let Some(rest) = rest.strip_prefix("pub const ") {
            let (name, value) = rest.split_once(':').ok_or_else(|| wrong(rest))?;
            let value = value.split_once('=').ok_or_else(|| wrong(rest))?.1;
            let value = value.replace('_', "");
            (name, format!("_Static_assert({name} == {}, \"another value\");", value.trim()))
        } else {
            continue;
        };
        found.push(Declaration { name: name.to_owned(), optional, c });
    }
    Ok(found)
}

/// `pub type` aliases of callbacks, as C typedefs.
fn aliases(code: &str) -> Result<Vec<(String, String)>, String> {
    let statements = code.split(';').filter_map(|s| s.split_once("pub type ").map(|(_, s)| s));
    let one = |statement: &str| {
        let (name, value) = statement.split_once(" = ").ok_or_else(|| wrong(statement))?;
        let (_, signature) = value.split_once("fn(").ok_or_else(|| wrong(statement))?;
        let (result, arguments) = prototype(signature)?;
        Ok((name.to_owned(), format!("typedef {result} (*{name})({arguments};\n")))
    };
    statements.map(one).collect()
}

/// The typedefs that a signature mentions.
fn uses(aliases: &[(String, String)], signature: &str) -> String {
    let used = aliases.iter().filter(|(name, _)| signature.contains(&format!("Option<{name}>")));
    used.map(|(_, typedef)| typedef.as_str()).collect()
}

/// Of `a: T, b: U) -> V` or `T, U) -> V`: the result, and the arguments with the closing
/// parenthesis.
fn prototype(signature: &str) -> Result<(String, String), String> {
    let (arguments, result) = signature.rsplit_once(')').ok_or_else(|| wrong(signature))?;
    let result = match result.trim().strip_prefix("->") {
        Some(result) => c_type(result)?,
        None => "void".to_owned(),
    };
    let types = arguments.split(',').map(str::trim).filter(|argument| !argument.is_empty());
    let types = types.map(|argument| c_type(argument.split_once(": ").map_or(argument, |a| a.1)));
    let types = types.collect::<Result<Vec<_>, _>>()?.join(", ");
    Ok((result, format!("{})", if types.is_empty() { "void" } else { &types })))
}

/// C's name of a type, without `const`.
fn c_type(rust: &str) -> Result<String, String> {
    let rust = rust.trim();
    if let Some(target) = rust.strip_prefix("*mut ").or_else(|| rust.strip_prefix("*const ")) {
        return Ok(format!("{} *", c_type(target)?));
    }
    if let Some(alias) = rust.strip_prefix("Option<").and_then(|rest| rest.strip_suffix('>')) {
        return Ok(alias.to_owned());
    }
    let known = match rust {
        "c_char" => "char",
        "c_uchar" => "unsigned char",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "c_long" => "long",
        "c_ulong" => "unsigned long",
        "c_void" => "void",
        "u16" => "uint16_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "isize" => "ptrdiff_t",
        "STACK_OF_X509" => "STACK_OF(X509)",
        "STACK_OF_X509_NAME" => "STACK_OF(X509_NAME)",
        "STACK_OF_X509_OBJECT" => "STACK_OF(X509_OBJECT)",
        name if name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_') => {
            name
        }
        "CRYPTO_EX_dup" | "CRYPTO_EX_free" | "CRYPTO_EX_new" | "CRYPTO_EX_unused"
        | "pem_password_cb" => rust,
        _ => return Err(wrong(rust)),
    };
    Ok(known.to_owned())
}

fn wrong(text: &str) -> String {
    format!("the build script can't read this of src/ffi: {}", text.trim())
}
