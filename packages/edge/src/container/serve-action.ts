import {
  actionManifestV2,
  ISOLATIONS,
  type Isolation,
  isJsonObject,
  reasonOf,
  secretNamesOf,
} from '@steward/contract'
import { createGuardedFetch } from '@steward/platform'
import { createReadFile, createShell } from '@steward/runner'
import { createActionWorker, createWorkerLlm, type WorkerEnv } from '@steward/worker'
import { createHttpServer } from './serve-http.ts'

/** Settings of the container; all other variables belong to the action. */
const SETTINGS = [
  'AUTH_TOKEN',
  'LLM_API_KEY',
  'LLM_PROVIDER',
  'LLM_BASE_URL',
  'LLM_MODEL_FAST',
  'LLM_MODEL_STANDARD',
  'LLM_MODEL_DEEP',
  'LLM_BUDGET_PER_RUN_USD',
  'ALLOW_PRIVATE_HOSTS',
]
const DEFAULT_PORT = '8080'

/**
 * Serves one action of the sandbox tier with the HTTP contract of every worker, plus shell and files. It
 * listens on the socket SOCKET_PATH or on PORT and prints a line of JSON when it is ready.
 */
export const serveAction = async (
  manifest: unknown,
  implementation: unknown,
  process: NodeJS.Process = globalThis.process,
): Promise<void> => {
  const { env } = process
  const isolation = isolationOf(env.ISOLATION)
  const readFile = createReadFile([env.DATA_DIR ?? '/data'])
  const fetch = createGuardedFetch({ allowPrivateHosts: hostsIn(env.ALLOW_PRIVATE_HOSTS) })
  const worker = createActionWorker(manifest, implementation, {
    llm: createWorkerLlm,
    capabilities: (signal) => {
      // The container isolates the command, so it needs no sandbox of its own.
      const run = createShell({
        sandbox: undefined,
        withoutSandbox: 'run',
        network: true,
        env,
        signal: signal(),
      })
      return {
        readFile,
        fetch,
        shell: async (argv, options) => ({ ...(await run(argv, options)), isolation }),
      }
    },
  })
  const parsed = actionManifestV2.parse(manifest)
  const { name } = parsed
  const given: WorkerEnv = pick(env, [...SETTINGS, ...secretNamesOf(parsed)])
  const report = (thrown: unknown) => process.stderr.write(`${name}: ${reasonOf(thrown)}\n`)
  const context = { waitUntil: (work: Promise<unknown>) => void work.catch(report) }
  const server = createHttpServer((request) => worker.fetch(request, given, context), report)
  const place = env.SOCKET_PATH ? { path: env.SOCKET_PATH } : { port: portOf(env.PORT) }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(place, resolve)
  })
  const address = server.address()
  const listening = isJsonObject(address) ? `port ${address.port}` : address
  process.stdout.write(`${JSON.stringify({ ready: true, action: name, listening })}\n`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close(() => process.exit(0))
      server.closeIdleConnections()
    })
  }
}

const pick = (
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )

const hostsIn = (text = ''): string[] => text.split(',').flatMap((host) => host.trim() || [])

const portOf = (text = DEFAULT_PORT): number => {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port
  throw new Error(`PORT must be a number from 0 to 65535, found ${text}`)
}

/** A caller that starts this outside a container names the isolation, for the run record. */
const isolationOf = (text: string | undefined): Isolation =>
  ISOLATIONS.find((known) => known === text) ?? 'container'
