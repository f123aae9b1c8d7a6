import { z } from 'zod'
import { defineRoute } from './route.ts'

/** Topics for which an open page gets live updates. */
export const LIVE_TOPICS = [
  'sessions',
  'attention',
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
      'Reports which topics changed, without data (server-sent events): `changed` with an array of topics, at most five times per second.',
    access: 'local',
    why: 'Reading is open on loopback; the topics contain no data.',
    answer: 'event-stream',
  }),
}
