import { z } from 'zod'
import { catalogView } from '../catalog.ts'
import { fields } from '../json.ts'
import { PRIMITIVES } from '../naming.ts'
import { failureList, RUN_ORDERS, RUN_STATUSES, recordedError, runDetail, runPage } from '../run.ts'
import { defineRoute } from './route.ts'

const READ = 'Reading is open on loopback: other origins and host names are already refused.'
const RUNS = 'It runs something and may spend money.'
const runId = z.object({ id: z.string().min(1) })
const started = z.object({ id: z.string() })
/** The longest time that a call waits for a run, in seconds. */
const LONGEST_WAIT = 300

export const runRoutes = {
  listRuns: defineRoute({
    method: 'GET',
    path: '/api/runs',
    summary: 'Runs, newest first or in another order, a page at a time.',
    access: 'local',
    why: READ,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** The `next` value of the previous page. */
      before: z.string().optional(),
      name: z.string().optional(),
      status: z.enum(RUN_STATUSES).optional(),
      primitive: z.enum(PRIMITIVES).optional(),
      /** Runs whose name, id or error contains this text. */
      q: z.string().max(200).optional(),
      /** Only runs that started in the last hours. */
      hours: z.coerce.number().int().min(1).max(8760).optional(),
      sort: z.enum(RUN_ORDERS).default('newest'),
      /** Include the runs that a flow started, one per item. */
      all: z.stringbool().default(false),
    }),
    answer: runPage,
  }),
  listFailures: defineRoute({
    method: 'GET',
    path: '/api/failures',
    summary: 'Actions, pipelines and flows that failed and did not succeed since, newest first.',
    access: 'local',
    why: READ,
    query: z.object({
      /** Only failures of the last hours. */
      hours: z.coerce.number().int().min(1).max(720).default(24),
    }),
    answer: failureList,
  }),
  getRun: defineRoute({
    method: 'GET',
    path: '/api/runs/:id',
    summary: 'One run with every step.',
    access: 'local',
    why: READ,
    params: runId,
    answer: runDetail,
    errors: ['not_found', 'ambiguous'],
  }),
  streamRun: defineRoute({
    method: 'GET',
    path: '/api/runs/:id/stream',
    summary: 'Progress of a run (server-sent events); ends with it.',
    access: 'local',
    why: READ,
    params: runId,
    answer: 'event-stream',
    errors: ['not_found', 'ambiguous'],
  }),
  startRun: defineRoute({
    method: 'POST',
    path: '/api/runs',
    summary:
      'Starts an action, pipeline or flow. Answers immediately with the id; with `wait`, when the run has ended, with its output.',
    access: 'token',
    why: RUNS,
    query: z.object({
      /** Seconds to wait for the end of the run. */
      wait: z.coerce.number().min(0).max(LONGEST_WAIT).default(0),
    }),
    body: z.strictObject({
      name: z.string().min(1),
      input: fields.default({}),
      idempotencyKey: z.string().min(1).optional(),
    }),
    /** With `wait`: 200 if the run has ended, otherwise 202 and `running`. */
    answer: started.extend({
      status: z.enum(RUN_STATUSES).optional(),
      output: fields.optional(),
      error: recordedError.optional(),
    }),
    status: 202,
    errors: [
      'not_found',
      'invalid_input',
      'run_conflict',
      'flow_disabled',
      'run_active',
      'too_many_runs',
    ],
  }),
  rerunRun: defineRoute({
    method: 'POST',
    path: '/api/runs/:id/rerun',
    summary: 'Repeats a run from one of its steps: its number from 1, or its path.',
    access: 'token',
    why: RUNS,
    params: runId,
    body: z.strictObject({
      from: z.union([z.int().positive(), z.string().max(200)]).default(1),
      /**
       * `current` uses the pipeline file as it is now, `original` the list of actions that the run
       * started with.
       */
      definition: z.enum(['current', 'original']).default('current'),
    }),
    answer: started,
    status: 202,
    errors: ['not_found', 'ambiguous', 'run_not_resumable', 'run_active'],
    perMinute: 60,
  }),
  listPrimitives: defineRoute({
    method: 'GET',
    path: '/api/catalog',
    summary: 'Actions, pipelines and flows that can be run.',
    access: 'local',
    why: READ,
    answer: catalogView,
  }),
  cancelRun: defineRoute({
    method: 'POST',
    path: '/api/runs/:id/cancel',
    summary:
      'Cancels a run of this daemon or abandons an interrupted one; answers when it has ended.',
    access: 'token',
    why: 'It stops work that someone may be waiting for.',
    params: runId,
    body: z.strictObject({}),
    /** `completed` or `failed` if the run finished immediately. */
    answer: z.object({ id: z.string(), status: z.enum(RUN_STATUSES) }),
    errors: ['not_found', 'ambiguous', 'invalid_input', 'run_active'],
    perMinute: 60,
  }),
  resumeRun: defineRoute({
    method: 'POST',
    path: '/api/runs/:id/resume',
    summary: 'Continues an interrupted run, or retries the failed step.',
    access: 'token',
    why: RUNS,
    params: runId,
    body: z.strictObject({}),
    answer: started,
    status: 202,
    errors: ['not_found', 'ambiguous', 'run_not_resumable', 'run_active'],
    perMinute: 60,
  }),
}
