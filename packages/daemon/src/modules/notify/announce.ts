import type { Announcement, AnnouncementAccepted, AnnouncementEnded } from '../../bus/bus.ts'
import type { NotifyModulePorts } from './ports.ts'

/** Hands an announcement to whoever speaks; when nobody does, that is the answer. */
export const announce = async (
  { bus, newId }: Pick<NotifyModulePorts, 'bus' | 'newId'>,
  announcement: Announcement,
  ended?: (end: AnnouncementEnded) => void,
): Promise<AnnouncementAccepted> => {
  const accepted: Array<Promise<AnnouncementAccepted>> = []
  bus.publish('announcement.requested', {
    announcement,
    accept: (outcome) => {
      accepted.push(outcome)
    },
    ...(ended === undefined ? {} : { ended }),
  })
  const [first] = accepted
  if (first !== undefined) return first
  return { queued: false, id: newId(), queue_depth: 0, reason: 'no voice module is running' }
}
