import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DeployBench, openDeployBench } from './deploy-fixture.ts'

let bench: DeployBench
beforeAll(async () => {
  bench = await openDeployBench()
  bench.cli.write('settings.json', JSON.stringify({ edge: { relay: true } }))
})
afterAll(() => bench.close())

it('deploys the relay with its durable object and its page, and deletes it', async () => {
  const { platform, run } = bench
  const built = await run(['edge', 'build', '--only', 'RELAY'])
  expect(built.code, built.stderr).toBe(0)
  const deployed = await run(['deploy', 'relay', '--json'])
  expect(deployed.code, deployed.stderr).toBe(0)
  expect(JSON.parse(deployed.stdout)).toMatchObject({
    success: true,
    workers: [{ worker: 'exec-relay' }],
    missingSecrets: [{ worker: 'exec-relay', missing: ['AUTH_TOKEN'] }],
  })
  expect([...platform.state.scripts.keys()]).toEqual(['exec-relay'])
  const gone = await run(['undeploy', 'relay', '--yes'])
  expect(gone.code, gone.stderr).toBe(0)
  expect([...platform.state.scripts.keys()]).toEqual([])
})
