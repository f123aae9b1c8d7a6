import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Miniflare, type WorkerOptions } from 'miniflare'
import { nodeBuiltins } from '../../build/plugins/node-builtins.ts'

export const TOKEN = 'f00dfeed'.repeat(8)

/** Workers compile one after the other; on a busy machine many of them take their time. */
export const START_LIMIT_MS = 120_000

/** A worker of a test: what its entry says after importing the factories, and its bindings. */
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
  miniflare: Miniflare
  logs: string[]
  stop: () => Promise<void>
}

/** Real workers on a real workerd, each on an address of its own. */
export const startWorkers = async (workers: readonly TestWorker[]): Promise<RunningWorkers> => {
  const factories = await bundled
  const logs: string[] = []
  const miniflare = new Miniflare({
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
    miniflare,
    logs,
    stop: () => miniflare.dispose(),
  }
}

const bundled = build({
  entryPoints: [fileURLToPath(new URL('../index.ts', import.meta.url))],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'import'],
  external: ['cloudflare:*'],
  plugins: [nodeBuiltins],
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
    export default edge.createActionWorker(manifest, { execute })`,
})

/** A pipeline of workers with the actions' own names. */
export const pipelineWorker = (
  name: string,
  actions: readonly string[],
  bound: readonly string[] = actions,
): TestWorker => ({
  name,
  entry: `export default edge.createPipelineWorker(${JSON.stringify({ name, description: `${name}.`, actions })})`,
  options: { serviceBindings: Object.fromEntries(bound.map((action) => [action, action])) },
})

/** A flow worker with all bindings that its entry could ask for, except those in `without`. */
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
    d1Databases: ['FLOW_DB', 'FEEDS_DB'],
    r2Buckets: ['FLOW_FILES'],
    ...options,
  },
})
