fn probe(algorithms: &mut WebPkiSupportedAlgorithms) {
    algorithms.mapping = algorithms.mapping;
}
