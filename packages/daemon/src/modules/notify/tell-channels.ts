import type { NotifyRequest } from '@steward/contract'
import type { NoticeOutcome, Notifier } from '@steward/notify'

/** Routes a request with a kind to the channels of that kind; one without is for the ear alone. */
export const tellChannels = async (
  notifier: Notifier,
  request: NotifyRequest,
): Promise<NoticeOutcome | undefined> => {
  const { message, kind, title, agent, session_id } = request
  const about = {
    ...(title === undefined ? {} : { title }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
  }
  if (kind === undefined) return undefined
  // Only the notifier knows how long it took: a completion may be a longTask.
  if (kind === 'taskComplete') return notifier.notifyTaskComplete(message, about)
  if (kind === 'backgroundAgent' && agent !== undefined) {
    return notifier.notifyBackgroundAgent(agent, message, about)
  }
  return notifier.notify({ message, kind, ...about })
}
