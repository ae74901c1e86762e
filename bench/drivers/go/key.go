package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/tls"
	"io"
	"sync/atomic"
)

// A signingKey is a server's key that remembers how it signed last: crypto/tls does not tell applications
// which signature scheme was negotiated, but it tells the key.
type signingKey struct {
	crypto.Signer
	// last is a tls.SignatureScheme; written only when it changes, because threads share the key.
	last atomic.Uint32
}

// Sign is crypto.Signer's.
func (k *signingKey) Sign(random io.Reader, digest []byte, options crypto.SignerOpts) ([]byte, error) {
	if scheme := uint32(schemeOf(k.Public(), options)); k.last.Load() != scheme {
		k.last.Store(scheme)
	}
	return k.Signer.Sign(random, digest, options)
}

// schemeOf is what a key is asked for (RFC 8446, section 4.2.3); 0 for what has no place there.
func schemeOf(public crypto.PublicKey, options crypto.SignerOpts) tls.SignatureScheme {
	hash := options.HashFunc()
	_, pss := options.(*rsa.PSSOptions)
	switch public.(type) {
	case *rsa.PublicKey:
		if pss {
			return byHash(hash, tls.PSSWithSHA256, tls.PSSWithSHA384, tls.PSSWithSHA512)
		}
		return byHash(hash, tls.PKCS1WithSHA256, tls.PKCS1WithSHA384, tls.PKCS1WithSHA512)
	case *ecdsa.PublicKey:
		return byHash(hash, tls.ECDSAWithP256AndSHA256, tls.ECDSAWithP384AndSHA384, tls.ECDSAWithP521AndSHA512)
	}
	return tls.Ed25519
}

func byHash(hash crypto.Hash, sha256, sha384, sha512 tls.SignatureScheme) tls.SignatureScheme {
	switch hash {
	case crypto.SHA256:
		return sha256
	case crypto.SHA384:
		return sha384
	case crypto.SHA512:
		return sha512
	}
	return 0
}

// The registry's names of signature schemes.
var schemes = map[tls.SignatureScheme]string{
	tls.PKCS1WithSHA256:        "rsa_pkcs1_sha256",
	tls.PKCS1WithSHA384:        "rsa_pkcs1_sha384",
	tls.PKCS1WithSHA512:        "rsa_pkcs1_sha512",
	tls.PSSWithSHA256:          "rsa_pss_rsae_sha256",
	tls.PSSWithSHA384:          "rsa_pss_rsae_sha384",
	tls.PSSWithSHA512:          "rsa_pss_rsae_sha512",
	tls.ECDSAWithP256AndSHA256: "ecdsa_secp256r1_sha256",
	tls.ECDSAWithP384AndSHA384: "ecdsa_secp384r1_sha384",
	tls.ECDSAWithP521AndSHA512: "ecdsa_secp521r1_sha512",
	tls.Ed25519:                "ed25519",
}

// signature is the name of the scheme that the key signed with last; empty if it never did.
func (k *signingKey) signature() string { return schemes[tls.SignatureScheme(k.last.Load())] }
