import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { PlatformState, StandInScript } from './platform-state.ts'
import { type Refusal, readUpload } from './read-upload.ts'

export interface StandInRequest {
  method: string
  /** Below the account, with no query. */
  path: string
  query: URLSearchParams
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
  json: () => unknown
}

export type StandInAnswer = { result: unknown; pages?: number } | Refusal

interface RouteContext {
  state: PlatformState
  request: StandInRequest
  /** What the pattern caught. */
  name: string
  id: string
  socketBase: string
}

type Route = (context: RouteContext) => StandInAnswer | Promise<StandInAnswer>

const noScript = (name: string): Refusal => ({
  status: 404,
  code: 10007,
  message: `This Worker does not exist on your account: ${name}`,
})

const withScript =
  (use: (script: StandInScript, context: RouteContext) => StandInAnswer): Route =>
  (context) => {
    const script = context.state.scripts.get(context.name)
    return script === undefined ? noScript(context.name) : use(script, context)
  }

const secretBody = z.object({ name: z.string(), text: z.string(), type: z.literal('secret_text') })
const cronBody = z.array(z.object({ cron: z.string() }))
const deploymentBody = z.looseObject({
  strategy: z.literal('percentage'),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })).min(1),
})
const consumerBody = z.looseObject({ type: z.literal('worker'), script_name: z.string() })

/** The platform's ids of versions have no hyphens in one answer and have them in the others. */
const bare = (id: string): string => id.replaceAll('-', '')

const upload =
  (deployAtOnce: boolean): Route =>
  async ({ state, request, name }) => {
    const read = await readUpload(request.bytes, request.contentType, state)
    if ('code' in read) return read
    const version = randomUUID()
    const before = state.scripts.get(name)
    state.uploads.push(name)
    state.scripts.set(name, {
      secrets: {},
      crons: [],
      onSubdomain: false,
      deployments: [],
      versions: [],
      ...before,
      ...read,
      name,
      modified: new Date().toISOString(),
    })
    const script = state.scripts.get(name)
    script?.versions.push(version)
    if (deployAtOnce) script?.deployments.push(version)
    const { main_module: main } = read.metadata
    return {
      result: {
        id: deployAtOnce ? name : version,
        number: script?.versions.length,
        tag: bare(version),
        etag: bare(version),
        deployment_id: bare(version),
        startup_time_ms: 3,
        entry_point: main,
        pipeline_hash: '',
        available_on_subdomain: true,
        metadata: { has_preview: false },
        resources: {
          script: { etag: bare(version), handlers: ['fetch'] },
          bindings: [],
          script_runtime: {},
        },
      },
    }
  }

const SCRIPT = '/workers/scripts/(?<name>[^/]+)'

