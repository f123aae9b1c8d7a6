import { join } from 'node:path'
import { flowEntry } from '@steward/contract'
import { expect, test } from 'vitest'
import type { EdgeCatalog } from './catalog.ts'
import { planWorkers } from './plan-workers.ts'
import { NO_RESOURCES } from './resources.ts'
import { LIBRARY } from './testing/build-library.ts'
import { catalogOf } from './testing/catalog-of.ts'
import { SAMPLE } from './testing/sample-catalog.ts'
import { temporaryFolder, writeFiles } from './testing/write-files.ts'

const EVERY_WORKER = {
  main: 'index.js',
  compatibility_date: '2026-07-30',
  compatibility_flags: [
    'nodejs_compat',
    'nodejs_compat_do_not_populate_process_env',
    'disallow_importable_env',
  ],
  no_bundle: true,
  find_additional_modules: false,
  rules: [{ type: 'ESModule', globs: ['index.js'] }],
  workers_dev: true,
  observability: { enabled: true },
}

const sample = (): EdgeCatalog => {
  const root = temporaryFolder()
  writeFiles(root, SAMPLE)
  return catalogOf(root)
}

const planned = async (catalog: EdgeCatalog, resources = NO_RESOURCES) => {
  const plan = await planWorkers(catalog, resources)
  expect(plan.mistakes).toEqual([])
  return new Map(plan.workers.map((worker) => [worker.name, worker]))
}

const flow = (given: object) =>
  flowEntry.parse({
    id: 'flow',
    name: 'F_TEST_FLOW',
    source: { type: 'rss', url: 'https://example.org/feed.xml' },
    pipeline: 'P_SHOUT_LOUD',
    destination: { type: 'api', url: 'https://example.org/' },
    schedule: { intervalMinutes: 30, enabled: true },
    ...given,
  })

const planOf = async (given: object) => {
  const catalog = sample()
  const manifest = { ...catalog.actions[0]?.manifest, name: 'A_SEND_EMAIL', requires: [] }
  const [first] = catalog.actions
  if (first === undefined) throw new Error('the sample has actions')
  const mail = { ...first, manifest: { ...first.manifest, ...manifest } }
  const entry = flow(given)
  const plans = await planned({
    ...catalog,
    actions: [...catalog.actions, mail],
    flows: [{ entry, folder: catalog.flows[0]?.folder ?? '', feedLists: [] }],
  })
  const plan = plans.get('F_TEST_FLOW')
  if (plan === undefined) throw new Error('the flow was not planned')
  return plan
}

test('an action that calls a model runs near the vendor and needs its key', async () => {
  const plan = (await planned(sample())).get('A_SHOUT_TEXT')
  expect(plan).toMatchObject({
    tier: 'isolate',
    network: true,
    secrets: ['AUTH_TOKEN', 'LLM_API_KEY', 'SHOUT_KEY'],
    optionalSecrets: expect.arrayContaining(['LLM_BASE_URL', 'LLM_MODEL_FAST', 'SHOUT_STYLE']),
  })
  expect(plan?.configuration).toEqual({
    ...EVERY_WORKER,
    name: 'exec-a-shout-text',
    placement: { mode: 'smart' },
  })
  expect(plan?.entry).toContain("from 'steward:A_SHOUT_TEXT/action.ts'")
})

test('an action that needs a machine gets a container, with its packages installed', async () => {
  const plan = (await planned(sample())).get('A_COUNT_FILES')
  expect(plan).toMatchObject({ tier: 'sandbox', network: false, secrets: ['AUTH_TOKEN'] })
  expect(plan?.configuration).toEqual({
    ...EVERY_WORKER,
    name: 'exec-a-count-files',
    containers: [
      {
        class_name: 'ActionContainer',
        image: './Dockerfile',
        instance_type: 'basic',
        max_instances: 1,
      },
    ],
    durable_objects: { bindings: [{ name: 'CONTAINER', class_name: 'ActionContainer' }] },
    migrations: [{ tag: 'v1', new_sqlite_classes: ['ActionContainer'] }],
  })
  expect(plan?.files.Dockerfile).toContain(' ca-certificates bash coreutils ')
})

test('a pipeline is bound to each of its actions once, by their own names', async () => {
  const plan = (await planned(sample())).get('P_SHOUT_LOUD')
  expect(plan?.configuration).toEqual({
    ...EVERY_WORKER,
    name: 'exec-p-shout-loud',
    vars: { PIPELINE_VERSION: expect.stringMatching(/^[0-9a-f]{32}$/) },
    services: [{ binding: 'A_SHOUT_TEXT', service: 'exec-a-shout-text' }],
  })
  expect(plan?.secrets).toEqual(['AUTH_TOKEN'])
})

