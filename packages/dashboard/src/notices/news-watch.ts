import type { News } from './news.ts'

export interface NewsWatchPorts {
  read: () => Promise<readonly News[]>
  show: (news: News) => void
  /** Failed reads are retried with the next change. */
  onFault: (thrown: unknown) => void
}

/** Distinguishes news from what was there before. */
export interface NewsWatch {
  /** The person looks away: everything present now counts as seen. */
  begin: () => Promise<void>
  /** After a change, shows what is new. Concurrent calls share one further check. */
  look: () => Promise<void>
}

export const createNewsWatch = ({ read, show, onFault }: NewsWatchPorts): NewsWatch => {
  let seen: ReadonlySet<string> | undefined
  let underWay: Promise<void> = Promise.resolve()
  let isQueued = false

  const take = async (): Promise<void> => {
    try {
      const news = await read()
      for (const each of news) if (seen !== undefined && !seen.has(each.id)) show(each)
      seen = new Set([...(seen ?? []), ...news.map(({ id }) => id)])
    } catch (thrown) {
      onFault(thrown)
    }
  }
  const queue = (first: () => void): Promise<void> => {
    underWay = underWay.then(() => {
      first()
      return take()
    })
    return underWay
  }

  return {
    begin: () =>
      queue(() => {
        seen = undefined
      }),
    look: () => {
      if (isQueued) return underWay
      isQueued = true
      return queue(() => {
        isQueued = false
      })
    },
  }
}
