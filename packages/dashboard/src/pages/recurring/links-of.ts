import type { RecurringFailure } from '@steward/contract'
import { hrefOfRun } from '../flows/read-view.ts'

/** The pages that show the failures behind a group. */
export const linksOf = ({
  kind,
  name,
  within,
  runId,
  sessionId,
}: Pick<RecurringFailure, 'kind' | 'name' | 'within' | 'runId' | 'sessionId'>): ReadonlyArray<{
  href: string
  text: string
}> => {
  const query = encodeURIComponent
  if (kind === 'notification') return [{ href: '/speech', text: 'Test the channel' }]
  if (kind === 'tool') {
    const events = `/events?q=${query(`source:tool-failure ${name}`)}`
    const all = { href: events, text: 'All as events' }
    if (sessionId === null) return [all]
    return [{ href: `/sessions/${query(sessionId)}`, text: 'Last session' }, all]
  }
  const [automation = name] = within
  const last = runId === null ? [] : [{ href: hrefOfRun(runId), text: 'Last run' }]
  const all =
    kind === 'delivery'
      ? { href: `/flows/${query(automation)}`, text: 'Items of the flow' }
      : { href: `/flows?tab=runs&status=failed&name=${query(automation)}`, text: 'Failed runs' }
  return [...last, all]
}
