import { z } from 'zod'
import type { DaemonProcess } from './daemon-process.ts'

const fields = z.record(z.string(), z.unknown())

export interface StreamMessage {
  id: string
  event: string
  data: Record<string, unknown>
  /** When it arrived, by this machine's clock. */
  atMs: number
}

/**
 * A client of a daemon's event stream that records events until it disconnects or the daemon exits.
 */
export const watchEvents = async (daemon: DaemonProcess, lastEventId?: string) => {
  const leaving = new AbortController()
  const response = await daemon.fetch('/api/events/stream', {
    signal: leaving.signal,
    ...(lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } }),
  })
  const { body } = response
  if (!response.ok || body === null) throw new Error(`no stream: HTTP ${response.status}`)
  const seen: StreamMessage[] = []
  const over = readMessages(body, seen).catch(() => undefined)
  return {
    seen,
    /** Only the events, without ready and resync. */
    events: () => seen.filter(({ event }) => event === 'message'),
    leave: async () => {
      leaving.abort()
      await over
    },
  }
}

const readMessages = async (body: ReadableStream<Uint8Array>, seen: StreamMessage[]) => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const parts = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(': ')
          return [line.slice(0, colon), line.slice(colon + 2)] as const
        }),
      )
      const data = parts.get('data')
      if (data === undefined) continue
      seen.push({
        id: parts.get('id') ?? '',
        event: parts.get('event') ?? 'message',
        data: fields.parse(JSON.parse(data)),
        atMs: Date.now(),
      })
    }
  }
}
