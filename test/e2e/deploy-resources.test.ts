import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type DeployBench,
  openDeployBench,
  writeSampleWorkers,
  writeWorker,
} from './deploy-fixture.ts'
import { runInTerminal } from './terminal.ts'

const WORKERS = [
  'exec-a-count-words',
  'exec-a-label-text',
  'exec-p-count-label',
  'exec-f-feeds-count',
]

let bench: DeployBench
beforeAll(async () => {
  bench = await openDeployBench()
  writeSampleWorkers(bench.cli)
  const queues = {
    producers: [{ binding: 'FEED_ITEMS', queue: 'feed-items' }],
    consumers: [{ queue: 'feed-items', dead_letter_queue: 'feed-items-dead' }],
  }
  writeWorker(bench.cli, 'F_FEEDS_COUNT', {
    configuration: {
      services: [{ binding: 'P_COUNT_LABEL', service: 'exec-p-count-label' }],
      kv_namespaces: [{ binding: 'FLOW_STATE', id: 'not-created-yet-flow-state' }],
      d1_databases: [
        {
          binding: 'ITEMS_DB',
          database_name: 'steward-items',
          database_id: 'not-created-yet-items-db',
        },
      ],
      queues,
    },
  })
})
afterAll(() => bench.close())

const ledger = (): Record<string, unknown>[] =>
  readFileSync(join(bench.cli.home, 'state/edge/deploys.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const resources = () => {
  const { kv, d1, queues, names } = bench.platform.state
  return [...kv, ...d1].map((id) => names.get(id)).concat([...queues.keys()])
}

it('creates what a flow needs with consent, deploys it with what it calls, and only once', async () => {
  const { state } = bench.platform
  const refused = await bench.run(['deploy', 'f-feeds-count'])
  expect(refused.code).toBe(5)
  expect(refused.stderr).toMatch(/D1 database steward-items \(ITEMS_DB\) does not exist yet/)
  expect(refused.stderr).toMatch(/steward deploy --yes.*npx wrangler queues create feed-items`/)
  expect(resources()).toEqual([])

  const { env } = bench
  const declined = await runInTerminal(bench.cli, ['deploy', 'f-feeds-count'], { env, answer: '' })
  expect(declined.text).toMatch(/missing: D1 database steward-items\s/)
  expect(declined.text).toMatch(/Create them in your account\? \[y\/N\][\s\S]*nothing was uploaded/)
  expect(declined.code).toBe(5)
  expect([resources(), state.uploads]).toEqual([[], []])

  const first = await bench.run(['deploy', 'f-feeds-count', '--yes'])
  expect(first.stderr).toMatch(/created: KV namespace steward-flow-state\n/)
  expect(first.code).toBe(0)
  expect(state.uploads).toEqual(WORKERS)
  const made = ['steward-flow-state', 'steward-items', 'feed-items', 'feed-items-dead']
  expect(resources()).toEqual(made)
  expect(state.scripts.get('exec-f-feeds-count')?.metadata.bindings).toEqual(
    expect.arrayContaining([
      { type: 'kv_namespace', name: 'FLOW_STATE', namespace_id: [...state.kv][0] },
      { type: 'd1', name: 'ITEMS_DB', id: [...state.d1][0] },
    ]),
  )
  // The directories stay as they were built: the local edge uses them, too.
  const built = readFileSync(join(bench.cli.files, 'workers/f-feeds-count/wrangler.jsonc'), 'utf8')
  expect(built).toContain('not-created-yet-items-db')
  expect(ledger()).toContainEqual(
    expect.objectContaining({
      resource: { kind: 'd1', name: 'steward-items', id: [...state.d1][0] },
    }),
  )

  writeWorker(bench.cli, 'A_LABEL_TEXT', { code: 'export default { fetch: () => 2 }\n' })
  const second = await bench.run(['deploy', 'f-feeds-count'])
  expect(second.stdout).toMatch(/1 deployed, 3 unchanged/)
  expect(state.uploads.slice(4)).toEqual(['exec-a-label-text'])
  expect(resources()).toEqual(made)
  expect(state.unexpected).toEqual([])
})

it('undeploys with confirmation, not what others call, and the data only on request', async () => {
  const { state } = bench.platform
  const called = await bench.run(['undeploy', 'p-count-label', '--yes'])
  expect(called.stderr).toMatch(/exec-f-feeds-count calls exec-p-count-label; undeploy these, too/)
  const unasked = await bench.run(['undeploy', '--all', '--resources'])
  expect(unasked.stderr).toMatch(/D1 database steward-items WITH ALL DATA IN IT/)
  expect(unasked.stderr).toMatch(/nothing was changed: confirmation needs a terminal/)
  expect(unasked.code).toBe(1)
  expect(state.scripts.size).toBe(4)

  const undeploy = (answer: string) =>
    runInTerminal(bench.cli, ['undeploy', 'F_FEEDS_COUNT'], { env: bench.env, answer })
  const kept = await undeploy('no')
  expect(kept.text).toContain('Delete this? It cannot be undone. [y/N]')
  expect([kept.code, state.scripts.size]).toEqual([1, 4])
  const flow = await undeploy('y')
  expect(flow.text).toContain('1 worker and 0 resources deleted')
  expect(flow.code).toBe(0)
  expect([...state.scripts.keys()]).toEqual(WORKERS.slice(0, 3))
  const rest = await bench.run(['undeploy', '--all', '--resources', '--yes', '--json'])
  expect(JSON.parse(rest.stdout).workers).toEqual([
    'exec-p-count-label',
    'exec-a-count-words',
    'exec-a-label-text',
  ])
  expect(resources()).toEqual([])
  expect(state.scripts.size).toBe(0)
  expect((await bench.run(['undeploy', '--all', '--yes'])).stdout).toBe('nothing is deployed\n')

  const kv_namespaces = [{ binding: 'FLOW_STATE', id: 'not-created-yet-flow-state' }]
  writeWorker(bench.cli, 'A_COUNT_WORDS', { configuration: { kv_namespaces } })
  const again = await runInTerminal(bench.cli, ['deploy', 'a-count-words'], {
    env: bench.env,
    answer: 'y',
  })
  expect(again.text).toContain('created: KV namespace steward-flow-state')
  expect(again.code).toBe(0)
  expect(resources()).toEqual(['steward-flow-state'])
  expect(state.unexpected).toEqual([])
})
