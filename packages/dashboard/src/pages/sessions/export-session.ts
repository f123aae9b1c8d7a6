import type { SessionDetail, StewardEvent } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'

const PAGE = 500

/** Downloads a session as JSON: its facts, work, usage and all its events, oldest first. */
export const exportSession = async (id: string): Promise<void> => {
  const events: StewardEvent[] = []
  let before: string | null | undefined
  let detail: SessionDetail
  do {
    detail = await daemon.call('getSession', {
      params: { id },
      query: { limit: PAGE, ...(before ? { before } : {}) },
    })
    events.push(...detail.events)
    before = detail.next
  } while (before !== null)
  const { session, work, usage } = detail
  const text = JSON.stringify({ session, work, usage, events: events.reverse() }, null, 2)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.download = `session-${session.id}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}
