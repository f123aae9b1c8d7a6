import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DeployLedger, openDeployLedger } from '@steward/platform'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { placeholderId } from '../build/resources.ts'
import { leaveOutContainers, selectWorkers, withCalledWorkers } from './choose-workers.ts'
import { planDeploy } from './plan-deploy.ts'
import type { PlatformApi } from './platform-api.ts'
import { apiOf } from './testing/api-of.ts'
import {
  type PlatformStandIn,
  STAND_IN_ACCOUNT,
  startPlatformStandIn,
} from './testing/platform-stand-in.ts'
import { addScript } from './testing/platform-state.ts'
import { readWorkersToDeploy } from './worker-to-deploy.ts'

let folder: string
let platform: PlatformStandIn
let api: PlatformApi
let databases: string
let ledger: DeployLedger
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steward-deploy-'))
  platform = await startPlatformStandIn()
  api = apiOf(platform)
  databases = await mkdtemp(join(tmpdir(), 'steward-deploy-state-'))
  ledger = openDeployLedger({ databases })
})
afterEach(async () => {
  await platform.close()
  await rm(folder, { recursive: true, force: true })
  await rm(databases, { recursive: true, force: true })
})

const PRIMITIVES = { A: 'action', P: 'pipeline', F: 'flow' }

const write = async (name: string, more: Record<string, unknown> = {}, short?: string) => {
  const kebab = name.toLowerCase().replaceAll('_', '-')
  const directory = join(folder, short ?? kebab)
  await mkdir(directory, { recursive: true })
  const facts = {
    generator: 'steward',
    version: '5.0.0',
    name,
    worker: `exec-${kebab}`,
    primitive: Object.entries(PRIMITIVES).find(([letter]) => name.startsWith(letter))?.[1],
    tier: 'isolate',
    secrets: [],
    optionalSecrets: [],
    network: false,
    inputHash: '',
    files: {},
  }
  const configuration = { name: `exec-${kebab}`, main: 'index.js', ...more }
  await writeFile(join(directory, 'wrangler.jsonc'), `// c\n${JSON.stringify(configuration)}`)
  await writeFile(join(directory, 'index.js'), 'export default {}')
  await writeFile(join(directory, 'steward.json'), JSON.stringify(facts))
  return directory
}

const serviceTo = (...services: string[]) => ({
  services: services.map((service) => ({ binding: 'X', service })),
})

const plan = async (words?: string[], force = false) => {
  const built = await readWorkersToDeploy(folder)
  const chosen = words === undefined ? built : selectWorkers(built, words)
  return planDeploy(api, ledger, chosen, { force, hasContainerEngine: async () => false })
}

it('deploys a flow whose webhooks arrive through the inbox with the inbox', async () => {
  await write('P_COUNT_ALL')
  await write('F_COUNT_HOOKED', serviceTo('exec-p-count-all'))
  await write('F_COUNT_OTHER')
  const inbox = await write('WEBHOOK_INBOX')
  const facts = JSON.parse(await readFile(join(inbox, 'steward.json'), 'utf8'))
  const serving = { ...facts, primitive: 'inbox', serves: ['F_COUNT_HOOKED'] }
  await writeFile(join(inbox, 'steward.json'), JSON.stringify(serving))
  const built = await readWorkersToDeploy(folder)
  const shortsFor = (word: string) =>
    withCalledWorkers(built, selectWorkers(built, [word])).map(({ short }) => short)
  const all = ['f-count-hooked', 'p-count-all', 'webhook-inbox']
  expect(shortsFor('f-count-hooked').toSorted()).toEqual(all)
  expect(shortsFor('f-count-other')).toEqual(['f-count-other'])
})

const deployed = (name: string, version: string) =>
  addScript(platform.state, name, { versions: [version], deployments: [version] })

const remember = async (short: string, version: string, name = `exec-${short}`) => {
  const worker = (await readWorkersToDeploy(folder)).find((each) => each.short === short)
  await ledger.append({
    time: new Date(0).toISOString(),
    account: STAND_IN_ACCOUNT,
    short,
    worker: name,
    hash: worker?.hash ?? '',
    version,
    previousVersion: null,
    url: null,
  })
}

