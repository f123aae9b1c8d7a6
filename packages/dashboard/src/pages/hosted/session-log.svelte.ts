import type { HostedEntry, SessionRow } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'
import { createResource, type Resource } from '../../live/resource.svelte.ts'
import { attempt } from '../../live/tell.svelte.ts'
import { mergeEntries, placeToReadOn } from './fold-timeline.ts'

interface ShownLog {
  session: SessionRow
  entries: readonly HostedEntry[]
  isolated: boolean
  /** Earlier events exist. */
  earlier: boolean
}

/** A session's log that grows while it is shown; must be called during component setup. */
export interface SessionLog extends Resource<ShownLog> {
  /** Loads earlier events. */
  readBack: () => Promise<unknown>
}

export const createSessionLog = (id: string): SessionLog => {
  const ask = (query: { after?: number; before?: number }) =>
    daemon.call('getHostedEvents', { params: { id }, query })
  let entries: readonly HostedEntry[] = []
  let earlier = false

  const load = async (): Promise<ShownLog> => {
    const isFirst = entries.length === 0
    let answer = await ask(isFirst ? {} : { after: placeToReadOn(entries) })
    if (isFirst) earlier = answer.earlier
    entries = mergeEntries(entries, answer.entries)
    while (answer.later) {
      answer = await ask({ after: answer.entries.at(-1)?.seq ?? 0 })
      entries = mergeEntries(entries, answer.entries)
    }
    return { session: answer.session, isolated: answer.isolated, entries, earlier }
  }
  const log = createResource(load, ['hosted'])

  return {
    get value() {
      return log.value
    },
    get problem() {
      return log.problem
    },
    get isLoading() {
      return log.isLoading
    },
    refresh: log.refresh,
    readBack: () =>
      attempt(async () => {
        const answer = await ask({ before: entries[0]?.seq ?? 0 })
        entries = mergeEntries(entries, answer.entries)
        earlier = answer.earlier
        await log.refresh()
      }),
  }
}
