import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { logQuery, overviewQuery, sessionLog, sessionsOverview } from '../overview.ts'
import { defineHostedRoute } from './hosted-route.ts'

/** Additions of ours, for pages that people look at: the vendor has no such calls. */
export const hostedOverviewRoutes = {
  getOverview: defineHostedRoute({
    method: 'GET',
    path: '/v1/steward/sessions',
    summary: 'The newest sessions with cost, what each waits for, and its last event.',
    family: 'agents',
    scope: 'read',
    query: overviewQuery,
    answer: sessionsOverview,
  }),
  getSessionLog: defineHostedRoute({
    method: 'GET',
    path: '/v1/steward/sessions/:session_id/log',
    summary: "A session and its log, read on or back from an event's place.",
    family: 'agents',
    scope: 'read',
    params: z.object({ session_id: hostedId }),
    query: logQuery,
    answer: sessionLog,
    errors: ['not_found'],
  }),
}
