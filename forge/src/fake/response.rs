//! The responses of the stand-in forge.

use super::InjectedFault;
use serde_json::{Value, json};
use tiny_http::{Header, Response};

pub(super) type Bytes = Response<std::io::Cursor<Vec<u8>>>;

pub(super) fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a header")
}

pub(super) fn reply(status: u16, value: &Value) -> Bytes {
    Response::from_string(value.to_string()).with_status_code(status)
}

pub(super) fn missing() -> Bytes {
    reply(404, &json!({ "message": "Not Found" }))
}

pub(super) fn failed(fault: &InjectedFault) -> Bytes {
    let mut response = reply(fault.status, &json!({ "message": fault.message }));
    for (name, value) in &fault.headers {
        response.add_header(header(name, value));
    }
    response
}
