import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FRAME_BYTES, makeMp3, makeWav } from '../testing/sounds.ts'
import { inspectAudio } from './audio-format.ts'

describe('whole files', () => {
  test('MP3, with and without tags', () => {
    const sound = makeMp3(10)
    const whole = inspectAudio(sound)
    expect(whole).toMatchObject({ ok: true, format: 'mp3' })
    if (whole.ok) expect(whole.durationMs).toBeCloseTo(261.2, 0)
    const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x05hello', 'latin1'), sound])
    expect(inspectAudio(id3)).toMatchObject({ ok: true, format: 'mp3' })
    const tail = Buffer.alloc(128)
    tail.write('TAG')
    expect(inspectAudio(Buffer.concat([sound, tail]))).toMatchObject({ ok: true })
  })

  test('WAV', () => {
    expect(inspectAudio(makeWav(250))).toEqual({ ok: true, format: 'wav', durationMs: 250 })
  })

  test('a WAV file whose writer did not know its length', () => {
    const sound = makeWav(250)
    sound.writeUInt32LE(0xffff_ffff, 40)
    expect(inspectAudio(sound)).toMatchObject({ ok: true, durationMs: 250 })
  })
})

describe('anything else', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'empty'],
    ['a page', Buffer.from('<html>Service unavailable</html>'), 'no sound'],
    ['JSON', Buffer.from('{"detail":"nope"}'), 'no sound'],
    ['half an MP3', makeMp3(10).subarray(0, FRAME_BYTES * 5 + 100), 'cut short'],
    [
      'an MP3 that turns into rubbish',
      Buffer.concat([makeMp3(5), Buffer.from('<html>'.repeat(100))]),
      'broken',
    ],
    ['half a WAV', makeWav(250).subarray(0, 2000), 'cut short'],
    ['the head of a WAV', makeWav(250).subarray(0, 40), 'cut short'],
  ])('%s is no sound', (_, bytes, reason) => {
    expect(inspectAudio(bytes)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(reason),
    })
  })

  test('no bytes make it fail or hang', () => {
    const start = fc.constantFrom('', 'RIFF\0\0\0\0WAVE', 'ID3', '\xff\xfb\x90\x64', 'OggS')
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 2000 }), (head, bytes) => {
        const all = Buffer.concat([Buffer.from(head, 'latin1'), bytes])
        expect(typeof inspectAudio(all).ok).toBe('boolean')
      }),
    )
  })

  test('an MP3 cut anywhere but between frames is noticed', () => {
    const sound = makeMp3(6)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: sound.length - 1 }), (length) => {
        fc.pre(length % FRAME_BYTES > 3)
        expect(inspectAudio(sound.subarray(0, length)).ok).toBe(false)
      }),
    )
  })
})
