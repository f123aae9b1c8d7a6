import { afterAll, beforeAll, expect, it } from 'vitest'
import { D1_ID, type DeployBench, KV_ID, openDeployBench } from './deploy-fixture.ts'

let bench: DeployBench
beforeAll(async () => {
  bench = await openDeployBench()
})
afterAll(() => bench.close())

const CHAIN = [
  'a-extract-article',
  'a-label-and-rate',
  'p-feed-item',
  'f-feeds-poller',
  'f-feeds-processor',
]

it('builds the feed flows of the library and deploys them as they were built', async () => {
  const { platform, cli } = bench
  const names = CHAIN.map((short) => short.toUpperCase().replaceAll('-', '_'))
  const build = () => bench.run(['edge', 'build', '--only', ...names])
  expect((await build()).code).toBe(0)

  const refused = await bench.run(['deploy', '--all'])
  expect(refused.code).toBe(5)
  for (const command of [
    'kv namespace create SEEN_ITEMS',
    'kv namespace create FLOW_STATE',
    'd1 create steward-feeds',
    'd1 create steward-flows',
    'queues create feed-items',
    'queues create feed-items-dead',
  ]) {
    expect(refused.stderr).toContain(`\`npx wrangler ${command}\``)
  }
  expect(platform.state.uploads).toEqual([])

  const resources = {
    kv: { SEEN_ITEMS: KV_ID, FLOW_STATE: KV_ID },
    d1: { FEEDS_DB: D1_ID, FLOW_DB: D1_ID },
  }
  cli.write('settings.json', JSON.stringify({ edge: { resources } }))
  platform.state.kv.add(KV_ID)
  platform.state.d1.add(D1_ID)
  platform.addQueue('feed-items')
  platform.addQueue('feed-items-dead')
  expect((await build()).code).toBe(0)

  const deployed = await bench.run(['deploy', '--all', '--json'])
  expect(deployed.stderr).not.toMatch(/error/)
  expect(deployed.code).toBe(0)
  expect(platform.state.uploads).toEqual(CHAIN.map((short) => `exec-${short}`))
  expect(platform.state.scripts.get('exec-f-feeds-poller')?.crons).toEqual(['*/5 * * * *'])
  expect(platform.state.queues.get('feed-items')?.consumers).toMatchObject([
    { script_name: 'exec-f-feeds-processor', dead_letter_queue: 'feed-items-dead' },
  ])
  expect(JSON.parse(deployed.stdout).missingSecrets).toContainEqual({
    worker: 'exec-a-label-and-rate',
    missing: ['AUTH_TOKEN', 'LLM_API_KEY'],
  })
  expect(platform.state.unexpected).toEqual([])

  expect((await build()).stdout).toMatch(/0 built, 5 unchanged/)
  const again = await bench.run(['deploy', '--all'])
  expect(again.stdout).toMatch(/0 deployed, 5 unchanged/)
})
