import { getCACertificates } from 'node:tls'

let trusted: readonly string[] | undefined

/**
 * The certificates that programs of this machine trust, as PEM: Node's own, the system's (those of
 * `SSL_CERT_FILE` and `SSL_CERT_DIR` where they are set) and those of `NODE_EXTRA_CA_CERTS`. Read once:
 * there are hundreds.
 */
export const listTrusted = (): readonly string[] => {
  trusted ??= [
    ...new Set(
      (['bundled', 'system', 'extra'] as const)
        .flatMap((kind) => getCACertificates(kind))
        // The same one is written with and without a line's end after it.
        .map((certificate) => certificate.trim()),
    ),
  ]
  return trusted
}

/** How many of them every Node has: programs inside need no list when there are no others. */
export const countBundled = (): number => getCACertificates('bundled').length
