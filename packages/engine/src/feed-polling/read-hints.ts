import { parseHttpDate } from '@steward/contract'
import type { FreshnessHints } from './next-check.ts'

/** Reads `Cache-Control`, `Expires` and the feed's own `<ttl>` (minutes). */
export const readHints = (headers: Headers, body: Uint8Array | null): FreshnessHints => ({
  ttlMinutes: body === null ? null : readTtl(body),
  maxAgeSeconds: readMaxAge(headers.get('cache-control')),
  expiresMs: parseHttpDate(headers.get('expires')) ?? null,
})

/** A ttl is among a channel's first elements, before its items. */
const HEAD_BYTES = 16 * 1024

const readTtl = (body: Uint8Array): number | null => {
  const head = new TextDecoder().decode(body.subarray(0, HEAD_BYTES))
  const channel = head.split(/<item[\s>]/i, 1)[0] ?? ''
  const found = /<ttl>\s*(\d{1,6})\s*<\/ttl>/i.exec(channel)?.[1]
  return found === undefined ? null : Number(found)
}

const readMaxAge = (value: string | null): number | null => {
  if (value === null || /\bno-(?:cache|store)\b/i.test(value)) return null
  const found = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(value)?.[1]
  return found === undefined ? null : Number(found)
}
