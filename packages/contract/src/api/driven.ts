import { z } from 'zod'
import {
  comparison,
  comparisonStart,
  drivenSession,
  drivenStart,
  drivenTurn,
  drivenTurnRequest,
  sentMessage,
  sessionMessage,
} from '../driven-session.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const ACTS = 'It lets an assistant work on files of this machine.'

const sessionId = z.object({ id: z.string().min(1).max(200) })

/** Why an assistant does not start. */
const START_ERRORS = [
  'invalid_input',
  'assistant_not_installed',
  'assistant_not_signed_in',
  'assistant_failed',
  'adapter_missing',
  'sessions_full',
] as const

export const drivenRoutes = {
  startSession: defineRoute({
    method: 'POST',
    path: '/api/sessions',
    summary: 'Starts a session of an assistant; answers when the assistant has accepted it.',
    access: 'token',
    why: ACTS,
    body: drivenStart,
    answer: drivenSession,
    errors: START_ERRORS,
  }),
  listDrivenSessions: defineRoute({
    method: 'GET',
    path: '/api/driven-sessions',
    summary: 'The last sessions that Steward started, newest first.',
    access: 'local',
    why: READ,
    query: z.object({ limit: z.coerce.number().int().positive().max(200).default(50) }),
    answer: z.object({ sessions: z.array(drivenSession) }),
    errors: [],
  }),
  runSessionTurn: defineRoute({
    method: 'POST',
    path: '/api/sessions/turns',
    summary:
      'Runs one turn under a key and waits for its end. Repeated with the same key it finds the turn again; a finished one is not repeated.',
    access: 'token',
    why: ACTS,
    body: drivenTurnRequest,
    answer: drivenTurn,
    errors: [
      'invalid_input',
      'session_not_driven',
      'ambiguous',
      'session_busy',
      'session_limit',
      'assistant_not_installed',
      'assistant_not_signed_in',
      'assistant_failed',
      'adapter_missing',
    ],
  }),
  startComparison: defineRoute({
    method: 'POST',
    path: '/api/comparisons',
    summary:
      'Gives the same task to several assistants, each in a git worktree or copy of its own. Nothing is merged or pushed.',
    access: 'token',
    why: ACTS,
    body: comparisonStart,
    answer: comparison,
    errors: START_ERRORS,
  }),
  listComparisons: defineRoute({
    method: 'GET',
    path: '/api/comparisons',
    summary: 'The last comparisons of assistants with their sessions, newest first.',
    access: 'local',
    why: READ,
    query: z.object({ limit: z.coerce.number().int().positive().max(100).default(20) }),
    answer: z.object({
      comparisons: z.array(
        z.object({
          id: z.string(),
          prompt: z.string(),
          project: z.string(),
          startedAt: z.string(),
          sessions: z.array(drivenSession),
        }),
      ),
    }),
    errors: [],
  }),
  getComparison: defineRoute({
    method: 'GET',
    path: '/api/comparisons/:id',
    summary: 'The sessions of a comparison with their diffs, checks, durations and costs.',
    access: 'local',
    why: READ,
    params: sessionId,
    answer: comparison,
    errors: ['not_found'],
  }),
  getSessionDiff: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/diff',
    summary: 'The changes of a session that Steward started, as a patch.',
    access: 'local',
    why: READ,
    params: sessionId,
    answer: z.object({ diff: z.string().nullable(), truncated: z.boolean() }),
    errors: ['session_not_driven', 'ambiguous'],
  }),
  getDrivenSession: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/driven',
    summary: 'State, limits and result of a session that Steward started.',
    access: 'local',
    why: READ,
    params: sessionId,
    answer: drivenSession,
    errors: ['session_not_driven', 'ambiguous'],
  }),
  sendToSession: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/messages',
    summary:
      'Sends a message to a session: the next prompt of one that Steward started, a reply to one that keeps its finished turn open, or a text that resumes one that has ended.',
    access: 'token',
    why: ACTS,
    params: sessionId,
    body: sessionMessage,
    answer: sentMessage,
    errors: [
      'not_found',
      'ambiguous',
      'session_elsewhere',
      'reply_failed',
      'session_busy',
      'session_limit',
      'sessions_full',
      'assistant_not_installed',
      'assistant_not_signed_in',
      'assistant_failed',
      'adapter_missing',
    ],
  }),
  stopSession: defineRoute({
    method: 'POST',
    path: '/api/sessions/:id/stop',
    summary: 'Stops a session that Steward started; answers when its work has stopped.',
    access: 'token',
    why: ACTS,
    params: sessionId,
    body: z.strictObject({}),
    answer: drivenSession,
    errors: ['session_not_driven', 'ambiguous'],
  }),
  streamSession: defineRoute({
    method: 'GET',
    path: '/api/sessions/:id/output',
    summary:
      'Output of a session that Steward started (server-sent events): `output` pieces, `session` on every change, and `end` when its turn is over.',
    access: 'local',
    why: READ,
    params: sessionId,
    query: z.object({
      /** Only pieces after this number. */
      after: z.coerce.number().int().nonnegative().default(0),
      /** Only pieces since the last message to it. */
      lastTurn: z.stringbool().default(false),
    }),
    answer: 'event-stream',
    errors: ['session_not_driven', 'ambiguous'],
  }),
}
