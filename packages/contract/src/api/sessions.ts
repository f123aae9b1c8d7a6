import { z } from 'zod'
import { stewardEvent } from '../event.ts'
import { algorithmView } from '../work-state.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const RESERVED = z.object({
  status: z.literal('not_available'),
  loops: z.array(z.unknown()),
  prds: z.array(z.unknown()),
})

export const subagentRun = z.object({
  subagent_id: z.string(),
  subagent_type: z.string(),
  description: z.string(),
  session_id: z.string(),
  status: z.enum(['running', 'stopped']),
  startedAt: z.string(),
  stoppedAt: z.string().optional(),
  duration_seconds: z.number().nonnegative().optional(),
})
export type SubagentRun = z.infer<typeof subagentRun>

export const sessionRoutes = {
  getAlgorithm: defineRoute({
    method: 'GET',
    path: '/api/algorithm',
    summary:
      'Work sessions with tasks, criteria and phases. 503 with the path if the file is missing.',
    access: 'local',
    why: READ,
    answer: algorithmView,
    errors: ['work_state_missing', 'work_state_unreadable'],
  }),
  streamAlgorithm: defineRoute({
    method: 'GET',
    path: '/api/algorithm/stream',
    summary: 'Work sessions, sent on every change (server-sent events).',
    access: 'local',
    why: READ,
    answer: 'event-stream',
  }),
  listAgents: defineRoute({
    method: 'GET',
    path: '/api/agents',
    summary: 'Subagents: the last 100 rows, and each one with its start, stop and duration.',
    access: 'local',
    why: READ,
    answer: z.object({ events: z.array(stewardEvent), agents: z.array(subagentRun) }),
  }),
  listLoops: defineRoute({
    method: 'GET',
    path: '/api/loops',
    summary: 'Reserved.',
    access: 'local',
    why: 'Only reports that it is not available.',
    answer: RESERVED,
  }),
  getLoopControl: defineRoute({
    method: 'GET',
    path: '/api/loops/control',
    summary: 'Reserved.',
    access: 'local',
    why: 'Only reports that it is not available.',
    answer: RESERVED,
  }),
  controlLoop: defineRoute({
    method: 'POST',
    path: '/api/loops/control',
    summary: 'Reserved: 501.',
    access: 'local',
    why: 'Does nothing; 501.',
    answer: RESERVED,
    errors: ['not_available'],
  }),
  startLoop: defineRoute({
    method: 'POST',
    path: '/api/loops/start',
    summary: 'Reserved: 501.',
    access: 'local',
    why: 'Does nothing; 501.',
    answer: RESERVED,
    errors: ['not_available'],
  }),
}
