import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { copyBuiltWorkers } from './built-workers.ts'
import { D1_ID, type DeployBench, KV_ID, openDeployBench } from './deploy-fixture.ts'

let bench: DeployBench
beforeAll(async () => {
  bench = await openDeployBench()
})
afterAll(() => bench.close())

/** Every part of the library that needs no container, in the order of deployment. */
const ORDER = [
  'a-ask-model',
  'a-extract-article',
  'a-format-markdown',
  'a-label-and-rate',
  'a-refine-summary',
  'a-score-summary',
  'a-send-email',
  'a-summarize',
  'p-article-digest',
  'p-feed-item',
  'p-refine-summary',
  'p-summarize-article',
  'f-feeds-poller',
  'f-feeds-processor',
  'f-sample-digest',
  'f-sample-refine',
]
const MODEL_ACTIONS = ['a-ask-model', 'a-label-and-rate', 'a-refine-summary', 'a-summarize']

const service = (name: string) => ({
  type: 'service',
  name,
  service: `exec-${name.toLowerCase().replaceAll('_', '-')}`,
})
const kv = (name: string) => ({ type: 'kv_namespace', name, namespace_id: KV_ID })
const d1 = (name: string) => ({ type: 'd1', name, id: D1_ID })
/** Its text is the hash of a pipeline and its actions. */
const VERSION = { type: 'plain_text', name: 'PIPELINE_VERSION', text: 'a hash' }
const FILES = { type: 'r2_bucket', name: 'FLOW_FILES', bucket_name: 'steward-flow-files' }

/** The expected bindings of each upload that has any. */
const BINDINGS: Record<string, object[]> = {
  'p-article-digest': [
    service('A_EXTRACT_ARTICLE'),
    service('A_SUMMARIZE'),
    service('A_LABEL_AND_RATE'),
    service('A_FORMAT_MARKDOWN'),
    d1('ITEMS_DB'),
    VERSION,
  ],
  'p-feed-item': [
    service('A_EXTRACT_ARTICLE'),
    service('A_LABEL_AND_RATE'),
    d1('ITEMS_DB'),
    VERSION,
  ],
  'p-refine-summary': [
    service('A_REFINE_SUMMARY'),
    service('A_SCORE_SUMMARY'),
    service('A_FORMAT_MARKDOWN'),
    d1('ITEMS_DB'),
    VERSION,
  ],
  'p-summarize-article': [
    service('A_EXTRACT_ARTICLE'),
    service('A_SUMMARIZE'),
    service('A_FORMAT_MARKDOWN'),
    d1('ITEMS_DB'),
    VERSION,
  ],
  'f-feeds-poller': [
    kv('SEEN_ITEMS'),
    kv('FLOW_STATE'),
    d1('ITEMS_DB'),
    { type: 'queue', name: 'FEED_ITEMS', queue_name: 'feed-items' },
  ],
  'f-feeds-processor': [
    service('P_FEED_ITEM'),
    kv('FLOW_STATE'),
    d1('FEEDS_DB'),
    d1('FLOW_DB'),
    d1('ITEMS_DB'),
    { type: 'queue', name: 'FEED_ITEMS', queue_name: 'feed-items' },
  ],
  'f-sample-digest': [
    service('P_ARTICLE_DIGEST'),
    kv('SEEN_ITEMS'),
    kv('FLOW_STATE'),
    d1('ITEMS_DB'),
    FILES,
  ],
  'f-sample-refine': [
    service('P_REFINE_SUMMARY'),
    kv('SEEN_ITEMS'),
    kv('FLOW_STATE'),
    d1('ITEMS_DB'),
    FILES,
  ],
}

const CRONS: Record<string, string[]> = {
  'f-feeds-poller': ['*/5 * * * *'],
  'f-sample-digest': ['0 * * * *'],
  'f-sample-refine': ['0 0 * * *'],
}

const report = z.object({
  missingSecrets: z.array(z.object({ worker: z.string(), missing: z.array(z.string()) })),
})

const byName = (bindings: readonly object[]): string[] =>
  bindings.map((binding) => JSON.stringify(Object.entries(binding).toSorted())).toSorted()

const build = () => bench.run(['edge', 'build'])
const WITHOUT = ['deploy', '--all', '--without-containers']
/** Simulates a missing container engine. */
const noEngine = () => ({ env: { WRANGLER_DOCKER_BIN: join(bench.cli.files, 'no-docker') } })

