import type { PreviewedEventType } from '@steward/contract'
import type { Preview } from './preview.ts'

/** Where frames go: a client's connection. */
export interface FrameSink {
  /** `false` if the buffer is full; further frames are still accepted. */
  write(frame: string): boolean
  /** Bytes buffered for a client that reads too slowly. */
  waitingBytes(): number
  /** Whether written data waits for the client to read. */
  isStuck(): boolean
  /** Resolves when writing is possible again, or the client is gone. */
  drained(): Promise<void>
  /** Ends after the data written so far. */
  end(): void
  /** Ends immediately. */
  cut(): void
}

/** The largest buffer per client; the rest waits in the log until the client has read it. */
const MOST_WAITING_BYTES = 1024 * 1024
/** A client that reads nothing for this many pings is disconnected. */
const PINGS_UNTIL_CUT = 4

/** One open stream of a session. */
export interface Subscriber {
  /** Everything up to here was sent or is not wanted. */
  seenSeq: number
  /**
   * The stream reads from the log at its own pace and gets no live events until it has caught up.
   */
  lags: boolean
  /** Sends a live event. */
  send(seq: number, frame: string): void
  preview(preview: Preview, frame: string): void
  ping(frame: string): void
  end(lastFrame: string): void
  readonly sink: FrameSink
}

/**
 * `onLag` is called when the buffer is full: the owner of the stream then continues from the log.
 */
export const createSubscriber = (
  sink: FrameSink,
  seenSeq: number,
  deltas: readonly PreviewedEventType[],
  onLag: () => void,
): Subscriber => {
  /** Previews that this client saw from their beginning; a gap would be an error for it. */
  const begun = new Set<string>()
  let missedPings = 0
  const isFull = (): boolean => sink.waitingBytes() > MOST_WAITING_BYTES
  return {
    seenSeq,
    lags: true,
    sink,
    send(seq, frame) {
      if (this.lags || seq <= this.seenSeq) return
      if (isFull()) {
        this.lags = true
        begun.clear()
        onLag()
        return
      }
      this.seenSeq = seq
      sink.write(frame)
    },
    preview({ eventId, begins }, frame) {
      if (this.lags || isFull()) {
        begun.clear()
        return
      }
      if (begins !== undefined && deltas.includes(begins)) begun.add(eventId)
      if (begun.has(eventId)) sink.write(frame)
    },
    ping: (frame) => {
      missedPings = isFull() || sink.isStuck() ? missedPings + 1 : 0
      if (missedPings >= PINGS_UNTIL_CUT) sink.cut()
      else if (missedPings === 0) sink.write(frame)
    },
    end: (lastFrame) => {
      sink.write(lastFrame)
      sink.end()
    },
  }
}
