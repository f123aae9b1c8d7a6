import type { API, RouteAnswer, RouteInput, SecurityEvent } from '@steward/contract'

type Query = RouteInput<typeof API.listSecurityEvents>['query']
type Page = RouteAnswer<typeof API.listSecurityEvents>
type ReadPage = (page: {
  limit: number
  before?: string
}) => Promise<{ events: SecurityEvent[]; more: boolean }>

const PAGE = 500
const MOST_PAGES = 10

/** A page of the log; of one session, all of its events among the last pages. */
export const listEvents = async (
  { limit, before, session }: Query,
  read: ReadPage,
): Promise<Page> => {
  const readFrom = async (size: number, from: string | undefined): Promise<Page> => {
    const page = await read({ limit: size, ...(from === undefined ? {} : { before: from }) })
    return { events: page.events, next: page.more ? (page.events.at(-1)?.id ?? null) : null }
  }
  if (session === undefined) return readFrom(limit, before)
  const events: SecurityEvent[] = []
  let next: string | null | undefined = before
  for (let count = 0; count < MOST_PAGES && next !== null; count++) {
    const page = await readFrom(PAGE, next)
    events.push(...page.events.filter((event) => event.session_id === session))
    next = page.next
    if (events.length >= limit) break
  }
  return { events: events.slice(0, limit), next: null }
}
