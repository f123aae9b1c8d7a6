import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actionManifestV2, ERRORS, pipelineDefinition } from '@steward/contract'
import { detectSandbox } from '@steward/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildWorkers } from '../build/build-workers.ts'
import { NO_RESOURCES } from '../build/resources.ts'
import { systemClock } from './clock.ts'
import { type LocalEdge, startLocalEdge } from './local-edge.ts'
import { openEdgeQueues } from './queue-store.ts'
import { createSandboxRunner } from './sandbox-runner.ts'

const TOKEN = 'f00dfeed'.repeat(8)
const NAMES = ['A_SHOW_USER', 'P_SHOW_USER'] as const

const root = mkdtempSync(join(tmpdir(), 'steward-no-sandbox-'))
const queues = openEdgeQueues(join(root, 'queues.sqlite'), Date.now)
let edge: LocalEdge

beforeAll(async () => {
  const folder = join(root, 'A_SHOW_USER')
  const file = join(folder, 'action.mjs')
  const workersFolder = join(root, 'workers')
  mkdirSync(folder)
  const manifest = {
    name: 'A_SHOW_USER',
    description: 'Says who runs it.',
    input: {},
    output: { user: { type: 'string' } },
    requires: ['shell'],
  }
  writeFileSync(join(folder, 'action.json'), JSON.stringify(manifest))
  writeFileSync(file, 'export const execute = async () => ({ user: "never asked" })\n')
  const built = await buildWorkers({
    catalog: {
      actions: [
        { manifest: actionManifestV2.parse(manifest), folder, file, hash: '', isOwn: true },
      ],
      pipelines: [
        pipelineDefinition.parse({
          name: 'P_SHOW_USER',
          description: 'd',
          actions: ['A_SHOW_USER'],
        }),
      ],
      flows: [],
      unreadable: [],
    },
    resources: NO_RESOURCES,
    out: workersFolder,
  })
  if (!built.ok) throw new Error(JSON.stringify(built.mistakes))
  // Any free port each.
  const ports = { 'exec-a-show-user': 0, 'exec-p-show-user': 0 }
  edge = await startLocalEdge(
    {
      workersFolder,
      stateFolder: join(root, 'state'),
      basePort: 1,
      environment: { AUTH_TOKEN: TOKEN },
      vars: {},
      clock: systemClock,
      isVirtual: false,
    },
    {
      queueStore: queues.store,
      // A system without any sandbox.
      sandboxRunner: createSandboxRunner(() => detectSandbox({ platform: 'aix' }), root),
      ports: { read: async () => ({ basePort: 1, ports }), write: async () => undefined },
      log: () => undefined,
      warn: () => undefined,
      onLost: (error) => {
        throw error
      },
      onFired: () => undefined,
      onDelivered: () => undefined,
    },
  )
}, 120_000)

afterAll(async () => {
  await edge.stop()
  await queues.close()
  rmSync(root, { recursive: true, force: true })
})

const call = async (name: (typeof NAMES)[number], path: string, init: RequestInit = {}) => {
  const url = edge.addresses().find((each) => each.name === name)?.url
  const response = await fetch(`${url}${path}`, init)
  return { status: response.status, body: await response.json() }
}
const withToken = { method: 'POST', body: '{}', headers: { authorization: `Bearer ${TOKEN}` } }

test('an action that needs a sandbox reports that there is none, as in the table of errors', async () => {
  const reason = 'Steward has no sandbox for aix'
  expect(await call('A_SHOW_USER', '/', withToken)).toEqual({
    status: ERRORS.sandbox_unavailable.status,
    body: {
      success: false,
      code: 'sandbox_unavailable',
      error: `no sandbox for shell commands: ${reason}`,
    },
  })
})

test('the pipeline around it passes the error on, including code and status', async () => {
  expect(await call('P_SHOW_USER', '/', withToken)).toMatchObject({
    status: 500,
    body: {
      success: false,
      code: 'sandbox_unavailable',
      error: expect.stringContaining('Steward has no sandbox for aix'),
    },
  })
})

test('unauthenticated callers learn nothing: health responds, everything else is 401', async () => {
  expect(await call('A_SHOW_USER', '/health')).toEqual({
    status: 200,
    body: { status: 'ok', action: 'A_SHOW_USER', timestamp: expect.any(String) },
  })
  for (const [path, method] of [
    ['/', 'POST'],
    ['/', 'GET'],
    ['/health', 'POST'],
    ['/elsewhere', 'DELETE'],
  ] as const) {
    expect(await call('A_SHOW_USER', path, { method })).toMatchObject({
      status: 401,
      body: { code: 'unauthorized' },
    })
  }
})