const reasons = ({ steps }: Awaited<ReturnType<typeof plan>>) =>
  steps.map(({ worker, reason }) => [worker.short, reason])

const messages = ({ problems }: Awaited<ReturnType<typeof plan>>) =>
  problems.map(({ message }) => message)

describe('planDeploy', () => {
  it('puts actions before pipelines before flows, whatever their names', async () => {
    await write('F_AB_CD', serviceTo('exec-p-bc-de'))
    await write('P_BC_DE', serviceTo('exec-a-zap-it'))
    await write('A_ZAP_IT')
    await write('A_ADD_IT')
    const planned = await plan()
    expect(planned.problems).toEqual([])
    expect(reasons(planned)).toEqual([
      ['a-add-it', 'new'],
      ['a-zap-it', 'new'],
      ['p-bc-de', 'new'],
      ['f-ab-cd', 'new'],
    ])
  })

  it('refuses a binding whose target is neither deployed nor included, with a suggestion', async () => {
    await write('P_BC_DE', serviceTo('exec-a-zap-it', 'exec-a-gone-now'))
    deployed('exec-a-zap-its', '1')
    const planned = await plan()
    expect(planned.problems.map(({ code }) => code)).toEqual(['binding_missing', 'binding_missing'])
    expect(messages(planned)[0]).toBe(
      'binding error: exec-p-bc-de binds X to exec-a-zap-it, which is not deployed (did you mean exec-a-zap-its?): deploy a-zap-it first, or together with it',
    )
    deployed('exec-a-zap-it', '1')
    deployed('exec-a-gone-now', '1')
    expect(messages(await plan())).toEqual([])
  })

  it('refuses names that differ between configuration, definition and the last deploy', async () => {
    await write('A_ZAP_IT', { name: 'exec-a-zap' })
    await write('A_ADD_IT', {}, 'a-add-them')
    await write('A_CUT_IT')
    await remember('a-cut-it', '1', 'exec-a-cut')
    const found = messages(await plan())
    expect(found[0]).toMatch(/the worker is exec-a-add-them, but .*exec-a-add-it and .*A_ADD_IT/)
    expect(found[1]).toMatch(/it was deployed as exec-a-cut; callers would get worker not found/)
    expect(found[2]).toMatch(/wrangler.jsonc names it exec-a-zap/)
  })

  it('refuses missing resources, with the command for each, once', async () => {
    const kv = [{ binding: 'SEEN_ITEMS', id: placeholderId('SEEN_ITEMS') }]
    await write('F_AB_CD', {
      kv_namespaces: kv,
      d1_databases: [
        { binding: 'FLOW_DB', database_name: 'steward', database_id: placeholderId('FLOW_DB') },
      ],
      queues: {
        producers: [{ binding: 'Q', queue: 'one' }],
        consumers: [{ queue: 'two', dead_letter_queue: 'dead' }],
      },
    })
    await write('F_EF_GH', {
      kv_namespaces: kv,
      r2_buckets: [
        { binding: 'FLOW_FILES', bucket_name: 'files' },
        { binding: 'MORE', bucket_name: 'there' },
      ],
    })
    platform.state.r2.add('there')
    platform.addQueue('two')
    const found = (await plan()).missing.map(({ problem }) => problem.message)
    expect(found).toHaveLength(5)
    expect(found.join('\n')).toMatch(
      /steward deploy --yes.*wrangler kv namespace create steward-seen-items`\n.*d1 create steward`.*\n.*queues create one`\n.*queues create dead`\n.*r2 bucket create files`$/,
    )
  })

  it('skips only unchanged workers', async () => {
    await write('A_SAME_YET')
    await write('A_DIFFER_NOW')
    await write('A_ROLL_BACK')
    await write('A_GONE_THERE')
    for (const short of ['a-same-yet', 'a-differ-now', 'a-roll-back', 'a-gone-there']) {
      await remember(short, 'v1')
      deployed(`exec-${short}`, 'v1')
    }
    await writeFile(join(folder, 'a-differ-now/index.js'), 'export default { fetch: 1 }')
    deployed('exec-a-roll-back', 'v0')
    platform.state.scripts.delete('exec-a-gone-there')
    expect(reasons(await plan())).toEqual([
      ['a-differ-now', 'changed'],
      ['a-gone-there', 'new'],
      ['a-roll-back', 'changed elsewhere'],
      ['a-same-yet', 'unchanged'],
    ])
    expect(reasons(await plan(['A_SAME_YET'], true))).toEqual([['a-same-yet', 'forced']])
  })

  it('counts uploaded files as a change, and not leftovers of wrangler', async () => {
    const directory = await write('A_SAME_YET')
    await remember('a-same-yet', 'v1')
    deployed('exec-a-same-yet', 'v1')
    await mkdir(join(directory, '.wrangler/tmp'), { recursive: true })
    await writeFile(join(directory, '.wrangler/tmp/x.js'), 'x')
    expect(reasons(await plan())).toEqual([['a-same-yet', 'unchanged']])
    await writeFile(join(directory, 'Dockerfile'), 'FROM x')
    expect(reasons(await plan())).toEqual([['a-same-yet', 'changed']])
  })

  it('continues past a truncated line of the ledger, with a note', async () => {
    await write('A_SAME_YET')
    await mkdir(join(databases, 'edge'))
    await writeFile(join(databases, 'edge/deploys.jsonl'), '{"time":"2026-')
    const { notes } = await plan()
    expect(notes).toEqual(['line 1 of the deploy ledger cannot be read and was skipped'])
  })
})

describe('workers in containers', () => {
  const containers = [{ class_name: 'ActionContainer', image: './Dockerfile' }]

  it('are refused if no image can be built, and can be left out with everything that binds to them', async () => {
    await write('A_RUN_SHELL', { containers })
    await write('A_ZAP_IT')
    await write('P_BC_DE', serviceTo('exec-a-zap-it', 'exec-a-run-shell'))
    await write('P_EF_GH', serviceTo('exec-a-zap-it'))
    await write('F_AB_CD', serviceTo('exec-p-bc-de'))
    expect(messages(await plan())[0]).toMatch(/exec-a-run-shell runs .*--without-containers/)
    const { kept, left } = leaveOutContainers(await readWorkersToDeploy(folder))
    expect(kept.map(({ short }) => short)).toEqual(['a-zap-it', 'p-ef-gh'])
    expect(left).toEqual([
      { worker: 'exec-a-run-shell', reason: 'runs in a container' },
      { worker: 'exec-p-bc-de', reason: 'binds to exec-a-run-shell' },
      { worker: 'exec-f-ab-cd', reason: 'binds to exec-p-bc-de' },
    ])
  })
})

describe('selectWorkers', () => {
  it('accepts every spelling of a worker, with suggestions', async () => {
    await write('A_ZAP_IT')
    const built = await readWorkersToDeploy(folder)
    for (const word of ['a-zap-it', 'exec-a-zap-it', 'A_ZAP_IT']) {
      expect(selectWorkers(built, [word, word]).map(({ short }) => short)).toEqual(['a-zap-it'])
    }
    expect(() => selectWorkers(built, ['a-zap-at'])).toThrow(/did you mean a-zap-it\?/)
  })
})

describe('readWorkersToDeploy', () => {
  it('refuses a directory that was not built', async () => {
    const directory = await write('A_ZAP_IT')
    await rm(join(directory, 'steward.json'))
    await expect(readWorkersToDeploy(folder)).rejects.toThrow(
      /steward.json is missing or was written by another version/,
    )
  })

  it('says how to create the missing folder', async () => {
    await expect(readWorkersToDeploy(join(folder, 'none'))).rejects.toThrow(/steward edge build/)
  })
})