it('builds the whole library; reports what the account lacks, and what needs a container engine', async () => {
  const { platform, cli } = bench
  const { state } = platform
  expect(await copyBuiltWorkers(cli)).toMatch(/19 built, 0 unchanged/)
  expect((await build()).stdout).toMatch(/0 built, 19 unchanged/)

  const refused = await bench.run(['deploy', '--all'])
  expect(refused.code).toBe(5)
  for (const command of [
    'kv namespace create steward-seen-items',
    'kv namespace create steward-flow-state',
    'd1 create steward-feeds',
    'd1 create steward-flows',
    'd1 create steward-items',
    'r2 bucket create steward-flow-files',
    'queues create feed-items',
    'queues create feed-items-dead',
  ]) {
    expect(refused.stderr).toContain(`\`npx wrangler ${command}\``)
  }
  expect(state.uploads).toEqual([])

  const resources = {
    kv: { SEEN_ITEMS: KV_ID, FLOW_STATE: KV_ID },
    d1: { FEEDS_DB: D1_ID, FLOW_DB: D1_ID, ITEMS_DB: D1_ID },
  }
  cli.write('settings.json', JSON.stringify({ edge: { resources } }))
  state.kv.add(KV_ID)
  state.d1.add(D1_ID)
  state.r2.add('steward-flow-files')
  platform.addQueue('feed-items')
  platform.addQueue('feed-items-dead')
  expect((await build()).code).toBe(0)

  const engineless = await bench.run(['deploy', '--all', '--json'], noEngine())
  expect(JSON.parse(engineless.stdout)).toMatchObject({
    success: false,
    problems: [
      {
        code: 'command_missing',
        error: expect.stringMatching(
          /exec-a-extract-transcript, exec-a-transcribe-audio run in a container.*--without-containers/,
        ),
      },
    ],
  })
  expect(state.uploads).toEqual([])
})

it('deploys the rest in order, exactly as built, and asks for its secrets', async () => {
  const { cli } = bench
  const { state } = bench.platform
  const deployed = await bench.run([...WITHOUT, '--json'], noEngine())
  expect(deployed.stderr).not.toMatch(/error/)
  expect(deployed.code).toBe(0)
  expect(deployed.stderr.match(/^left out: .*$/gm)?.toSorted()).toEqual([
    'left out: exec-a-extract-transcript runs in a container',
    'left out: exec-a-transcribe-audio runs in a container',
    'left out: exec-p-label-and-rate binds to exec-a-extract-transcript',
  ])
  expect(state.uploads).toEqual(ORDER.map((short) => `exec-${short}`))

  for (const short of ORDER) {
    const script = state.scripts.get(`exec-${short}`)
    const bindings = (script?.metadata.bindings ?? []).map((binding) => {
      const isHash = binding.type === 'plain_text' && /^[0-9a-f]{32}$/.test(String(binding.text))
      return isHash ? { ...binding, text: 'a hash' } : binding
    })
    expect({ short, bindings: byName(bindings) }).toEqual({
      short,
      bindings: byName(BINDINGS[short] ?? []),
    })
    expect({ short, crons: script?.crons }).toEqual({ short, crons: CRONS[short] ?? [] })
    expect(script?.metadata).toMatchObject({
      main_module: 'index.js',
      compatibility_flags: [
        'nodejs_compat',
        'nodejs_compat_do_not_populate_process_env',
        'disallow_importable_env',
      ],
      observability: { enabled: true },
      ...(MODEL_ACTIONS.includes(short) ? { placement: { mode: 'smart' } } : {}),
    })
    expect(script?.onSubdomain).toBe(true)
    const built = readFileSync(join(cli.files, 'workers', short, 'index.js'), 'utf8')
    expect(script?.modules['index.js'] === built).toBe(true)
  }
  expect(state.queues.get('feed-items')?.consumers).toMatchObject([
    {
      script_name: 'exec-f-feeds-processor',
      dead_letter_queue: 'feed-items-dead',
      settings: { batch_size: 10, max_retries: 10, max_wait_time_ms: 5000 },
    },
  ])
  expect(state.queues.get('feed-items-dead')?.consumers).toEqual([])
  expect(state.unexpected).toEqual([])

  const lacking = new Map(
    report
      .parse(JSON.parse(deployed.stdout))
      .missingSecrets.map(({ worker, missing }) => [worker, missing]),
  )
  expect([...lacking.keys()].toSorted()).toEqual(ORDER.map((short) => `exec-${short}`).toSorted())
  for (const short of MODEL_ACTIONS) {
    expect(lacking.get(`exec-${short}`)).toEqual(['AUTH_TOKEN', 'LLM_API_KEY'])
  }
  expect(lacking.get('exec-f-feeds-processor')).toEqual(['AUTH_TOKEN'])

  const key = await bench.run(['secrets', 'set', 'LLM_API_KEY', '--all'], { stdin: 'sk-1\n' })
  expect(key.code).toBe(0)
  const holders = [...state.scripts.values()].filter(({ secrets }) => 'LLM_API_KEY' in secrets)
  expect(holders.map(({ name }) => name)).toEqual(MODEL_ACTIONS.map((short) => `exec-${short}`))

  const again = await bench.run(WITHOUT, noEngine())
  expect(again.stdout).toMatch(/0 deployed, 16 unchanged/)
})
