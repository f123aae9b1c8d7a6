/** A WAV file of silence. */
export const makeWav = (milliseconds: number): Buffer => {
  const rate = 8000
  const samples = Math.round((rate * milliseconds) / 1000) * 2
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples, 40)
  return Buffer.concat([head, Buffer.alloc(samples)])
}

/** MPEG 1, layer III, 128 kbit/s, 44.1 kHz: 417 bytes and 26 ms per frame. */
export const FRAME_BYTES = 417

export const makeMp3 = (frames: number): Buffer =>
  Buffer.concat(
    Array.from({ length: frames }, () => {
      const frame = Buffer.alloc(FRAME_BYTES)
      frame.writeUInt32BE(0xff_fb_90_64)
      return frame
    }),
  )
