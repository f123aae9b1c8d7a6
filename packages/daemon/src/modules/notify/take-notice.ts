import { reasonOf } from '@steward/contract'
import type { NoticeOutcome } from '@steward/notify'
import type { NoticeTaken, Topics } from '../../bus/bus.ts'
import { announce } from './announce.ts'
import type { NotifyModulePorts } from './ports.ts'

type Ports = Pick<NotifyModulePorts, 'bus' | 'newId' | 'notifier' | 'log'>

/** What other modules want a person to know. */
export const takeNotice = (notice: Topics['notice'], ports: Ports): void => {
  const told = tell(notice, ports)
  notice.taken?.(told)
}

/** Spec 2, Events: what a person should know is spoken too, but for a background agent. */
const tell = async (
  notice: Topics['notice'],
  { notifier, log, ...ports }: Ports,
): Promise<NoticeTaken> => {
  const { kind, message, session_id } = notice
  const outcome = await tellChannels(notice, notifier)
  ports.bus.publish('live.changed', { topics: ['notifications'] })
  if (kind === 'watchdog' || outcome.repeated === true) return outcome
  try {
    const { queued, reason } = await announce(ports, { message, kind, session_id })
    if (!queued) log.info(`a notice is not spoken: ${reason ?? 'voice is off'}`)
  } catch (thrown) {
    log.warn(`a notice is not spoken: ${reasonOf(thrown)}`)
  }
  return outcome
}

const tellChannels = (
  { kind, message, title, session_id, key, channels }: Topics['notice'],
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
