import type { NotifyRequest } from '@steward/contract'
import type { Notifier } from '@steward/notify'

/** Routes a request with a kind to the channels of that kind; one without is for the ear alone. */
export const tellChannels = (notifier: Notifier, request: NotifyRequest): void => {
  const { message, kind, title, agent, session_id } = request
  const about = {
    ...(title === undefined ? {} : { title }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
  }
  if (kind === undefined) return
  // Only the notifier knows how long it took: a completion may be a longTask.
  if (kind === 'taskComplete') notifier.notifyTaskComplete(message, about)
  else if (kind === 'backgroundAgent' && agent !== undefined) {
    notifier.notifyBackgroundAgent(agent, message, about)
  } else notifier.notify({ message, kind, ...about })
}
