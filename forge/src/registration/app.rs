//! A GitHub App: it signs who it is, and gets a token that lasts an hour and may do one thing.

use super::RunnerOwner;
use crate::{Forge, ForgeError, ForgeOptions, Token};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::Method;
use ring::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use rustls_pki_types::{PrivateKeyDer, pem::PemObject};
use serde::Deserialize;
use serde_json::json;
use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// A signature holds from so long before now, in seconds: the host's clock may be ahead.
const EARLIER: u64 = 60;
/// It holds until so long after now, in seconds. GitHub accepts 10 minutes at most, by its own clock.
const LATER: u64 = 480;
/// Keys are read up to this size, in bytes.
const KEY: u64 = 16 << 10;

/// Who the app is, and what it signs with.
#[derive(Debug)]
pub struct AppKey {
    id: String,
    pair: RsaKeyPair,
}

#[derive(Deserialize)]
struct Installation {
    id: u64,
}

#[derive(Deserialize)]
struct AccessToken {
    token: String,
}

impl AppKey {
    /// Reads the key that GitHub made for the app: its ID, or its client ID, and the PEM file.
    ///
    /// # Errors
    /// A file that others may read, or that has no RSA key.
    pub fn read(id: &str, path: &Path) -> Result<Self, ForgeError> {
        let name = path.display().to_string();
        let failed = |source| ForgeError::File { path: name.clone(), source };
        let wrong =
            |reason: &str| ForgeError::Key { path: name.clone(), reason: reason.to_owned() };
        let about = fs::metadata(path).map_err(failed)?;
        if about.mode() & 0o077 != 0 {
            return Err(wrong("others than its owner may read it. Run chmod 600 on it"));
        }
        if about.len() > KEY {
            return Err(wrong("it is too large"));
        }
        let text = fs::read(path).map_err(failed)?;
        let key = PrivateKeyDer::from_pem_slice(&text)
            .map_err(|_| wrong("it has no private key as PEM"))?;
        let pair = match &key {
            PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(key) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()),
            _ => return Err(wrong("it is not an RSA key")),
        };
        let pair = pair.map_err(|reason| wrong(&format!("ring says {reason}")))?;
        Ok(Self { id: id.to_owned(), pair })
    }

    /// What it signs: a JSON Web Token by RS256.
    fn assertion(&self, now_s: u64) -> Result<Token, ForgeError> {
        let claims = json!({ "iat": now_s - EARLIER, "exp": now_s + LATER, "iss": self.id });
        let parts = [json!({ "alg": "RS256", "typ": "JWT" }), claims];
        let text = parts.map(|part| URL_SAFE_NO_PAD.encode(part.to_string())).join(".");
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
            .map_err(|_| ForgeError::App("the key does not sign".to_owned()))?;
        Ok(Token::new(&format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }

    /// Requests a token with the one permission that registering runners needs.
    ///
    /// # Errors
    /// An app that is not installed there or lacks the permission; errors of the forge.
    pub fn token(
        &self,
        options: &ForgeOptions,
        owner: &RunnerOwner,
        now_s: u64,
    ) -> Result<Token, ForgeError> {
        let token = Some(self.assertion(now_s)?);
        let forge = Forge::new(ForgeOptions { token, ..options.clone() })?;
        let place = owner.path(&forge);
        let found: Option<Installation> =
            forge.get(&format!("{place}/installation")).map_err(refused_signature)?;
        let Some(Installation { id }) = found else {
            return Err(ForgeError::App(format!("it is not installed at {place}")));
        };
        let (permission, mut body) = match owner {
            RunnerOwner::Repository => {
                let name = forge.repo().to_string();
                let name = name.split('/').next_back().unwrap_or_default().to_owned();
                ("administration", json!({ "repositories": [name] }))
            }
            RunnerOwner::Organization { .. } => ("organization_self_hosted_runners", json!({})),
        };
        body["permissions"] = json!({ permission: "write" });
        let path = format!("/app/installations/{id}/access_tokens");
        let answer: Option<AccessToken> =
            forge.change(Method::POST, &path, &body).map_err(|error| match error {
                ForgeError::Refused { status: 403 | 422, message, .. } => ForgeError::App(format!(
                    "its installation at {place} lacks the permission {permission}: write ({message})"
                )),
                other => refused_signature(other),
            })?;
        answer.map(|answer| Token::new(&answer.token)).ok_or(ForgeError::DryRun("token"))
    }
}

/// A 401 is about the app's signature, and not about a token.
fn refused_signature(error: ForgeError) -> ForgeError {
    match error {
        ForgeError::Refused { status: 401, message, .. } => ForgeError::App(message),
        other => other,
    }
}
