import { createHash } from 'node:crypto'
import { StewardError } from '@steward/contract'
import type { EgressCredential } from '../hands.ts'
import { matchesHost } from './host-rules.ts'
import type { Replacement } from './replace-bytes.ts'

/** A credential and its placeholder inside the sandbox. */
export interface Secret {
  credential: EgressCredential
  placeholder: string
}

/** Masking a shorter value would hit unrelated text. */
const SHORTEST_MASKED = 8

/**
 * Placeholders depend only on session and name, so one that a session wrote into a file stays valid
 * in its next sandbox. They are worthless outside the session.
 */
export const createSecrets = (
  sessionId: string,
  credentials: readonly EgressCredential[],
): Secret[] =>
  credentials.map((credential) => {
    if (!/^[\x20-\x7e]+$/.test(credential.secret)) {
      throw new StewardError('invalid_input', {
        subject: `credential ${credential.name}`,
        reason: 'its secret is empty or has characters that no header can carry',
      })
    }
    const digest = createHash('sha256').update(`${sessionId}\n${credential.name}`).digest('hex')
    return { credential, placeholder: `steward_secret_${digest.slice(0, 40)}` }
  })

/** The credentials that may be sent to a host. */
export const secretsFor = (secrets: readonly Secret[], host: string): Secret[] =>
  secrets.filter(
    ({ credential: { allowedHosts } }) =>
      allowedHosts === 'any' || allowedHosts.some((pattern) => matchesHost(pattern, host)),
  )

/** Inserts secrets into a request's headers, including basic authentication. */
export const fillHeaders = (
  rawHeaders: readonly string[],
  secrets: readonly Secret[],
): { headers: string[]; used: Secret[] } => {
  const used = new Set<Secret>()
  const fill = (text: string): string => {
    let filled = text
    for (const secret of secrets) {
      if (!secret.credential.inject.header || !filled.includes(secret.placeholder)) continue
      used.add(secret)
      filled = filled.replaceAll(secret.placeholder, () => secret.credential.secret)
    }
    return filled
  }
  const headers = rawHeaders.map((text, index) => {
    if (index % 2 === 0) return text
    const isAuthorization = /^(proxy-)?authorization$/i.test(rawHeaders[index - 1] ?? '')
    return isAuthorization ? fillAuthorization(text, fill) : fill(text)
  })
  return { headers, used: [...used] }
}

const fillAuthorization = (value: string, fill: (text: string) => string): string => {
  const [, scheme, encoded] = /^(basic\s+)([A-Za-z0-9+/=]+)\s*$/i.exec(value) ?? []
  if (scheme === undefined || encoded === undefined) return fill(value)
  const plain = Buffer.from(encoded, 'base64').toString('latin1')
  const filled = fill(plain)
  return filled === plain ? value : scheme + Buffer.from(filled, 'latin1').toString('base64')
}

/** The replacements in a request's body, encoded as its content type requires. */
export const bodyReplacements = (
  secrets: readonly Secret[],
  contentType: string | undefined,
): Replacement[] =>
  secrets
    .filter(({ credential }) => credential.inject.body)
    .map(({ credential, placeholder }) => ({
      find: Buffer.from(placeholder),
      put: Buffer.from(encodeFor(contentType ?? '', credential.secret)),
    }))

const encodeFor = (contentType: string, secret: string): string => {
  if (/[/+]json\b/i.test(contentType)) return inJson(secret)
  if (/x-www-form-urlencoded/i.test(contentType)) return encodeURIComponent(secret)
  return secret
}

const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1)

/**
 * What to mask in a response: the secret itself, its JSON, URL and base64 forms, and the form in
 * which `sent` headers carried it. Other transformations are not detected.
 */
export const maskReplacements = (
  secrets: readonly Secret[],
  sent: readonly string[],
): Replacement[] =>
  secrets
    .filter(({ credential }) => credential.secret.length >= SHORTEST_MASKED)
    .flatMap(({ credential: { secret }, placeholder }) => {
      const forms = new Set([
        secret,
        inJson(secret),
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
        ...sent.flatMap((value) => basicWith(value, secret)),
      ])
      return [...forms].map((form) => ({
        find: Buffer.from(form),
        put: Buffer.from(placeholder),
      }))
    })

const basicWith = (header: string, secret: string): string[] => {
  const encoded = /^basic\s+(\S+)$/i.exec(header)?.[1]
  if (encoded === undefined) return []
  return Buffer.from(encoded, 'base64').toString('latin1').includes(secret) ? [encoded] : []
}