test('the poller: cron, queue producer, KV, and the secrets of the flow and its feeds', async () => {
  const plan = (await planned(sample())).get('F_FEEDS_POLLER')
  expect(plan?.configuration).toEqual({
    ...EVERY_WORKER,
    name: 'exec-f-feeds-poller',
    triggers: { crons: ['*/5 * * * *'] },
    queues: { producers: [{ binding: 'FEED_ITEMS', queue: 'feed-items' }] },
    kv_namespaces: [
      { binding: 'SEEN_ITEMS', id: 'not-created-yet-seen-items' },
      { binding: 'FLOW_STATE', id: 'not-created-yet-flow-state' },
    ],
  })
  expect(plan?.secrets).toEqual(['AUTH_TOKEN', 'FEED_KEY', 'FEED_PROXY_TOKEN'])
  expect(plan?.entry).toContain('https://example.org/feed.xml')
})

test('the processor: queue consumer with a dead letter queue, databases, no cron; ids from settings', async () => {
  const resources = { kv: { FLOW_STATE: 'kv-1' }, d1: { FEEDS_DB: 'd1-1' } }
  const plan = (await planned(sample(), resources)).get('F_FEEDS_PROCESSOR')
  expect(plan?.configuration).toEqual({
    ...EVERY_WORKER,
    name: 'exec-f-feeds-processor',
    services: [{ binding: 'P_SHOUT_LOUD', service: 'exec-p-shout-loud' }],
    triggers: { crons: [] },
    queues: {
      producers: [{ binding: 'FEED_ITEMS', queue: 'feed-items' }],
      consumers: [
        {
          queue: 'feed-items',
          max_batch_size: 20,
          max_batch_timeout: 5,
          max_retries: 3,
          dead_letter_queue: 'feed-items-dead',
        },
      ],
    },
    kv_namespaces: [{ binding: 'FLOW_STATE', id: 'kv-1' }],
    d1_databases: [
      {
        binding: 'ITEMS_DB',
        database_name: 'steward-items',
        database_id: 'not-created-yet-items-db',
      },
      { binding: 'FEEDS_DB', database_name: 'steward-feeds', database_id: 'd1-1' },
      {
        binding: 'FLOW_DB',
        database_name: 'steward-flows',
        database_id: 'not-created-yet-flow-db',
      },
    ],
  })
})

test('a disabled flow has no cron and consumes nothing from its queue', async () => {
  const schedule = { intervalMinutes: 30, enabled: false }
  expect((await planOf({ schedule })).configuration.triggers).toEqual({ crons: [] })
  const source = { type: 'queue', queue: 'items', deadLetterQueue: 'lost' }
  expect((await planOf({ schedule, source })).configuration.queues).toBeUndefined()
  expect((await planOf({ source })).configuration.queues?.consumers).toMatchObject([
    { queue: 'items', dead_letter_queue: 'lost' },
  ])
})

test('a flow that runs on the user’s machine has no cron; times of a zone have all its offsets', async () => {
  const at = { at: '07:00', days: 'mon-fri', timezone: 'Europe/Berlin' }
  const cronsOf = async (schedule: object) =>
    (await planOf({ schedule })).configuration.triggers?.crons
  expect(await cronsOf({ ...at, runsOn: 'here' })).toEqual([])
  expect(await cronsOf({ ...at, runsOn: 'edge' })).toEqual(['0 5,6 * * *'])
  expect(await cronsOf(at)).toEqual(['0 5,6 * * *'])
})

test('each destination gets only what it needs', async () => {
  const mail = await planOf({ destination: { type: 'email', address: 'a@example.org' } })
  expect(mail.configuration.services).toEqual([
    { binding: 'P_SHOUT_LOUD', service: 'exec-p-shout-loud' },
    { binding: 'A_SEND_EMAIL', service: 'exec-a-send-email' },
  ])
  expect(mail.configuration.d1_databases).toEqual([
    {
      binding: 'ITEMS_DB',
      database_name: 'steward-items',
      database_id: 'not-created-yet-items-db',
    },
  ])
  expect(mail.configuration).not.toHaveProperty('r2_buckets')
  const file = await planOf({ destination: { type: 'file', path: 'digest.md' } })
  expect(file.configuration.r2_buckets).toEqual([
    { binding: 'FLOW_FILES', bucket_name: 'steward-flow-files' },
  ])
  const headers = { authorization: 'Bearer ${API_KEY}', 'x-other': '${OTHER} ${API_KEY}' }
  const api = await planOf({ destination: { type: 'api', url: 'https://example.org/', headers } })
  expect(api.secrets).toEqual(['AUTH_TOKEN', 'API_KEY', 'OTHER'])
  const hook = await planOf({ source: { type: 'webhook', secret: 'HOOK_KEY' } })
  expect(hook.secrets).toEqual(['AUTH_TOKEN', 'HOOK_KEY'])
  expect(hook.configuration.triggers).toEqual({ crons: ['*/30 * * * *'] })
})

