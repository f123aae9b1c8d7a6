import { generateKeyPairSync } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import { makeCertificate } from './certificate.ts'

/**
 * Signs certificates for the hosts of one session's credentials. Its key never leaves this process.
 */
export interface SessionAuthority {
  /** Trusted inside the sandbox and nowhere else. */
  certificate: string
  /** The TLS context of a server that impersonates the host. */
  contextFor(host: string): SecureContext
}

const DAY_MS = 86_400_000
/** Sandbox and host share a clock, but some programs round times. */
const BACKDATED_MS = DAY_MS
const VALID_MS = 365 * DAY_MS
/** A common name holds 64 characters; clients check the alternative name instead. */
const COMMON_NAME_CHARS = 64

export const createSessionAuthority = (now: () => Date = () => new Date()): SessionAuthority => {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = 'Steward session egress'
  const validity = () => ({
    notBefore: new Date(now().getTime() - BACKDATED_MS),
    notAfter: new Date(now().getTime() + VALID_MS),
  })
  const signed = {
    issuer,
    issuerKey: authority.privateKey,
    issuerPublicKey: authority.publicKey,
    ...validity(),
  }
  const certificate = makeCertificate({
    ...signed,
    subject: issuer,
    publicKey: authority.publicKey,
  })
  const contexts = new Map<string, SecureContext>()
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    certificate,
    contextFor: (host) => {
      const known = contexts.get(host)
      if (known !== undefined) return known
      const context = createSecureContext({
        key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }),
        cert: makeCertificate({
          ...signed,
          subject: host.slice(0, COMMON_NAME_CHARS),
          publicKey: leaf.publicKey,
          host,
        }),
      })
      contexts.set(host, context)
      return context
    },
  }
}
