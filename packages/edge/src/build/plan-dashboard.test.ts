import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkNames } from '../deploy/check-workers.ts'
import { selectWorkers } from '../deploy/choose-workers.ts'
import { orderWorkers } from '../deploy/plan-deploy.ts'
import { readWorkersToDeploy } from '../deploy/worker-to-deploy.ts'
import { readWorkerDirectories } from '../local/worker-directory.ts'
import { buildWorkers } from './build-workers.ts'
import { NO_RESOURCES } from './resources.ts'
import { temporaryFolder } from './testing/write-files.ts'

const NOTHING = { actions: [], pipelines: [], flows: [], unreadable: [] }

test('is built only if its namespace is configured, and run and deployed like any other', async () => {
  const out = temporaryFolder()
  const build = (kv: Record<string, string>) =>
    buildWorkers({
      catalog: NOTHING,
      resources: { ...NO_RESOURCES, kv },
      out,
    })
  expect(await build({})).toMatchObject({ ok: true, report: { workers: [] } })
  expect(await build({ DASHBOARD: 'abc123' })).toMatchObject({
    report: { workers: [{ name: 'DASHBOARD', worker: 'exec-dashboard', status: 'built' }] },
  })
  expect(readFileSync(join(out, 'dashboard/wrangler.jsonc'), 'utf8')).toContain('"id": "abc123"')

  const local = await readWorkerDirectories(out)
  expect(local.problems).toEqual([])
  expect(local.workers).toMatchObject([
    { name: 'DASHBOARD', worker: 'exec-dashboard', secrets: ['AUTH_TOKEN'], tier: 'isolate' },
  ])

  const deployable = await readWorkersToDeploy(out)
  expect(orderWorkers(deployable)).toHaveLength(1)
  for (const word of ['dashboard', 'exec-dashboard', 'DASHBOARD']) {
    expect(selectWorkers(deployable, [word])).toHaveLength(1)
  }
  expect(deployable.flatMap((worker) => checkNames(worker, undefined))).toEqual([])

  expect(await build({})).toMatchObject({ report: { workers: [], removed: ['dashboard'] } })
})
