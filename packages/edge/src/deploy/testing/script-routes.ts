import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type RouteTable, SCRIPT, withScript } from './platform-route.ts'
import { upload } from './upload-route.ts'

const secretBody = z.object({ name: z.string(), text: z.string(), type: z.literal('secret_text') })
const cronBody = z.array(z.object({ cron: z.string() }))
const deploymentBody = z.looseObject({
  strategy: z.literal('percentage'),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })).min(1),
})

/** Scripts with their versions, secrets, schedules and addresses. */
export const SCRIPT_ROUTES: RouteTable = [
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
  [
    'DELETE',
    '/workers/services/(?<name>[^/]+)',
    withScript(({ name }, { state }) => {
      state.scripts.delete(name)
      for (const queue of state.queues.values()) {
        queue.consumers = queue.consumers.filter(({ script_name: script }) => script !== name)
      }
      return { result: null }
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
]
