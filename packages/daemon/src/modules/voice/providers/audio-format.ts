import { inspectMp3 } from './inspect-mp3.ts'
import { inspectWav } from './inspect-wav.ts'
import type { Inspected } from './inspected.ts'

const SHOWN_BYTES = 40

/** What kind of sound some bytes are, judged by themselves; half a file is none. */
export const inspectAudio = (bytes: Uint8Array): Inspected => {
  if (bytes.length === 0) return { ok: false, reason: 'empty' }
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SHOWN_BYTES))
  const head = start.toString('latin1')
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WAVE') return inspectWav(bytes)
  if (head.startsWith('fLaC')) return { ok: true, format: 'flac', durationMs: undefined }
  if (head.startsWith('OggS')) return { ok: true, format: 'ogg', durationMs: undefined }
  return inspectMp3(bytes)
}
