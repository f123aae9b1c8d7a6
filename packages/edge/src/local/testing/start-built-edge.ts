import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { actionManifestV2, pipelineDefinition } from '@steward/contract'
import { detectSandbox } from '@steward/platform'
import { buildWorkers } from '../../build/build-workers.ts'
import { hashText } from '../../build/hash-inputs.ts'
import { NO_RESOURCES } from '../../build/resources.ts'
import { systemClock } from '../clock.ts'
import { type LocalEdge, startLocalEdge } from '../local-edge.ts'
import { createSandboxRunner } from '../sandbox-runner.ts'
import { createMemoryStore } from './memory-store.ts'
import { TOKEN } from './start-edge.ts'

export interface OwnAction {
  /** The whole module. */
  module: string
  manifest?: Record<string, unknown>
}

export interface BuiltEdge {
  edge: LocalEdge
  logs: string[]
  /** `POST /` with the token. */
  post: (name: string, input?: object) => Promise<{ status: number; body: unknown }>
  stop: () => Promise<void>
}

/** Less than a user gets, because a test waits for a module that never loads. */
export const LOAD_MS = 8000

/** The user's actions and pipelines, built as `edge build` does, on a local edge with real workerd. */
export const startBuiltEdge = async (
  actions: Record<string, OwnAction>,
  pipelines: Record<string, string[]> = {},
  environment: Record<string, string> = {},
): Promise<BuiltEdge> => {
  const root = mkdtempSync(join(tmpdir(), 'steward-built-'))
  const workersFolder = join(root, 'workers')
  const built = await buildWorkers({
    catalog: {
      actions: Object.entries(actions).map(([name, { module, manifest = {} }]) => {
        const folder = join(root, 'ACTIONS', name)
        const file = join(folder, 'action.mjs')
        const whole = { name, description: `${name}.`, input: {}, output: {}, ...manifest }
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, 'action.json'), JSON.stringify(whole))
        writeFileSync(file, module)
        return {
          manifest: actionManifestV2.parse(whole),
          folder,
          file,
          hash: hashText(module),
          isOwn: true,
        }
      }),
      pipelines: Object.entries(pipelines).map(([name, steps]) =>
        pipelineDefinition.parse({ name, description: `${name}.`, actions: steps }),
      ),
      flows: [],
      unreadable: [],
    },
    resources: NO_RESOURCES,
    out: workersFolder,
  })
  if (!built.ok) throw new Error(JSON.stringify(built.mistakes))
  const names = [...Object.keys(actions), ...Object.keys(pipelines)]
  // Any free port each.
  const ports = Object.fromEntries(
    names.map((name) => [`exec-${name.toLowerCase().replaceAll('_', '-')}`, 0]),
  )
  const logs: string[] = []
  const edge = await startLocalEdge(
    {
      workersFolder,
      stateFolder: join(root, 'state'),
      basePort: 1,
      environment: { AUTH_TOKEN: TOKEN, ...environment },
      vars: {},
      clock: systemClock,
      isVirtual: false,
      loadMs: LOAD_MS,
    },
    {
      queueStore: createMemoryStore(Date.now),
      sandboxRunner: createSandboxRunner(() => detectSandbox({}), root),
      ports: { read: async () => ({ basePort: 1, ports }), write: async () => undefined },
      log: (level, message) => logs.push(`${level} ${message}`),
      warn: (message) => logs.push(message),
      onLost: ({ message }) => logs.push(message),
      onFired: () => undefined,
      onDelivered: () => undefined,
    },
  )
  return {
    edge,
    logs,
    post: async (name, input = {}) => {
      const url = edge.addresses().find((each) => each.name === name)?.url
      const headers = { authorization: `Bearer ${TOKEN}` }
      const response = await fetch(`${url}/`, {
        method: 'POST',
        body: JSON.stringify(input),
        headers,
      })
      return { status: response.status, body: await response.json() }
    },
    stop: async () => {
      await edge.stop()
      // The path of workerd is global to the process, which other test files share.
      delete process.env.MINIFLARE_WORKERD_PATH
      rmSync(root, { recursive: true, force: true })
    },
  }
}
