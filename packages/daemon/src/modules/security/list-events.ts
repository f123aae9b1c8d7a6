import type { API, RouteAnswer, RouteInput, SecurityEvent } from '@steward/contract'

type Query = RouteInput<typeof API.listSecurityEvents>['query']
type Page = RouteAnswer<typeof API.listSecurityEvents>
type ReadPage = (page: {
  limit: number
  before?: string
}) => Promise<{ events: SecurityEvent[]; more: boolean }>

const PAGE = 500
const MOST_PAGES = 10

/** A page of the log. With a filter, events are searched among the next 5000. */
export const listEvents = async (
  { limit, before, session, verdict }: Query,
  read: ReadPage,
): Promise<Page> => {
  const readFrom = async (size: number, from: string | undefined): Promise<Page> => {
    const page = await read({ limit: size, ...(from === undefined ? {} : { before: from }) })
    return { events: page.events, next: page.more ? (page.events.at(-1)?.id ?? null) : null }
  }
  if (session === undefined && verdict === undefined) return readFrom(limit, before)
  const isWanted = (event: SecurityEvent): boolean =>
    (session === undefined || event.session_id === session) &&
    (verdict === undefined || event.verdict === verdict)
  const events: SecurityEvent[] = []
  let next: string | null | undefined = before
  for (let count = 0; count < MOST_PAGES && next !== null && events.length < limit; count++) {
    const page = await readFrom(PAGE, next)
    events.push(...page.events.filter(isWanted))
    next = page.next
  }
  const shown = events.slice(0, limit)
  const isCut = shown.length < events.length
  return { events: shown, next: isCut ? (shown.at(-1)?.id ?? null) : (next ?? null) }
}
