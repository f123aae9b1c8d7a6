import type { PreviewedEventType } from '@steward/contract'
import type { Preview } from './preview.ts'

/** Where frames go: a client's connection. */
export interface FrameSink {
  /** False when no more may be written for now; frames that come all the same are kept. */
  write(frame: string): boolean
  /** How many bytes wait for a client that reads too slowly. */
  waitingBytes(): number
  /** Whether what was written waits for the client to read. */
  isStuck(): boolean
  /** Resolves when it may be written again, or when the client is gone. */
  drained(): Promise<void>
  /** Ends after what was written before. */
  end(): void
  /** Ends at once. */
  cut(): void
}

/** What waits for one client at most; the rest waits in the log until the client has read it. */
const MOST_WAITING_BYTES = 1024 * 1024
/** A client that takes nothing for so many pings is cut: it is gone, or as good as that. */
const PINGS_UNTIL_CUT = 4

/** One open stream of a session. */
export interface Subscriber {
  /** Everything up to here was sent, or is not wanted. */
  seenSeq: number
  /** It reads from the log at its own pace, and takes nothing live until it has caught up. */
  lags: boolean
  /** Sends an event that comes live. */
  send(seq: number, frame: string): void
  preview(preview: Preview, frame: string): void
  ping(frame: string): void
  end(lastFrame: string): void
  readonly sink: FrameSink
}

/** `onLag` is called when too much waits: whoever made the stream then reads on from the log. */
export const createSubscriber = (
  sink: FrameSink,
  seenSeq: number,
  deltas: readonly PreviewedEventType[],
  onLag: () => void,
): Subscriber => {
  /** Previews that this client saw from their beginning: with a gap they would be an error to it. */
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
