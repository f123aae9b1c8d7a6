import { reasonOf } from '@steward/contract'
import type { Topics } from '../../bus/bus.ts'
import { announce } from './announce.ts'
import type { NotifyModulePorts } from './ports.ts'

/**
 * What other modules want a person to know. Spec 2, Events: errors and security are spoken too, a
 * background agent is not.
 */
export const takeNotice = (
  { kind, message, session_id }: Topics['notice'],
  { notifier, log, ...ports }: Pick<NotifyModulePorts, 'bus' | 'newId' | 'notifier' | 'log'>,
): void => {
  const about = session_id === undefined ? {} : { sessionId: session_id }
  if (kind === 'watchdog') {
    notifier.notifyBackgroundAgent('watchdog', message, about)
    return
  }
  if (kind === 'error') notifier.notifyError(message, about)
  else notifier.notify({ message, kind, ...about })
  announce(ports, { message, kind, session_id }).then(
    ({ queued, reason }) => {
      if (!queued) log.info(`a notice is not spoken: ${reason ?? 'voice is off'}`)
    },
    (thrown: unknown) => log.warn(`a notice is not spoken: ${reasonOf(thrown)}`),
  )
}
