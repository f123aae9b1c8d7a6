import {
  LIMITS,
  type NotifyAnswer,
  type NotifyRequest,
  type PhaseOutcome,
  StewardError,
} from '@steward/contract'
import { announce } from './announce.ts'
import type { PhaseWriter } from './phase-writer.ts'
import type { NotifyModulePorts } from './ports.ts'
import { tellChannels } from './tell-channels.ts'

/**
 * Announces something and writes its phase; answers when both are on disk, long before anything is
 * said. Whatever fails on the way is told in the answer, in the log and in health, never thrown:
 * callers are in the middle of something else.
 */
export const answerNotify = async (
  request: NotifyRequest,
  ports: Pick<NotifyModulePorts, 'bus' | 'notifier' | 'newId'>,
  phases: PhaseWriter,
): Promise<NotifyAnswer> => {
  checkSize(request.message)
  const [accepted, phase] = await Promise.all([
    announce(ports, announcementOf(request)),
    writePhase(request, phases),
    tellChannels(ports.notifier, request),
  ])
  if (request.kind !== undefined) {
    ports.bus.publish('live.changed', { topics: ['notifications'] })
  }
  const { queued, id, queue_depth, merged, truncated, reason } = accepted
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

const writePhase = async (
  { phase, slug, session_id }: NotifyRequest,
  phases: PhaseWriter,
): Promise<PhaseOutcome | undefined> => {
  if (phase === undefined) return undefined
  return phases.write({
    phase,
    ...(slug === undefined ? {} : { slug }),
    ...(session_id === undefined ? {} : { sessionUUID: session_id }),
  })
}

const announcementOf = (request: NotifyRequest) => {
  const { message, title, voice_id, voice_name, voice_settings, voice_enabled, volume } = request
  const { agent, kind, session_id } = request
  return {
    message,
    title,
    voice_id,
    voice_name,
    voice_settings,
    voice_enabled,
    volume,
    agent,
    kind,
    session_id,
  }
}