/** Method and path below the account, as wrangler and our own client call them. */
export const ROUTES: readonly (readonly [method: string, path: string, route: Route])[] = [
  [
    'GET',
    '/workers/services/(?<name>[^/]+)',
    ({ state, name }) =>
      state.scripts.has(name)
        ? {
            result: {
              id: name,
              default_environment: {
                environment: 'production',
                script: { id: name, tag: name, last_deployed_from: 'wrangler' },
              },
            },
          }
        : { status: 404, code: 10090, message: 'workers.api.error.service_not_found' },
  ],
  [
    'GET',
    '/workers/scripts',
    ({ state }) => ({
      result: [...state.scripts.values()].map(({ name, modified, modules }) => ({
        id: name,
        modified_on: modified,
        handlers: Object.values(modules).some((code) => code.includes('scheduled'))
          ? ['fetch', 'scheduled', 'queue']
          : ['fetch'],
      })),
    }),
  ],
  ['PUT', SCRIPT, upload(true)],
  ['POST', `${SCRIPT}/versions`, upload(false)],
  [
    'GET',
    `${SCRIPT}/versions`,
    withScript(({ versions }) => ({ result: { items: versions.map((id) => ({ id })) } })),
  ],
  [
    'POST',
    `${SCRIPT}/deployments`,
    withScript((script, { request }) => {
      const { versions } = deploymentBody.parse(request.json())
      script.deployments.push(...versions.map(({ version_id: id }) => id))
      return { result: { id: randomUUID() } }
    }),
  ],
  [
    'GET',
    `${SCRIPT}/deployments`,
    withScript(({ deployments, modified }) => ({
      result: {
        deployments: deployments.toReversed().map((id) => ({
          id: randomUUID(),
          created_on: modified,
          source: 'wrangler',
          strategy: 'percentage',
          author_email: 'ada@example.com',
          versions: [{ version_id: id, percentage: 100 }],
        })),
      },
    })),
  ],
  [
    'GET',
    `${SCRIPT}/settings`,
    withScript(({ metadata, secrets }) => ({
      result: {
        bindings: [
          ...metadata.bindings,
          ...Object.keys(secrets).map((name) => ({ type: 'secret_text', name })),
        ],
      },
    })),
  ],
  ['PATCH', `${SCRIPT}/script-settings`, withScript(() => ({ result: {} }))],
  [
    'GET',
    `${SCRIPT}/secrets`,
    withScript(({ secrets }) => ({
      result: Object.keys(secrets).map((name) => ({ name, type: 'secret_text' })),
    })),
  ],
  [
    'PUT',
    `${SCRIPT}/secrets`,
    withScript((script, { request }) => {
      const { name, text, type } = secretBody.parse(request.json())
      script.secrets[name] = text
      return { result: { name, type } }
    }),
  ],
  ['GET', '/workers/subdomain', () => ({ result: { subdomain: 'ada' } })],
  [
    'GET',
    `${SCRIPT}/subdomain`,
    withScript(({ onSubdomain }) => ({
      result: { enabled: onSubdomain, previews_enabled: false },
    })),
  ],
  [
    'POST',
    `${SCRIPT}/subdomain`,
    withScript((script, { request }) => {
      const { enabled } = z.looseObject({ enabled: z.boolean() }).parse(request.json())
      script.onSubdomain = enabled
      return { result: { enabled, previews_enabled: false } }
    }),
  ],
  [
    'GET',
    `${SCRIPT}/schedules`,
    withScript(({ crons }) => ({ result: { schedules: crons.map((cron) => ({ cron })) } })),
  ],
  [
    'PUT',
    `${SCRIPT}/schedules`,
    withScript((script, { request }) => {
      script.crons = cronBody.parse(request.json()).map(({ cron }) => cron)
      return { result: { schedules: script.crons.map((cron) => ({ cron })) } }
    }),
  ],
  [
    'GET',
    '/workers/workers/(?<name>[^/]+)',
    withScript(({ name, onSubdomain }) => ({
      result: {
        id: name,
        name,
        subdomain: { enabled: onSubdomain, previews_enabled: false },
        tags: [],
        observability: { enabled: true },
      },
    })),
  ],
  [
    'GET',
    '/r2/buckets/(?<name>[^/]+)',
    ({ state, name }) =>
      state.r2.has(name)
        ? { result: { name } }
        : { status: 404, code: 10006, message: 'The specified bucket does not exist.' },
  ],
  [
    'GET',
    '/queues',
    ({ state, request }) => {
      const wanted = request.query.get('name')
      const queues = [...state.queues.values()].filter(({ name }) => !wanted || name === wanted)
      return {
        result: queues.map(({ id, name, consumers }) => ({
          queue_id: id,
          queue_name: name,
          producers: [],
          producers_total_count: 0,
          consumers,
          consumers_total_count: consumers.length,
        })),
        pages: 1,
      }
    },
  ],
  [
    'GET',
    '/queues/(?<id>[^/]+)/consumers',
    ({ state, id }) => ({
      result: [...state.queues.values()].find((queue) => queue.id === id)?.consumers ?? [],
    }),
  ],
  [
    'POST',
    '/queues/(?<id>[^/]+)/consumers',
    ({ state, request, id }) => {
      const consumer = consumerBody.parse(request.json())
      const queue = [...state.queues.values()].find((each) => each.id === id)
      if (queue === undefined) return { status: 404, code: 11003, message: 'queue not found' }
      if (!state.scripts.has(consumer.script_name)) return noScript(consumer.script_name)
      queue.consumers.push({ consumer_id: randomUUID(), ...consumer })
      return { result: {} }
    },
  ],
  [
    'PUT',
    '/queues/(?<id>[^/]+)/consumers/[^/]+',
    ({ state, request, id }) => {
      const consumer = consumerBody.parse(request.json())
      const queue = [...state.queues.values()].find((each) => each.id === id)
      if (queue === undefined) return { status: 404, code: 11003, message: 'queue not found' }
      queue.consumers = [{ consumer_id: randomUUID(), ...consumer }]
      return { result: {} }
    },
  ],
  [
    'POST',
    `${SCRIPT}/tails`,
    withScript(({ name }, { state, socketBase }) => {
      const id = randomUUID()
      state.tails.set(id, name)
      const expires = new Date(Date.now() + 3_600_000).toISOString()
      return { result: { id, url: `${socketBase}/tail/${id}`, expires_at: expires } }
    }),
  ],
  [
    'DELETE',
    `${SCRIPT}/tails/(?<id>[^/]+)`,
    ({ state, id }) => {
      state.tails.delete(id)
      return { result: null }
    },
  ],
  [
    'POST',
    '/workers/observability/telemetry/query',
    ({ state }) => ({
      result: { run: {}, statistics: {}, events: { events: state.logEvents } },
    }),
  ],
]
