import {
  announcement,
  LIMITS,
  type NotifyAnswer,
  type NotifyRequest,
  StewardError,
} from '@steward/contract'
import type { NoticeOutcome, Notifier } from '@steward/notify'
import type { PhaseWriter } from './phase-writer.ts'
import type { NotifyModulePorts } from './ports.ts'

/**
 * Announces a message, sets its phase and sends it to channels; answers when all of this is on
 * disk, before anything is spoken. Failures go into the answer, the log and health and are never
 * thrown, because callers are busy with other work.
 */
export const answerNotify = async (
  request: NotifyRequest,
  { speech, notifier, bus }: Pick<NotifyModulePorts, 'speech' | 'notifier' | 'bus'>,
  phases: PhaseWriter,
): Promise<NotifyAnswer> => {
  checkSize(request.message)
  const [announced, phase] = await Promise.all([
    speech.announce(announcement.parse(request)),
    setPhase(request, phases),
    send(request, notifier),
  ])
  if (request.kind !== undefined) bus.publish('live.changed', { topics: ['notifications'] })
  const { queued, id, queue_depth, merged, truncated, reason } = announced
  return {
    status: 'success',
    message: queued ? 'Notification queued' : `Not spoken: ${reason ?? 'voice is off'}`,
    queued,
    id,
    queue_depth,
    ...(merged === undefined ? {} : { merged }),
    ...(truncated === undefined ? {} : { truncated }),
    ...(phase === undefined ? {} : { phase }),
  }
}

const checkSize = (message: string): void => {
  const bytes = Buffer.byteLength(message)
  const limit = LIMITS.notifyMessageBytes
  if (bytes <= limit) return
  throw new StewardError('payload_too_large', {
    subject: 'message',
    bytes,
    limit,
    field: 'message',
  })
}

const setPhase = async ({ phase, slug, session_id }: NotifyRequest, phases: PhaseWriter) =>
  phase === undefined
    ? undefined
    : phases.write({
        phase,
        ...(slug === undefined ? {} : { slug }),
        ...(session_id === undefined ? {} : { sessionUUID: session_id }),
      })

/** Sends a request to the channels of its kind; without a kind it is only spoken. */
const send = async (
  { message, kind, title, agent, session_id }: NotifyRequest,
  notifier: Notifier,
): Promise<NoticeOutcome | undefined> => {
  const about = {
    ...(title === undefined ? {} : { title }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
  }
  if (kind === undefined) return undefined
  // Only the notifier knows the duration: a completion may be a longTask.
  if (kind === 'taskComplete') return notifier.notifyTaskComplete(message, about)
  if (kind === 'backgroundAgent' && agent !== undefined) {
    return notifier.notifyBackgroundAgent(agent, message, about)
  }
  return notifier.notify({ message, kind, ...about })
}
