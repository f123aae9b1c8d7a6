import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { actionsIn, type PipelineStep } from '@steward/contract'
import { build } from 'esbuild'
import { Miniflare, type WorkerOptions } from 'miniflare'
import { z } from 'zod'
import { nodeBuiltins } from '../../build/plugins/node-builtins.ts'
import { zodEnglish } from '../../build/plugins/zod-english.ts'

export const TOKEN = 'f00dfeed'.repeat(8)

/** Workers compile one after the other; on a busy machine this is slow. */
export const START_LIMIT_MS = 120_000

/** A test worker: its entry after importing the factories, and its bindings. */
export interface TestWorker {
  name: string
  /** JavaScript; the factories of `worker/index.ts` are in scope as `edge`. */
  entry: string
  env?: Record<string, string>
  options?: Partial<WorkerOptions>
}

export interface RunningWorkers {
  call: (
    worker: string,
    path: string,
    init?: RequestInit & { token?: string | null },
  ) => Promise<Response>
  /** `POST /` with the right token. */
  post: (
    worker: string,
    input: unknown,
  ) => Promise<{ status: number; body: Record<string, unknown> }>
  /** Fires a worker's cron handler. */
  fire: (worker: string, scheduledTime: Date) => Promise<{ outcome: string }>
  /** Passes a batch to a worker's queue handler. */
  deliver: (worker: string, queue: string, bodies: readonly unknown[]) => Promise<Delivered>
  /** Calls a method of a worker's binding from outside. */
  ask: (
    worker: string,
    binding: BindingKind,
    name: string,
    ...call: [string, ...unknown[]]
  ) => Promise<unknown>
  logs: string[]
  stop: () => Promise<void>
}

export type BindingKind = 'kv' | 'd1' | 'r2'

const outcome = z.looseObject({ outcome: z.string() })
const delivered = z.looseObject({
  outcome: z.string(),
  explicitAcks: z.array(z.string()),
  retryMessages: z.array(z.looseObject({ msgId: z.string() })),
})
export type Delivered = z.infer<typeof delivered>

/** Real workers on a real workerd, each at its own address. With a `storage` folder they keep their data. */
export const startWorkers = async (
  workers: readonly TestWorker[],
  storage?: string,
): Promise<RunningWorkers> => {
  const factories = await bundled
  const logs: string[] = []
  const miniflare = new Miniflare({
    ...(storage === undefined ? {} : { defaultPersistRoot: storage }),
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      for (const stream of [stdout, stderr])
        stream.on('data', (chunk: unknown) => logs.push(String(chunk)))
    },
    workers: workers.map(({ name, entry, env, options }) => ({
      name,
      modules: [
        {
          type: 'ESModule' as const,
          path: 'index.js',
          contents: `import * as edge from './factories.js'\n${entry}`,
        },
        { type: 'ESModule' as const, path: 'factories.js', contents: factories },
      ],
      compatibilityDate: '2026-07-30',
      compatibilityFlags: ['nodejs_compat'],
      bindings: { AUTH_TOKEN: TOKEN, ...env },
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
      ...options,
    })),
  })
  await miniflare.ready
  const call: RunningWorkers['call'] = async (worker, path, { token = TOKEN, ...init } = {}) => {
    const url = await miniflare.unsafeGetDirectURL(worker)
    const headers = new Headers(init.headers)
    if (token !== null && !headers.has('authorization'))
      headers.set('authorization', `Bearer ${token}`)
    return fetch(new URL(path, url), { ...init, headers })
  }
  return {
    call,
    post: async (worker, input) => {
      const response = await call(worker, '/', { method: 'POST', body: JSON.stringify(input) })
      return { status: response.status, body: await response.json() }
    },
    fire: async (worker, scheduledTime) => {
      const target: unknown = await miniflare.getWorker(worker)
      const event = { scheduledTime, cron: '*/30 * * * *' }
      return outcome.parse(await callMethod(target, 'scheduled', event))
    },
    deliver: async (worker, queue, bodies) => {
      const target: unknown = await miniflare.getWorker(worker)
      const timestamp = new Date()
      const messages = bodies.map((body, index) => ({
        id: `m${index}`,
        timestamp,
        body,
        attempts: 1,
      }))
      return delivered.parse(await callMethod(target, 'queue', queue, messages))
    },
    ask: async (worker, kind, name, method, ...args) =>
      callMethod(await bindingOf(miniflare, kind, name, worker), method, ...args),
    logs,
    stop: () => miniflare.dispose(),
  }
}

const bindingOf = (
  miniflare: Miniflare,
  kind: BindingKind,
  name: string,
  worker: string,
): Promise<unknown> => {
  switch (kind) {
    case 'kv':
      return miniflare.getKVNamespace(name, worker)
    case 'd1':
      return miniflare.getD1Database(name, worker)
    case 'r2':
      return miniflare.getR2Bucket(name, worker)
  }
}

/** The types of Miniflare's return values belong to a package that is not installed. */
export const callMethod = async (
  target: unknown,
  name: string,
  ...args: unknown[]
): Promise<unknown> => {
  const method: unknown = Reflect.get(Object(target), name)
  if (typeof method !== 'function') throw new TypeError(`it has no ${name}`)
  return Reflect.apply(method, target, args)
}

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const bundled = build({
  entryPoints: [pathOf('../../../../worker/src/index.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'import'],
  external: ['cloudflare:*'],
  // Each worker has a copy, and Miniflare’s time to describe them grows faster than their size.
  minify: true,
  plugins: [nodeBuiltins, zodEnglish(pathOf('../../../../contract/src/index.ts'))],
  logLevel: 'error',
}).then(({ outputFiles }) => outputFiles[0]?.text ?? '')

/** A worker with one action whose body is the given code; `input` and `context` are in scope. */
export const actionWorker = (
  name: string,
  code: string,
  manifest: Record<string, unknown> = {},
  env: Record<string, string> = {},
): TestWorker => ({
  name,
  env,
  entry: `
    const manifest = ${JSON.stringify({ name, description: `${name}.`, input: {}, output: {}, ...manifest })}
    const execute = async (input, context) => { ${code} }
    export default edge.createActionWorker(manifest, { execute }, { llm: edge.createWorkerLlm })`,
})

/** A pipeline of workers named like the actions. */
export const pipelineWorker = (
  name: string,
  actions: readonly PipelineStep[],
  bound: readonly string[] = actionsIn(actions),
): TestWorker => ({
  name,
  entry: `export default edge.createPipelineWorker(${JSON.stringify({ name, description: `${name}.`, actions })})`,
  options: { serviceBindings: Object.fromEntries(bound.map((action) => [action, action])) },
})

/** A flow worker with all bindings that its entry could need, except those in `without`. */
export const flowWorker = (
  entry: Record<string, unknown> & { name: string },
  {
    assets = {},
    env = {},
    services = [],
    options = {},
  }: {
    assets?: unknown
    env?: Record<string, string>
    services?: readonly string[]
    options?: Partial<WorkerOptions>
  } = {},
): TestWorker => ({
  name: entry.name,
  env,
  entry: `export default edge.createFlowWorker(${JSON.stringify(entry)}, ${JSON.stringify(assets)})`,
  options: {
    serviceBindings: Object.fromEntries(services.map((name) => [name, name])),
    kvNamespaces: ['SEEN_ITEMS', 'FLOW_STATE'],
    d1Databases: ['FLOW_DB', 'FEEDS_DB', 'ITEMS_DB'],
    r2Buckets: ['FLOW_FILES'],
    ...options,
  },
})
