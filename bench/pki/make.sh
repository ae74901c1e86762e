#!/bin/sh
# Makes the test certificates in this folder: for each key type a root, an intermediate, a
# server leaf and a client leaf, all with that key type, each signed by the one above it. And a store of
# 150 more roots, which signed nothing: as many as a browser or a distribution trusts, with the key types
# of those, in one file. And, for scenarios that say what is verified, a second root for each key type,
# with chains of other lengths, revocation lists and OCSP responses.
#
# They are checked in, so that every host measures with the same bytes: sizes of keys and
# certificates move handshakes. Make them anew only to change what they are; it starts a
# new series for every scenario. With arguments: these key types only, `roots`, or `verification`, which
# keeps the leaves' keys. The keys are public and protect nothing.
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

sign_leaf() { # TYPE server|client KEY OUT CA-CERT CA-KEY
    sign "$1" "$2.shakedown.test" "$3" "$4" "$5" "$6" "basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=${2}Auth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
subjectAltName=DNS:$2.shakedown.test"
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

# One line of a certificate authority's index: STATUS, when it was revoked, and the serial.
entry() {
    number_in_capitals=$(printf '%s' "${3#0x}" | tr a-f A-F)
    printf '%s\t21260101000000Z\t%s\t%s\tunknown\t/CN=%s\n' "$1" "$2" "$number_in_capitals" "$3"
}

# A list of a hundred revoked certificates, and one more if its serial is given.
make_crl() { # TYPE ISSUER-CERT ISSUER-KEY OUT [SERIAL]
    number=1
    : >"$work/index"
    while [ "$number" -le 100 ]; do
        entry R 260101000000Z "$(serial "$1 revoked $number")" >>"$work/index"
        number=$((number + 1))
    done
    [ $# -lt 5 ] || entry R 260101000000Z "$5" >>"$work/index"
    echo 1000 >"$work/crlnumber"
    printf '[ca]\ndefault_ca=this\n[this]\ndatabase=%s\ncrlnumber=%s\ndefault_md=default\n' \
        "$work/index" "$work/crlnumber" >"$work/ca.cnf"
    printf 'crl_extensions=extensions\n[extensions]\nauthorityKeyIdentifier=keyid\n' >>"$work/ca.cnf"
    # shellcheck disable=SC2046 # an empty digest must be no argument at all
    openssl ca -gencrl -config "$work/ca.cnf" -cert "$2" -keyfile "$3" -crldays "$days" \
        $([ "$1" = ed25519 ] || echo -md "$(digest "$1" | tr -d -)") -out "$4" 2>/dev/null
}

# A response that the certificate is good, signed by its issuer.
make_ocsp() { # TYPE CERT SERIAL ISSUER-CERT ISSUER-KEY OUT
    entry V '' "$3" >"$work/index"
    openssl ocsp -index "$work/index" -CA "$4" -rsigner "$4" -rkey "$5" -issuer "$4" -cert "$2" \
        -no_nonce -ndays "$days" -resp_no_certs -resp_key_id -respout "$6" >/dev/null 2>&1
    openssl ocsp -respin "$6" -issuer "$4" -cert "$2" -CAfile "$work/all.pem" -verify_other "$4" -no_nonce |
        grep ": good"
}

# Chains of 1 to 4 certificates with the same leaf key, and what tells that they were not revoked.
make_verification() { # TYPE
    out=$1/verification
    mkdir -p "$out"
    for who in issuer-0 issuer-1 issuer-2 issuer-3; do new_key "$1" "$work/$who.key"; done
    # shellcheck disable=SC2046
    openssl req -x509 -new -key "$work/issuer-0.key" -subj "/O=Shakedown/CN=$1 root of chains" \
        -days "$days" $(digest "$1") -set_serial "$(serial "$1 root of chains")" \
        -addext 'basicConstraints=critical,CA:TRUE' \
        -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$out/root.pem"
    cp "$out/root.pem" "$work/issuer-0.pem"
    cp "$out/root.pem" "$work/all.pem"
    : >"$work/above.pem"
    : >"$work/lists.pem"
    for length in 1 2 3 4; do
        above=$((length - 1))
        issuer=$work/issuer-$above
        [ "$above" -eq 0 ] || {
            sign "$1" "$1 intermediate $above" "$issuer.key" "$issuer.pem" \
                "$work/issuer-$((above - 1)).pem" "$work/issuer-$((above - 1)).key" \
                "basicConstraints=critical,CA:TRUE,pathlen:$((3 - above))
keyUsage=critical,keyCertSign,cRLSign
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid"
            cat "$issuer.pem" "$work/above.pem" >"$work/more.pem"
            mv "$work/more.pem" "$work/above.pem"
            cat "$issuer.pem" >>"$work/all.pem"
        }
        sign_leaf "$1" server "$1/server.key.pem" "$work/leaf.pem" "$issuer.pem" "$issuer.key"
        cat "$work/leaf.pem" "$work/above.pem" >"$out/chain-$length.pem"
        case $above in 0) list=root ;; *) list=intermediate-$above ;; esac
        make_crl "$1" "$issuer.pem" "$issuer.key" "$out/$list.crl.pem"
        leaf=$(serial "$1 server.shakedown.test")
        make_ocsp "$1" "$work/leaf.pem" "$leaf" "$issuer.pem" "$issuer.key" "$out/chain-$length.ocsp.der"
        # What a test puts in the place of the list.
        [ "$1 $length" != "ecdsa-p256 2" ] ||
            make_crl "$1" "$issuer.pem" "$issuer.key" "$out/intermediate-1.revoked.crl.pem" "$leaf"
        cat "$out/$list.crl.pem" >>"$work/lists.pem"
        openssl verify -purpose sslserver -verify_hostname "$name" -crl_check_all -CRLfile "$work/lists.pem" \
            -CAfile "$out/root.pem" -untrusted "$work/all.pem" "$work/leaf.pem"
    done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

types='rsa-2048 rsa-3072 rsa-4096 ecdsa-p256 ecdsa-p384 ed25519'
# shellcheck disable=SC2086 # a word each
[ $# -gt 0 ] || set -- $types roots
for type in "$@"; do
    case $type in
    roots)
        make_roots
        continue
        ;;
    verification)
        for kind in $types; do make_verification "$kind"; done
        continue
        ;;
    esac
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
        sign_leaf "$type" "$who" "$work/$who.key" "$work/$who.pem" \
            "$work/intermediate.pem" "$work/intermediate.key"
        cat "$work/$who.pem" "$work/intermediate.pem" >"$type/$who.chain.pem"
        cp "$work/$who.key" "$type/$who.key.pem"
    done
    sign_message "$type"
    openssl pkey -in "$type/server.key.pem" -pubout -outform DER -out "$type/server.public.der"
    openssl verify -purpose sslserver -verify_hostname "$name" \
        -CAfile "$type/root.pem" -untrusted "$work/intermediate.pem" "$work/server.pem"
    make_verification "$type"
done
