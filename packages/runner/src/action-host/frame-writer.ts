import type { Writable } from 'node:stream'

/** Writes all frames of one turn of the event loop together, because each write wakes the host. */
export const createFrameWriter = (stream: Writable): ((frame: Buffer) => void) => {
  let frames: Buffer[] = []
  const flush = (): void => {
    const [first] = frames
    const whole = frames.length === 1 && first !== undefined ? first : Buffer.concat(frames)
    frames = []
    stream.write(whole)
  }
  return (frame) => {
    // Ticks run after all promises that are ready.
    if (frames.push(frame) === 1) process.nextTick(flush)
  }
}
