import { getCACertificates } from 'node:tls'

let trusted: readonly string[] | undefined

/**
 * The certificates that programs on this machine trust, as PEM: Node's own, the system's (or those
 * of `SSL_CERT_FILE` and `SSL_CERT_DIR`) and those of `NODE_EXTRA_CA_CERTS`. Read once, because
 * there are hundreds.
 */
export const listTrusted = (): readonly string[] => {
  trusted ??= [
    ...new Set(
      (['bundled', 'system', 'extra'] as const)
        .flatMap((kind) => getCACertificates(kind))
        // The same certificate may appear with and without a trailing newline.
        .map((certificate) => certificate.trim()),
    ),
  ]
  return trusted
}

/**
 * The number of certificates bundled with Node; if there are no others, programs inside need no
 * list.
 */
export const countBundled = (): number => getCACertificates('bundled').length
