// Clients ask for a response if their verifier says so.
// unless: always
fn probe() {}
