import { reasonOf, type VoiceEventType } from '@steward/contract'
import { appendLogRow, eventLogPath } from '@steward/platform'
import type { VoicePorts } from '../ports.ts'
import type { EndedLine, LineEnd, SpeechLine } from '../speech-line.ts'

/** Writes the events of announcements to `MEMORY/VOICE/voice-events.jsonl`. */
export interface VoiceEvents {
  start: (line: SpeechLine, engine: string) => void
  /** False if it could not be written, which is logged. */
  end: (ended: EndedLine) => boolean
  /** Why the last row could not be written. */
  fault: () => string | undefined
}

export type VoiceEventPorts = Pick<VoicePorts, 'home' | 'log' | 'now' | 'redactor' | 'settings'>

/** Older readers know three words; `type` has the precise state. */
const WORDS: Record<VoiceEventType, string> = {
  voice_start: 'started',
  voice_complete: 'sent',
  voice_failed: 'failed',
  voice_skipped: 'skipped',
}
const TYPES: Record<LineEnd['outcome'], VoiceEventType> = {
  spoken: 'voice_complete',
  failed: 'voice_failed',
  skipped: 'voice_skipped',
}

export const createVoiceEvents = ({
  home,
  log,
  now,
  redactor,
  settings,
}: VoiceEventPorts): VoiceEvents => {
  const path = eventLogPath(home, 'voice')
  let fault: string | undefined

  const write = (type: VoiceEventType, { id, text, manner }: SpeechLine, more: object): boolean => {
    const row = {
      timestamp: new Date(now()).toISOString(),
      session_id: manner.session_id ?? '',
      source: 'voice',
      type,
      event_type: WORDS[type],
      announcement_id: id,
      message: text,
      character_count: text.length,
      ...pick({ title: manner.title, agent: manner.agent, kind: manner.kind }),
      ...pick(more),
    }
    try {
      const { value } = redactor().redactFields(row)
      const { rotationError } = appendLogRow(path, value, settings().observability.logs)
      fault = rotationError?.message
    } catch (thrown) {
      fault = reasonOf(thrown)
      log.error(`voice: an event was not written: ${fault}`)
      return false
    }
    if (fault !== undefined) log.warn(`voice: ${fault}`)
    return true
  }

  return {
    start: (line, engine) => {
      write('voice_start', line, { voice_engine: engine })
    },
    end: ({ line, end }) =>
      write(TYPES[end.outcome], line, {
        voice_engine: end.engine ?? 'none',
        voice_id: end.voiceId,
        status_code: end.statusCode,
        error: end.error,
        reason: end.reason,
        attempts: end.attempts?.length ? end.attempts : undefined,
      }),
    fault: () => fault,
  }
}

const pick = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
