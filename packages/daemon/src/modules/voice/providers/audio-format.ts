import { inspectMp3 } from './inspect-mp3.ts'
import type { Inspected } from './inspected.ts'

const SHOWN_BYTES = 40

/** Detects the audio format from the bytes; an incomplete file is rejected. */
export const inspectAudio = (bytes: Uint8Array): Inspected => {
  if (bytes.length === 0) return { ok: false, reason: 'empty' }
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SHOWN_BYTES))
  const head = start.toString('latin1')
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WAVE') return inspectWav(bytes)
  if (head.startsWith('fLaC')) return { ok: true, format: 'flac', durationMs: undefined }
  if (head.startsWith('OggS')) return { ok: true, format: 'ogg', durationMs: undefined }
  return inspectMp3(bytes)
}

/** Written by programs that do not know the length in advance. */
const isUnknownLength = (length: number): boolean => length === 0 || length >= 0x7fff_0000

/** Real files have a handful; a hostile one could have millions of empty ones. */
const MOST_CHUNKS = 1000

/** Walks the chunks of a RIFF file to its samples. */
const inspectWav = (bytes: Uint8Array): Inspected => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let bytesPerSecond = 0
  let chunks = 0
  for (let at = 12; at + 8 <= bytes.length; chunks++) {
    if (chunks === MOST_CHUNKS) {
      return { ok: false, reason: `a WAV file with more than ${MOST_CHUNKS} parts` }
    }
    const name = String.fromCharCode(...bytes.subarray(at, at + 4))
    const length = view.getUint32(at + 4, true)
    const body = at + 8
    if (name === 'fmt ' && body + 12 <= bytes.length)
      bytesPerSecond = view.getUint32(body + 8, true)
    if (name === 'data') {
      const there = bytes.length - body
      if (!isUnknownLength(length) && there < length) {
        return { ok: false, reason: `cut short: ${there} of ${length} bytes of sound` }
      }
      const samples = Math.min(there, isUnknownLength(length) ? there : length)
      if (samples === 0) return { ok: false, reason: 'a WAV file without sound' }
      const durationMs = bytesPerSecond > 0 ? (samples / bytesPerSecond) * 1000 : undefined
      return { ok: true, format: 'wav', durationMs }
    }
    at = body + length + (length % 2)
  }
  return { ok: false, reason: 'cut short: a WAV file without its sound' }
}
