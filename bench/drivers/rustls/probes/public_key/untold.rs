// Before there was a method that tells it.
// unless: told
fn probe() {}
