import { z } from 'zod'
import { eventPage, stewardEvent } from '../event.ts'
import {
  activity,
  SESSION_GROUPS,
  SESSION_STATUSES,
  sessionDetail,
  sessionPage,
} from '../session-history.ts'
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
  listSessions: defineRoute({
    method: 'GET',
    path: '/api/sessions',
    summary:
      'All sessions of assistants and background agents, the last active first, a page at a time.',
    access: 'local',
    why: READ,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** The `next` value of the previous page. */
      before: z.string().max(500).optional(),
      status: z.enum(SESSION_STATUSES).optional(),
      group: z.enum(SESSION_GROUPS).optional(),
      host: z.string().max(40).optional(),
      /** The folder, or one above it. */
      project: z.string().max(4096).optional(),
      /** Words; each must be in the name, the first request, the folder or the last answer. */
      q: z.string().max(200).optional(),
    }),
    answer: sessionPage,
  }),
  listEvents: defineRoute({
    method: 'GET',
    path: '/api/events',
    summary: 'Events of the whole history that fit a filter, newest first, a page at a time.',
    access: 'local',
    why: READ,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(200),
      /** The `next` value of the previous page. */
      before: z.string().max(500).optional(),
      /** A filter as on the page: `source:tool-failure -tool:Bash since:10m "text"`. */
      q: z.string().max(500).optional(),
    }),
    answer: eventPage,
  }),
  getActivity: defineRoute({
    method: 'GET',
    path: '/api/activity',
    summary: 'Events and failures of all sessions by hour, for the last hours.',
    access: 'local',
    why: READ,
    query: z.object({ hours: z.coerce.number().int().min(1).max(168).default(24) }),
    answer: activity,
  }),
  getSession: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id',
    summary: 'One session with its timeline, newest events first, a page at a time.',
    access: 'local',
    why: READ,
    params: z.object({ id: z.string().min(1).max(200) }),
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).default(200),
      before: z.string().max(500).optional(),
    }),
    answer: sessionDetail,
    errors: ['not_found', 'ambiguous'],
  }),
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
