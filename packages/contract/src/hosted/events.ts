import { z } from 'zod'
import { agentEvents } from './agent-events.ts'
import { echoEvents } from './echo-events.ts'
import { sessionDeletedEvent, sessionEvents } from './session-events.ts'
import { spanEvents } from './span-events.ts'
import { eventDelta, eventStart } from './stream-events.ts'
import { threadEvents } from './thread-events.ts'
import { workflowEvents } from './workflow-events.ts'

const listable = [
  ...echoEvents,
  ...agentEvents,
  ...sessionEvents,
  ...threadEvents,
  ...spanEvents,
  ...workflowEvents,
] as const

/** An event that a session's log lists. */
export const listableEvent = z.discriminatedUnion('type', listable).meta({ id: 'HostedEvent' })
export type ListableEvent = z.infer<typeof listableEvent>
export type ListableEventType = ListableEvent['type']
/** A function, because reading the schemas builds them, which start-up avoids. */
export const readListableEventTypes = (): ListableEventType[] =>
  listable.map((event) => event.shape.type.value)

/** Every event with an id: the listed ones, and the deletion event that ends streams. */
export const hostedEvent = z.discriminatedUnion('type', [...listable, sessionDeletedEvent])
export type HostedEvent = z.infer<typeof hostedEvent>
export type HostedEventType = HostedEvent['type']
export type HostedEventOf<T extends HostedEventType> = Extract<HostedEvent, { type: T }>

/** Stream content: events and, on request, previews of them. */
export const streamEvent = z.discriminatedUnion('type', [
  ...listable,
  sessionDeletedEvent,
  eventStart,
  eventDelta,
])
export type StreamEvent = z.infer<typeof streamEvent>
