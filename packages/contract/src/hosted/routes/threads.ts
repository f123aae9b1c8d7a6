import { z } from 'zod'
import { listableEvent } from '../events.ts'
import { hostedId } from '../instant.ts'
import { pageOf, pageQuery } from '../page.ts'
import { HOSTED_SESSION_STATUSES } from '../session.ts'
import { hostedThread } from '../thread.ts'
import { streamQuery } from './events.ts'
import { defineHostedRoute, queryList } from './hosted-route.ts'

const ofSession = z.object({ session_id: hostedId })
const params = z.object({ session_id: hostedId, thread_id: hostedId })

export const hostedThreadRoutes = {
  listThreads: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/threads',
    summary: "A session's threads.",
    family: 'agents',
    scope: 'read',
    worker: true,
    params: ofSession,
    query: z.object({ ...pageQuery, statuses: queryList(z.enum(HOSTED_SESSION_STATUSES)) }),
    answer: pageOf(hostedThread),
    errors: ['not_found'],
  }),
  getThread: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/threads/:thread_id',
    summary: 'One thread.',
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    answer: hostedThread,
    errors: ['not_found'],
  }),
  archiveThread: defineHostedRoute({
    method: 'POST',
    path: '/v1/sessions/:session_id/threads/:thread_id/archive',
    summary: 'Archives a thread. The primary thread only ends with its session.',
    family: 'agents',
    scope: 'write',
    params,
    answer: hostedThread,
    errors: ['not_found', 'session_running'],
  }),
  listThreadEvents: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/threads/:thread_id/events',
    summary: "A thread's events.",
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    query: z.object(pageQuery),
    answer: pageOf(listableEvent),
    errors: ['not_found'],
  }),
  streamThread: defineHostedRoute({
    method: 'GET',
    path: '/v1/sessions/:session_id/threads/:thread_id/stream',
    summary: 'Streams new events of a thread (server-sent events).',
    family: 'agents',
    scope: 'read',
    worker: true,
    params,
    query: streamQuery,
    answer: 'event-stream',
    errors: ['not_found', 'too_many_streams'],
  }),
}
