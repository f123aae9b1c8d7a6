import { type Fetch, LIMITS, StewardError } from '@steward/contract'
import { checkPageResponse } from '../../lib/check-response.ts'

/** The beginning of an audio file, or all of it. */
export interface Audio {
  bytes: Uint8Array<ArrayBuffer>
  /** Without parameters, in lower case; empty if the server sends nothing useful. */
  type: string
  truncated: boolean
}

/** In parts, because one answer's size is limited, and a slow part does not lose the rest. */
const PART_BYTES = 4 * 1024 * 1024

/** Fetches up to the limit in byte ranges; a server without ranges is read from the start. */
export const downloadAudio = async (
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
  limitBytes: number = LIMITS.audioBytes,
): Promise<Audio> => {
  const parts: Uint8Array[] = []
  let size = 0
  let type = ''
  for (;;) {
    const last = Math.min(size + PART_BYTES, limitBytes) - 1
    const response = await fetch(url, { signal, headers: { range: `bytes=${size}-${last}` } })
    if (response.status === 416 && size > 0) break
    checkPageResponse(response, url)
    type ||= mediaType(response)
    checkType(type, url)
    const ranged = response.status === 206
    if (!ranged) {
      // The server ignored the range and sent everything from the beginning.
      const whole = await readUpTo(response, limitBytes)
      return { bytes: whole.bytes, type, truncated: whole.more }
    }
    const total = Number(/\/(\d+)\s*$/.exec(response.headers.get('content-range') ?? '')?.[1])
    const { bytes } = await readUpTo(response, last - size + 1)
    parts.push(bytes)
    size += bytes.length
    const ended = bytes.length === 0 || size >= total
    if (ended || size >= limitBytes) {
      return { bytes: join(parts, size), type, truncated: !ended && size >= limitBytes }
    }
  }
  return { bytes: join(parts, size), type, truncated: false }
}

const mediaType = (response: Response): string =>
  (response.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

const checkType = (type: string, url: string): void => {
  if (!/^(text\/|application\/(json|xml|xhtml|pdf)|image\/)/.test(type)) return
  throw new StewardError('rejected_content', { subject: url, reason: `is ${type}, not audio` })
}

const readUpTo = async (
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; more: boolean }> => {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  while (reader !== undefined && size <= limit) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  const more = size > limit
  if (more) await reader?.cancel()
  return { bytes: join(chunks, size).slice(0, limit), more }
}

const join = (parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
