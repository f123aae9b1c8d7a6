import type { PreviewedEventType } from '@steward/contract'
import type { Preview } from './preview.ts'

/** Where frames go: a client's connection. */
export interface FrameSink {
  /** False when no more may be written for now; frames that come all the same are kept. */
  write(frame: string): boolean
  /** How many bytes wait for a client that reads too slowly. */
  waitingBytes(): number
  /** Resolves when it may be written again, or when the client is gone. */
  drained(): Promise<void>
  /** Ends after what was written before. */
  end(): void
  /** Ends at once. */
  cut(): void
}

/** What waits for one client at most; beyond it the connection is cut and the client comes back. */
const MOST_WAITING_BYTES = 1024 * 1024

/** One open stream of a session. */
export interface Subscriber {
  /** Everything up to here was sent, or is not wanted. */
  seenSeq: number
  send(seq: number, frame: string): void
  preview(preview: Preview, frame: string): void
  ping(frame: string): void
  end(lastFrame: string): void
  readonly sink: FrameSink
}

export const createSubscriber = (
  sink: FrameSink,
  seenSeq: number,
  deltas: readonly PreviewedEventType[],
): Subscriber => {
  /** Previews whose beginning this client saw: without it the rest would be an error to it. */
  const begun = new Set<string>()
  const write = (frame: string): void => {
    if (sink.waitingBytes() > MOST_WAITING_BYTES) sink.cut()
    else sink.write(frame)
  }
  return {
    seenSeq,
    sink,
    send(seq, frame) {
      if (seq <= this.seenSeq) return
      this.seenSeq = seq
      write(frame)
    },
    preview: ({ eventId, begins }, frame) => {
      if (begins !== undefined && deltas.includes(begins)) begun.add(eventId)
      if (begun.has(eventId)) write(frame)
    },
    ping: write,
    end: (lastFrame) => {
      sink.write(lastFrame)
      sink.end()
    },
  }
}
