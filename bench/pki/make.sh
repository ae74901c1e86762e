#!/bin/sh
# Makes the test certificates in this folder: for each key type a root, an intermediate, a
# server leaf and a client leaf, all with that key type, each signed by the one above it. And a store of
# 150 more roots, which signed nothing: as many as a browser or a distribution trusts, with the key types
# of those, in one file.
#
# They are checked in, so that every host measures with the same bytes: sizes of keys and
# certificates move handshakes. Make them anew only to change what they are; it starts a
# new series for every scenario. With arguments: these key types only, or `roots`. The keys are public and
# protect nothing.
set -eu
cd "$(dirname "$0")"

days=36500 # webpki and every library here read dates beyond 2049 (GeneralizedTime)
name=server.shakedown.test

new_key() { # TYPE FILE
    case "$1" in
    rsa-*) openssl genpkey -quiet -algorithm RSA -pkeyopt "rsa_keygen_bits:${1#rsa-}" -out "$2" ;;
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

message() { # What primitives sign: MESSAGE of bench/driver/src/primitive.
    printf '\240\241\242\243\244\245\246\247\250\251\252\253\254\255\256\257'
    printf '\260\261\262\263\264\265\266\267\270\271\272\273\274\275\276\277'
}

sign_message() { # TYPE
    message >"$work/message"
    case "$1" in
    ed25519) openssl pkeyutl -sign -rawin -inkey "$1/server.key.pem" -in "$work/message" -out "$1/server.signature" ;;
    *) openssl dgst "$(digest "$1")" -sign "$1/server.key.pem" -out "$1/server.signature" "$work/message" ;;
    esac
}

# About what the stores of browsers have: long RSA keys, and P-384.
make_roots() {
    : >roots.pem
    number=1
    while [ "$number" -le 150 ]; do
        case $((number % 5)) in
        0 | 1) key=rsa-4096 ;;
        2) key=rsa-2048 ;;
        3) key=ecdsa-p256 ;;
        *) key=ecdsa-p384 ;;
        esac
        new_key "$key" "$work/key"
        # shellcheck disable=SC2046
        openssl req -x509 -new -key "$work/key" -subj "/C=XX/O=Shakedown Trust $number/CN=Test Root $number" \
            -days "$days" $(digest "$key") -set_serial "$(serial "root $number")" \
            -addext 'basicConstraints=critical,CA:TRUE' \
            -addext 'keyUsage=critical,keyCertSign,cRLSign' >>roots.pem
        number=$((number + 1))
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

[ $# -gt 0 ] || set -- rsa-2048 rsa-3072 rsa-4096 ecdsa-p256 ecdsa-p384 ed25519 roots
for type in "$@"; do
    [ "$type" != roots ] || {
        make_roots
        continue
    }
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
    sign_message "$type"
    openssl pkey -in "$type/server.key.pem" -pubout -outform DER -out "$type/server.public.der"
    openssl verify -purpose sslserver -verify_hostname "$name" \
        -CAfile "$type/root.pem" -untrusted "$work/intermediate.pem" "$work/server.pem"
done