test('the library: order of deployment, tiers, and bundled files of flows', async () => {
  const plans = await planned(catalogOf(LIBRARY))
  const names = [...plans.keys()]
  const primitives = names.map((name) => name[0])
  expect(primitives).toEqual(
    primitives.toSorted((a = '', b = '') => 'APF'.indexOf(a) - 'APF'.indexOf(b)),
  )
  expect(plans.get('A_EXTRACT_TRANSCRIPT')?.tier).toBe('sandbox')
  expect(plans.get('A_SUMMARIZE')?.tier).toBe('isolate')
  expect(
    plans.get('P_ARTICLE_DIGEST')?.configuration.services?.map(({ binding }) => binding),
  ).toEqual(['A_EXTRACT_ARTICLE', 'A_SUMMARIZE', 'A_LABEL_AND_RATE', 'A_FORMAT_MARKDOWN'])
  expect(plans.get('F_SAMPLE_DIGEST')?.configuration.triggers).toEqual({ crons: ['0 * * * *'] })
  expect(plans.get('F_SAMPLE_DIGEST')?.entry).toContain('"sample-feed.xml": "<?xml')
  expect(plans.get('F_SAMPLE_REFINE')?.entry).toContain(
    '"sample-texts/The-Long-Memory-of-Ice.txt": "',
  )
})

test('reports every mistake of every definition, with a suggestion', async () => {
  const catalog = sample()
  const [definition] = catalog.pipelines
  const [action] = catalog.actions
  if (definition === undefined || action === undefined) throw new Error('the sample has both')
  const manifest = { ...action.manifest, requires: ['shell' as const], packages: ['a; rm -rf /'] }
  const { mistakes } = await planWorkers(
    {
      ...catalog,
      actions: [...catalog.actions.slice(1), { ...action, manifest }],
      pipelines: [definition, { ...definition, name: 'P_OTHER_ONE', actions: ['A_SHOUT_TEXTS'] }],
      flows: [
        { entry: flow({ pipeline: 'P_GONE' }), folder: '/nowhere', feedLists: [] },
        {
          entry: flow({ name: 'F_NO_FILE', source: { type: 'file', path: 'x' } }),
          folder: '/nowhere',
          feedLists: [],
        },
      ],
      unreadable: [{ subject: 'A_BROKEN_ONE', reason: 'is no JSON' }],
    },
    NO_RESOURCES,
  )
  expect(mistakes).toEqual([
    { subject: 'A_BROKEN_ONE', reason: 'is no JSON' },
    { subject: manifest.name, reason: expect.stringContaining('name of a Debian package') },
    { subject: 'P_OTHER_ONE', reason: expect.stringContaining('did you mean A_SHOUT_TEXT?') },
    { subject: 'F_NO_FILE', reason: 'x does not exist' },
    {
      subject: 'F_TEST_FLOW',
      reason: expect.stringContaining('calls P_GONE, which does not exist'),
    },
  ])
})

test.each([
  [{ destination: { type: 'notify', kind: 'error' } }, 'its destination is notify'],
  [{ destination: { type: 'git', repository: 'notes' } }, 'its destination is git'],
  [{ source: { type: 'folder', path: 'inbox' } }, 'its source is folder'],
  [{ source: { type: 'command', command: ['ls'] } }, 'a worker cannot start programs'],
])('a flow that needs this machine is skipped with the reason: %j', async (ends, reason) => {
  const catalog = sample()
  const folder = catalog.flows[0]?.folder ?? ''
  const entry = flow(ends)
  const plan = await planWorkers(
    { ...catalog, flows: [{ entry, folder, feedLists: [] }] },
    NO_RESOURCES,
  )
  expect(plan.mistakes).toEqual([])
  expect(plan.workers.some(({ primitive }) => primitive === 'flow')).toBe(false)
  expect(plan.skipped).toEqual([{ name: 'F_TEST_FLOW', reason: expect.stringContaining(reason) }])
})

