import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeMp3, makeWav } from '../testing/sounds.ts'
import { inspectAudio } from './audio-format.ts'

/** Counts how often a parser looks at the bytes, so that no clock decides. */
class CountedBytes extends Uint8Array {
  looks = 0
  override subarray(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.looks++
    return new Uint8Array(this.buffer, this.byteOffset, this.byteLength).subarray(start, end)
  }
}

const inspect = (bytes: Uint8Array): { looks: number; answer: ReturnType<typeof inspectAudio> } => {
  const counted = new CountedBytes(bytes)
  const answer = inspectAudio(counted)
  return { looks: counted.looks, answer }
}

/** The shortest frame of an MP3 file has this many bytes; each frame is looked at once. */
const SHORTEST_FRAME = 24
const FEW_LOOKS = 1010

const check = (bytes: Uint8Array): void => {
  const { looks, answer } = inspect(bytes)
  expect(looks).toBeLessThanOrEqual(FEW_LOOKS + bytes.length / SHORTEST_FRAME)
  if (answer.ok) expect(answer.durationMs ?? 0).toBeGreaterThanOrEqual(0)
  else expect(answer.reason).not.toBe('')
}

const MP3_FRAME = Buffer.from([0xff, 0xfb, 0x90, 0x64])
const wavOf = (chunks: Buffer): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'), chunks])
const largest = (piece: Buffer): Buffer => Buffer.alloc(LIMITS.audioBytes, piece)

describe('hostile audio', () => {
  it.each([
    [
      'an ID3 tag that is longer than the file',
      Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'),
    ],
    ['frame headers without frames', largest(MP3_FRAME)],
    ['frames of the lowest bit rate', largest(Buffer.from([0xff, 0xe3, 0x18, 0x64]))],
    ['two frames and padding', Buffer.concat([makeMp3(2), Buffer.alloc(LIMITS.audioBytes)])],
    ['a WAV file of empty parts', wavOf(largest(Buffer.from('junk\0\0\0\0', 'latin1')))],
    [
      'a WAV file of parts that end beyond it',
      wavOf(Buffer.from('junk\xff\xff\xff\xff', 'latin1')),
    ],
    ['a WAV file of formats', wavOf(largest(Buffer.from('fmt \0\0\0\0', 'latin1')))],
    ['a WAV file that is cut after a name', wavOf(Buffer.from('data', 'latin1'))],
    ['nothing but zeros', Buffer.alloc(LIMITS.audioBytes)],
  ])('is refused or measured with bounded work: %s', (_, bytes) => check(bytes))

  it('a WAV file of too many parts is refused, one of many is not', () => {
    const part = Buffer.from('junk\0\0\0\0', 'latin1')
    const sound = makeWav(250)
    const withParts = (count: number) =>
      Buffer.concat([
        sound.subarray(0, 12),
        Buffer.alloc(count * part.length, part),
        sound.subarray(12),
      ])
    expect(inspectAudio(withParts(900))).toMatchObject({ ok: true, durationMs: 250 })
    expect(inspectAudio(withParts(1000))).toEqual({
      ok: false,
      reason: 'a WAV file with more than 1000 parts',
    })
  })

  it('never throws, in 500 generated variations', () => {
    const byte = (hex: string): Buffer => Buffer.from(hex, 'hex')
    const piece = fc.oneof(
      fc.constantFrom(
        ...[MP3_FRAME, makeMp3(2), makeWav(20), byte('fffb'), byte('ff'), byte('00'), byte('fff3')],
        ...['ID3', 'TAG', 'APETAGEX', 'RIFF', 'WAVE', 'data', 'fmt ', 'OggS', 'fLaC'].map((text) =>
          Buffer.from(text, 'latin1'),
        ),
      ),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    )
    const file = fc
      .array(fc.tuple(piece, fc.integer({ min: 1, max: 50 })), { maxLength: 8 })
      .map((pieces) => Buffer.concat(pieces.flatMap(([each, count]) => Array(count).fill(each))))
    const start = fc.constantFrom('', 'RIFF\0\0\0\0WAVE', 'ID3\x04\0\0\0\0\0\x05hello')
    fc.assert(
      fc.property(start, file, (head, rest) =>
        check(Buffer.concat([Buffer.from(head, 'latin1'), rest])),
      ),
      { numRuns: 500, seed: 17 },
    )
  })
})
