import type { AttentionEntry, RouteAnswer, voiceRoutes } from '@steward/contract'
import { WAITS } from './attention-words.ts'

type Delivery = RouteAnswer<typeof voiceRoutes.listDeliveries>['deliveries'][number]

/** News for a person who is looking elsewhere. */
export interface News {
  /** Identical for the same thing in every tab. */
  id: string
  title: string
  body: string
  /** Its address in the dashboard. */
  href: string
}

/** From this priority on a notification is urgent. */
const URGENT = 4

/** Sessions that wait for the person, then urgent notifications, without duplicates. */
export const newsOf = (
  waiting: readonly AttentionEntry[],
  deliveries: readonly Delivery[],
): News[] => {
  const told = new Set(waiting.map(({ session_id }) => session_id))
  const urgent = deliveries.filter(
    // A stopped session is already shown as waiting.
    ({ priority, session_id }) => priority >= URGENT && !told.has(session_id ?? ''),
  )
  const byNotice = new Map(urgent.map((delivery) => [delivery.notice, delivery]))
  return [
    ...waiting.map(({ session_id, name, kind, preview, since }) => ({
      id: `waiting ${session_id} ${since}`,
      title: `${name} ${WAITS[kind].word}`,
      body: preview,
      href: '/today',
    })),
    ...[...byNotice.values()].map(({ notice, kind, title, message }) => ({
      id: `notice ${notice}`,
      title,
      body: message,
      href: kind === 'security' ? '/security?tab=events' : '/speech',
    })),
  ]
}
