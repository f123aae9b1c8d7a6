import { z } from 'zod'
import { defineRoute } from './route.ts'

/** What may change under a page that shows it. */
export const LIVE_TOPICS = [
  'sessions',
  'events',
  'runs',
  'knowledge',
  'wiki',
  'security',
  'observers',
  'voice',
  'notifications',
  'assistant',
  'learning',
  'hosted',
  'settings',
] as const
export const liveTopic = z.enum(LIVE_TOPICS)
export type LiveTopic = z.infer<typeof liveTopic>

export const liveRoutes = {
  streamChanges: defineRoute({
    method: 'GET',
    path: '/api/live',
    summary:
      'Says what changed, not how (server-sent events): `changed` with an array of topics, at most five times a second.',
    access: 'local',
    why: 'Reading is open on loopback; the topics hold no data.',
    answer: 'event-stream',
  }),
}
