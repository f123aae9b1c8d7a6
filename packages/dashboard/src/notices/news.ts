import type { RouteAnswer, voiceRoutes, WaitingSession } from '@steward/contract'

type Delivery = RouteAnswer<typeof voiceRoutes.listDeliveries>['deliveries'][number]

/** Something that a person who looks elsewhere should hear of. */
export interface News {
  /** The same for the same thing, in every tab. */
  id: string
  title: string
  body: string
  /** Where it is on the dashboard. */
  href: string
}

const REASONS: Readonly<Record<WaitingSession['reason'], string>> = {
  permission: 'asks for permission',
  question: 'waits for an answer',
  error: 'stopped with an error',
  done: 'is done',
}

/** From here on a notification cannot wait until someone looks. */
const URGENT = 4

/** Who waits for the person, then notifications that are urgent, each once. */
export const newsOf = (
  waiting: readonly WaitingSession[],
  deliveries: readonly Delivery[],
): News[] => {
  const told = new Set(waiting.map(({ session_id }) => session_id))
  const urgent = deliveries.filter(
    // That a session stopped is said by its waiting already.
    ({ priority, session_id }) => priority >= URGENT && !told.has(session_id ?? ''),
  )
  const byNotice = new Map(urgent.map((delivery) => [delivery.notice, delivery]))
  return [
    ...waiting.map(({ session_id, reason, detail, since, host }) => ({
      id: `waiting ${session_id} ${since}`,
      title: `${host === '' ? 'A session' : host} ${REASONS[reason]}`,
      body: detail,
      href: '/agents',
    })),
    ...[...byNotice.values()].map(({ notice, kind, title, message }) => ({
      id: `notice ${notice}`,
      title,
      body: message,
      href: kind === 'security' ? '/security?tab=events' : '/speech',
    })),
  ]
}
