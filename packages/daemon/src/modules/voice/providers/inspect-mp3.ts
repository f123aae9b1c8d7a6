import type { Inspected } from './inspected.ts'

/** Kilobits per second of layer III, by the index in a frame header. */
const BIT_RATES = {
  one: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  two: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const
const HEADER_BYTES = 4
const ID3V1_BYTES = 128

/** Walks the frames of an MP3 file: a complete file ends with a complete frame. */
export const inspectMp3 = (bytes: Uint8Array): Inspected => {
  const end = bytes.length - (isTag(bytes, bytes.length - ID3V1_BYTES, 'TAG') ? ID3V1_BYTES : 0)
  let at = skipId3(bytes)
  let durationMs = 0
  let frames = 0
  while (at + HEADER_BYTES <= end) {
    const frame = readFrame(bytes, at)
    if (frame === undefined) break
    if (at + frame.bytes > end) return { ok: false, reason: 'cut short in the middle of a frame' }
    at += frame.bytes
    durationMs += frame.durationMs
    frames++
  }
  if (frames < 2) return { ok: false, reason: `no sound: it begins with ${show(bytes)}` }
  // Other tags may follow; anything else means that the file is broken.
  if (end - at > 0 && !isTag(bytes, at, 'APET')) {
    const isPadding = bytes.subarray(at, end).every((byte) => byte === 0)
    if (!isPadding) return { ok: false, reason: `broken after ${frames} frames` }
  }
  return { ok: true, format: 'mp3', durationMs }
}

const isTag = (bytes: Uint8Array, at: number, tag: string): boolean =>
  at >= 0 && String.fromCharCode(...bytes.subarray(at, at + tag.length)) === tag

/** Each byte has seven significant bits. */
const skipId3 = (bytes: Uint8Array): number => {
  if (!isTag(bytes, 0, 'ID3') || bytes.length < 10) return 0
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10)
  return 10 + ((a & 127) << 21) + ((b & 127) << 14) + ((c & 127) << 7) + (d & 127)
}

const readFrame = (
  bytes: Uint8Array,
  at: number,
): { bytes: number; durationMs: number } | undefined => {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3)
  const isLayerThree = (kind & 0b0000_0110) === 0b0000_0010
  if (sync !== 0xff || (kind & 0b1110_0000) !== 0b1110_0000 || !isLayerThree) return undefined
  const version = (kind >> 3) & 0b11
  const sampleRate = SAMPLE_RATES[(rates >> 2) & 0b11]
  if (version === 1 || sampleRate === undefined) return undefined
  const isOne = version === 3
  const bitRate = (isOne ? BIT_RATES.one : BIT_RATES.two)[rates >> 4]
  if (bitRate === undefined || bitRate === 0) return undefined
  const hertz = isOne ? sampleRate : sampleRate / (version === 2 ? 2 : 4)
  const padding = (rates >> 1) & 1
  const samples = isOne ? 1152 : 576
  return {
    bytes: Math.floor(((samples / 8) * bitRate * 1000) / hertz) + padding,
    durationMs: (samples / hertz) * 1000,
  }
}

const show = (bytes: Uint8Array): string =>
  JSON.stringify(Buffer.from(bytes.subarray(0, 20)).toString('latin1'))