test('an action that is a program is skipped, and so is everything that calls it', async () => {
  const catalog = sample()
  const actions = catalog.actions.map((action) => ({
    ...action,
    isProgram: action.manifest.name === 'A_SHOUT_TEXT',
  }))
  const plan = await planWorkers({ ...catalog, actions }, NO_RESOURCES)
  expect(plan.mistakes).toEqual([])
  expect(plan.skipped.slice(0, 2)).toEqual([
    { name: 'A_SHOUT_TEXT', reason: 'it is a program, which runs on your machine only' },
    { name: 'P_SHOUT_LOUD', reason: 'it calls A_SHOUT_TEXT, which runs on your machine only' },
  ])
})

test('a flow whose files are too large for a worker is skipped with the reason', async () => {
  const catalog = sample()
  const folder = catalog.flows[0]?.folder ?? ''
  writeFiles(folder, { 'big.txt': 'x'.repeat(1024 * 1024 + 1) })
  const entry = flow({ source: { type: 'file', path: 'big.txt' } })
  const plan = await planWorkers(
    { ...catalog, flows: [{ entry, folder, feedLists: [] }] },
    NO_RESOURCES,
  )
  expect(plan.mistakes).toEqual([])
  expect(plan.skipped).toEqual([
    { name: 'F_TEST_FLOW', reason: expect.stringContaining('big.txt is more than') },
  ])
})

test('the first list of feeds with entries is used; an empty one gives a warning', async () => {
  const catalog = sample()
  const folder = catalog.flows[0]?.folder ?? ''
  writeFiles(folder, {
    'empty.json': '[]',
    'own.json': '[{"url":"https://example.net/own.xml"}]',
    'wrong.json': '[{"url":"ftp://example.net"}]',
  })
  const planWith = (...names: string[]) => {
    const feedLists = names.map((name) => join(folder, name))
    const flows = catalog.flows.map((one) => ({ ...one, feedLists }))
    return planWorkers({ ...catalog, flows }, NO_RESOURCES)
  }
  const own = await planWith('gone.json', 'empty.json', 'own.json', 'feeds.json')
  expect(own.workers.find(({ name }) => name === 'F_FEEDS_POLLER')?.entry).toContain('own.xml')
  expect(own.doubts).toEqual([])
  const none = await planWith('gone.json')
  expect(none.mistakes).toEqual([])
  expect(none.doubts).toEqual([
    { subject: 'F_FEEDS_POLLER', reason: 'it has no feeds yet: list some in feeds.json' },
  ])
  expect((await planWith('wrong.json')).mistakes).toEqual([
    { subject: 'F_FEEDS_POLLER', reason: expect.stringContaining('must be an http or https URL') },
  ])
})

test('the version of a pipeline changes with the code of its actions', async () => {
  const catalog = sample()
  const versionIn = async (actions: EdgeCatalog['actions']) =>
    (await planned({ ...catalog, actions })).get('P_SHOUT_LOUD')?.configuration.vars
      ?.PIPELINE_VERSION
  const before = await versionIn(catalog.actions)
  expect(before).toMatch(/^[0-9a-f]{32}$/)
  expect(await versionIn(catalog.actions)).toBe(before)
  const edited = catalog.actions.map((action) =>
    action.manifest.name === 'A_SHOUT_TEXT' ? { ...action, hash: 'edited' } : action,
  )
  expect(await versionIn(edited)).not.toBe(before)
})

test('a flow with several ends is bound to what all of them need', async () => {
  const plan = await planOf({
    source: undefined,
    sources: [
      { type: 'rss', url: 'https://example.org/feed.xml' },
      { type: 'api', url: 'https://example.org/', headers: { key: '${READ_KEY}' } },
    ],
    destination: undefined,
    destinations: [
      { type: 'email', address: 'me@example.org' },
      { type: 'database' },
      { type: 'file', path: 'out.md' },
      { type: 'queue', queue: 'papers' },
      { type: 'api', url: 'https://example.org/', headers: { key: '${WRITE_KEY}' } },
    ],
  })
  expect(plan.secrets).toEqual(['AUTH_TOKEN', 'READ_KEY', 'WRITE_KEY'])
  expect(plan.configuration).toMatchObject({
    services: [{ binding: 'P_SHOUT_LOUD' }, { binding: 'A_SEND_EMAIL' }],
    queues: { producers: [{ queue: 'papers' }] },
    d1_databases: [{ binding: 'ITEMS_DB' }, { binding: 'FLOW_DB' }],
    r2_buckets: [{ binding: 'FLOW_FILES' }],
  })
})
