package main

// A pipe is one direction of the wire: bytes on their way from one end to the other. The buffer is
// reused: once it has grown to the largest flight, nothing allocates.
type pipe struct {
	bytes []byte
	// taken is how much of bytes was taken out.
	taken int
	// total is how much was ever put in.
	total uint64
}

// pipes are both directions of the wire.
type pipes struct {
	toServer, toClient pipe
}

func (p *pipe) empty() bool { return p.taken == len(p.bytes) }

func (p *pipe) put(bytes []byte) {
	p.bytes = append(p.bytes, bytes...)
	p.total += uint64(len(bytes))
}

// take moves what waits into a buffer, as far as it fits.
func (p *pipe) take(into []byte) int {
	count := copy(into, p.bytes[p.taken:])
	p.taken += count
	if p.empty() {
		p.bytes, p.taken = p.bytes[:0], 0
	}
	return count
}

// release gives the buffer of an empty pipe to others.
func (p *pipe) release(spare *[][]byte) {
	if p.empty() && p.bytes != nil {
		*spare = append(*spare, p.bytes[:0])
		p.bytes, p.taken = nil, 0
	}
}

// borrow takes such a buffer for what will be put in.
func (p *pipe) borrow(spare *[][]byte) {
	if last := len(*spare) - 1; p.bytes == nil && last >= 0 {
		p.bytes, *spare = (*spare)[last], (*spare)[:last]
	}
}

// fresh is what was put in since total was before, as far as it was not yet taken out.
func (p *pipe) fresh(before uint64) []byte {
	waiting := p.bytes[p.taken:]
	count := min(p.total-before, uint64(len(waiting)))
	return waiting[uint64(len(waiting))-count:]
}

func (p *pipes) empty() bool { return p.toServer.empty() && p.toClient.empty() }
