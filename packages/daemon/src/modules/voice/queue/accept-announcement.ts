import { randomUUID } from 'node:crypto'
import { type Announcement, reasonOf } from '@steward/contract'
import type { AnnouncementAccepted } from '../../../ports.ts'
import type { VoicePorts } from '../ports.ts'
import { priorityOf, type SpeechLine } from '../speech-line.ts'
import { prepareSpeech } from '../text/prepare-speech.ts'
import { judgeSilence } from './silence.ts'
import type { Speaker } from './speaker.ts'
import type { SpeechStore } from './speech-store.ts'

export interface AcceptPorts extends Pick<VoicePorts, 'now' | 'settings' | 'redactor' | 'log'> {
  store: SpeechStore
  speaker: Pick<Speaker, 'look' | 'report' | 'settle'>
  /** Called first with the id under which the announcement continues. */
  onAccepted: (id: string) => void
}

/**
 * Accepts an announcement: when this resolves it is on disk, in the queue or in the log of skipped
 * ones. Never rejects, because callers must not fail when the disk is full.
 */
export const acceptAnnouncement = async (
  { message, voice_enabled, ...manner }: Announcement,
  ports: AcceptPorts,
): Promise<AnnouncementAccepted> => {
  const { now, settings, redactor, log, store, speaker, onAccepted } = ports
  const { text, truncated } = prepareSpeech(redactor().redactText(message).value)
  const line: SpeechLine = {
    id: randomUUID(),
    text,
    manner,
    priority: priorityOf(manner.kind),
    atMs: now(),
    freshAtMs: now(),
  }
  const more = truncated ? { truncated } : {}
  const refuse = (reason: string): AnnouncementAccepted => {
    onAccepted(line.id)
    speaker.report([{ line, end: { outcome: 'skipped', reason }, endedAtMs: line.atMs }])
    return { queued: false, id: line.id, queue_depth: store.depth(), reason, ...more }
  }
  try {
    const { enabled, provider } = settings().voice
    if (!enabled || provider === 'none') return refuse('voice_off')
    if (voice_enabled === false) return refuse('voice_not_wanted')
    if (text === '') return refuse('nothing_to_say')
    const verdict = judgeSilence(line, {
      nowMs: line.atMs,
      mutedUntilMs: store.mutedUntilMs(now()),
      quietHours: settings().notifications.quietHours,
    })
    if (verdict === 'muted' || verdict === 'quiet_hours') return refuse(verdict)

    const { id, merged, dropped, depth } = await store.add(line)
    onAccepted(id)
    await speaker.settle(dropped)
    const isDropped = dropped.some((each) => each.line.id === id)
    speaker.look()
    return {
      queued: !isDropped,
      id,
      queue_depth: depth,
      ...(merged ? { merged } : {}),
      ...(isDropped ? { reason: 'queue_full' } : {}),
      ...more,
    }
  } catch (thrown) {
    const reason = reasonOf(thrown)
    log.error(`voice: an announcement could not be stored: ${reason}`)
    return { queued: false, id: line.id, queue_depth: 0, reason, ...more }
  }
}
