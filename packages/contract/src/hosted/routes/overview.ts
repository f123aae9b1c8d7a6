import { z } from 'zod'
import { hostedId } from '../instant.ts'
import { logQuery, overviewQuery, sessionLog, sessionsOverview } from '../overview.ts'
import { defineHostedRoute } from './hosted-route.ts'

/** Our additions for the dashboard; the vendor has no equivalent. */
export const hostedOverviewRoutes = {
  getOverview: defineHostedRoute({
    method: 'GET',
    path: '/v1/steward/sessions',
    summary: 'The newest sessions with cost, waiting calls and last event.',
    family: 'agents',
    scope: 'read',
    query: overviewQuery,
    answer: sessionsOverview,
  }),
  getSessionLog: defineHostedRoute({
    method: 'GET',
    path: '/v1/steward/sessions/:session_id/log',
    summary: 'A session and its log, forward or backward from an event.',
    family: 'agents',
    scope: 'read',
    params: z.object({ session_id: hostedId }),
    query: logQuery,
    answer: sessionLog,
    errors: ['not_found'],
  }),
}
