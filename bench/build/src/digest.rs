//! SHA-256 over files and trees.
