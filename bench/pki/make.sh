#!/bin/sh
# Makes the test certificates in this folder: for each key type a root, an intermediate, a
# server leaf and a client leaf, all with that key type, each signed by the one above it.
#
# They are checked in, so that every host measures with the same bytes: sizes of keys and
# certificates move handshakes. Make them anew only to change what they are; it starts a
# new series for every scenario. The keys are public and protect nothing.
set -eu
cd "$(dirname "$0")"

days=36500 # webpki and every library here read dates beyond 2049 (GeneralizedTime)
name=server.shakedown.test

new_key() { # TYPE FILE
    case "$1" in
    rsa-2048) openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$2" ;;
    ecdsa-p256) openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$2" ;;
    ecdsa-p384) openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out "$2" ;;
    ed25519) openssl genpkey -quiet -algorithm ED25519 -out "$2" ;;
    esac
}

digest() { # TYPE: Ed25519 has its own
    case "$1" in
    ed25519) ;;
    ecdsa-p384) echo -sha384 ;;
    *) echo -sha256 ;;
    esac
}

# A fixed 16-byte serial, so that lengths don't change from one making to the next.
serial() { printf '%s' "0x5a$(printf '%s' "$1" | sha256sum | cut -c1-30)"; }

sign() { # TYPE SUBJECT KEY OUT CA-CERT CA-KEY EXTENSIONS
    printf '%s\n' "$7" >"$work/extensions"
    # shellcheck disable=SC2046 # an empty digest must be no argument at all
    openssl req -new -key "$3" -subj "/O=Shakedown/CN=$2" -out "$work/request"
    # shellcheck disable=SC2046
    openssl x509 -req -in "$work/request" -CA "$5" -CAkey "$6" -days "$days" \
        -set_serial "$(serial "$1 $2")" $(digest "$1") \
        -extfile "$work/extensions" -out "$4" 2>/dev/null
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

for type in rsa-2048 ecdsa-p256 ecdsa-p384 ed25519; do
    mkdir -p "$type"
    for who in root intermediate server client; do new_key "$type" "$work/$who.key"; done
    # shellcheck disable=SC2046
    openssl req -x509 -new -key "$work/root.key" -subj "/O=Shakedown/CN=$type root" \
        -days "$days" $(digest "$type") -set_serial "$(serial "$type root")" \
        -addext 'basicConstraints=critical,CA:TRUE' \
        -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$type/root.pem"
    sign "$type" "$type intermediate" "$work/intermediate.key" "$work/intermediate.pem" \
        "$type/root.pem" "$work/root.key" 'basicConstraints=critical,CA:TRUE,pathlen:0
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid'
    for who in server client; do
        sign "$type" "$who.shakedown.test" "$work/$who.key" "$work/$who.pem" \
            "$work/intermediate.pem" "$work/intermediate.key" "basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=${who}Auth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName=DNS:$who.shakedown.test"
        cat "$work/$who.pem" "$work/intermediate.pem" >"$type/$who.chain.pem"
        cp "$work/$who.key" "$type/$who.key.pem"
    done
    openssl verify -purpose sslserver -verify_hostname "$name" \
        -CAfile "$type/root.pem" -untrusted "$work/intermediate.pem" "$work/server.pem"
done
