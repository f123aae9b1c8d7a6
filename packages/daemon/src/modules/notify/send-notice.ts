import { reasonOf } from '@steward/contract'
import type { NoticeOutcome } from '@steward/notify'
import type { Notice, NoticeSent } from '../../ports.ts'
import type { NotifyModulePorts } from './ports.ts'

type Ports = Pick<NotifyModulePorts, 'bus' | 'speech' | 'notifier' | 'log'>

/**
 * Sends a notice of another module to its channels. Spec 2, Events: it is also spoken, except for a
 * background agent.
 */
export const sendNotice = async (
  notice: Notice,
  { bus, speech, notifier, log }: Ports,
): Promise<NoticeSent> => {
  const { kind, message, session_id } = notice
  const outcome = await sendToChannels(notice, notifier)
  bus.publish('live.changed', { topics: ['notifications'] })
  if (kind === 'watchdog' || outcome.repeated === true) return outcome
  try {
    const { queued, reason } = await speech.announce({ message, kind, session_id })
    if (!queued) log.info(`a notice is not spoken: ${reason ?? 'voice is off'}`)
  } catch (thrown) {
    log.warn(`a notice is not spoken: ${reasonOf(thrown)}`)
  }
  return outcome
}

const sendToChannels = (
  { kind, message, title, session_id, key, channels }: Notice,
  notifier: Ports['notifier'],
): Promise<NoticeOutcome> => {
  const about = {
    ...(title === undefined ? {} : { title }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    ...(key === undefined ? {} : { key }),
    ...(channels === undefined ? {} : { channels }),
  }
  if (kind === 'watchdog') return notifier.notifyBackgroundAgent('watchdog', message, about)
  if (kind === 'error') return notifier.notifyError(message, about)
  return notifier.notify({ message, kind, ...about })
}
