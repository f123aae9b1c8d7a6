import { type EventSink, eventStream } from '@steward/http'
import type { Call } from '../../../module.ts'
import type { AnnouncementEnded } from '../../../ports.ts'
import type { VoicePorts } from '../ports.ts'
import { type Attempt, failed, type SpeechProvider, type Utterance } from '../providers/provider.ts'
import type { SpeechLine } from '../speech-line.ts'

interface Report {
  outcome: 'spoken' | 'failed'
  reason?: string | undefined
}

/** Listening pages: all show captions, those that opted in also speak. */
export interface VoiceStream {
  open: (call: Call, speaks: boolean) => Response
  caption: (line: SpeechLine, isSpoken: boolean) => void
  ended: (id: string, end: AnnouncementEnded) => void
  /** False if no page was given this utterance. */
  report: (id: string, report: Report) => boolean
  provider: SpeechProvider
  clients: () => number
}

/** The time to start speaking; afterwards as long as a slow voice takes. */
const PATIENCE_MS = 10_000
const MS_PER_CHAR = 150

export const createVoiceStream = ({
  setTimer,
  redactor,
}: Pick<VoicePorts, 'setTimer' | 'redactor'>): VoiceStream => {
  const sinks = new Set<EventSink>()
  /** The most recently opened page speaks, because the person is looking at it. */
  const speakers: EventSink[] = []
  let asked: { id: string; sink: EventSink; answer: (attempt: Attempt) => void } | undefined

  const broadcast = (event: string, data: object) => {
    const message = { event, data: redactor().redactFields({ ...data }).value }
    for (const sink of sinks) sink.send(message)
  }
  const leave = (sink: EventSink) => {
    sinks.delete(sink)
    const place = speakers.indexOf(sink)
    if (place !== -1) speakers.splice(place, 1)
    if (asked?.sink === sink) asked.answer(failed('the speaking page was closed'))
  }

  const speak = ({ id, text, voice }: Utterance, signal: AbortSignal): Promise<Attempt> => {
    const sink = speakers.at(-1)
    if (sink === undefined) return Promise.resolve(failed('no speaking page is open'))
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancelTimer()
        signal.removeEventListener('abort', abort)
        asked = undefined
      }
      const abort = () => {
        settle()
        sink.send({ event: 'cancel', data: { id } })
        reject(signal.reason)
      }
      const limitMs = PATIENCE_MS + text.length * MS_PER_CHAR
      const cancelTimer = setTimer(limitMs, () => {
        sink.send({ event: 'cancel', data: { id } })
        asked?.answer(failed(`the page did not report within ${limitMs} ms`))
      })
      signal.addEventListener('abort', abort, { once: true })
      asked = {
        id,
        sink,
        answer: (attempt) => {
          settle()
          resolve(attempt)
        },
      }
      const { settings, volume, browser } = voice
      sink.send({
        event: 'speak',
        data: { id, text, volume, rate: settings.speed ?? 1, voice: browser ?? null },
      })
    })
  }

  return {
    open: (call, speaks) =>
      eventStream(
        call,
        (sink) => {
          sinks.add(sink)
          if (speaks) speakers.push(sink)
          sink.send({ event: 'ready', data: { speaks } })
          return () => leave(sink)
        },
        { setTimer },
      ),
    caption: ({ id, text, manner }, isSpoken) => {
      const { title = null, agent = null, kind = null } = manner
      broadcast('caption', { id, text, title, agent, kind, spoken: isSpoken })
    },
    ended: (id, end) => broadcast('ended', { id, ...end }),
    report: (id, { outcome, reason }) => {
      if (asked?.id !== id) return false
      asked.answer(
        outcome === 'spoken' ? { ok: true } : failed(`the page could not speak: ${reason ?? ''}`),
      )
      return true
    },
    provider: {
      name: 'browser',
      check: () =>
        speakers.length > 0
          ? { available: true, reason: 'a speaking page is open' }
          : { available: false, reason: 'no speaking page is open (/voice/page)' },
      speak,
    },
    clients: () => sinks.size,
  }
}
