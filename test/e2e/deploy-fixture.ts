import { join } from 'node:path'
import { primitiveOf, shortName, workerName } from '@steward/contract'
import {
  type PlatformStandIn,
  STAND_IN_ACCOUNT,
  startPlatformStandIn,
} from '../../packages/edge/src/deploy/testing/platform-stand-in.ts'
import { addScript } from '../../packages/edge/src/deploy/testing/platform-state.ts'
import { type Cli, type CliOptions, type CliResult, createCli } from './cli-process.ts'
import { CLONE_LAUNCHER } from './launcher.ts'
import { writeLogin } from './write-login.ts'

export interface DeployBench {
  cli: Cli
  platform: PlatformStandIn
  /**
   * Wrangler's login as a file, the tokens that must not reach wrangler, and the stand-in's
   * address.
   */
  env: Record<string, string>
  run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>
  close: () => Promise<void>
}

const TOKENS = { CF_API_TOKEN: 'interfering', CLOUDFLARE_API_TOKEN: 'interfering' }

export const openDeployBench = async (): Promise<DeployBench> => {
  const cli = createCli(CLONE_LAUNCHER)
  const platform = await startPlatformStandIn()
  const env = {
    ...TOKENS,
    XDG_CONFIG_HOME: writeLogin(join(cli.files, '..')),
    CLOUDFLARE_API_BASE_URL: platform.baseUrl,
    CLOUDFLARE_ACCOUNT_ID: STAND_IN_ACCOUNT,
  }
  return {
    cli,
    platform,
    env,
    run: (args, options = {}) => cli.run(args, { ...options, env: { ...env, ...options.env } }),
    close: async () => {
      await platform.close()
      cli.remove()
    },
  }
}

export interface WorkerParts {
  code?: string
  secrets?: string[]
  /** Additional fields for wrangler.jsonc. */
  configuration?: Record<string, unknown>
  /** The name in wrangler.jsonc, if it differs from the directory's. */
  configuredName?: string
}

/** A worker directory as created by `edge build`, with a module of a few lines. */
export const writeWorker = (cli: Cli, name: string, parts: WorkerParts = {}): void => {
  const folder = `workers/${shortName(name)}`
  const configuration = {
    name: parts.configuredName ?? workerName(name),
    main: 'index.js',
    compatibility_date: '2026-07-30',
    compatibility_flags: ['nodejs_compat'],
    no_bundle: true,
    find_additional_modules: false,
    rules: [{ type: 'ESModule', globs: ['index.js'] }],
    workers_dev: true,
    observability: { enabled: true },
    ...parts.configuration,
  }
  const facts = {
    generator: 'steward',
    version: '5.0.0',
    name,
    worker: workerName(name),
    primitive: primitiveOf(name),
    tier: 'isolate',
    secrets: ['AUTH_TOKEN', ...(parts.secrets ?? [])],
    optionalSecrets: [],
    network: false,
    inputHash: 'made-by-hand',
    files: {},
  }
  const code = parts.code ?? `export default { fetch: () => new Response('${name}') }\n`
  cli.write(`${folder}/wrangler.jsonc`, `// made for a test\n${JSON.stringify(configuration)}\n`)
  cli.write(`${folder}/index.js`, code)
  cli.write(`${folder}/steward.json`, JSON.stringify(facts))
}

export const KV_ID = '0123456789abcdef0123456789abcdef'
export const D1_ID = '01234567-89ab-cdef-0123-456789abcdef'

const FLOW_CODE = `export default {
  fetch: () => new Response('F'),
  scheduled: () => undefined,
  queue: () => undefined,
}
`

/** Two actions, a pipeline of both, and a flow with every feature. */
export const writeSampleWorkers = (cli: Cli): void => {
  writeWorker(cli, 'A_COUNT_WORDS')
  writeWorker(cli, 'A_LABEL_TEXT', { secrets: ['LLM_API_KEY'] })
  writeWorker(cli, 'P_COUNT_LABEL', {
    configuration: {
      services: [
        { binding: 'A_COUNT_WORDS', service: 'exec-a-count-words' },
        { binding: 'A_LABEL_TEXT', service: 'exec-a-label-text' },
      ],
    },
  })
  writeWorker(cli, 'F_FEEDS_COUNT', {
    code: FLOW_CODE,
    configuration: {
      services: [{ binding: 'P_COUNT_LABEL', service: 'exec-p-count-label' }],
      triggers: { crons: ['*/30 * * * *'] },
      queues: {
        producers: [{ binding: 'FEED_ITEMS', queue: 'feed-items' }],
        consumers: [
          {
            queue: 'feed-items',
            max_batch_size: 10,
            max_batch_timeout: 5,
            max_retries: 3,
            dead_letter_queue: 'feed-items-dead',
          },
        ],
      },
      kv_namespaces: [{ binding: 'SEEN_ITEMS', id: KV_ID }],
      d1_databases: [{ binding: 'FLOW_DB', database_name: 'flow-db', database_id: D1_ID }],
    },
  })
}

export const addSampleResources = ({ state, addQueue }: PlatformStandIn): void => {
  state.kv.add(KV_ID)
  state.d1.add(D1_ID)
  addQueue('feed-items')
  addQueue('feed-items-dead')
}

/** The sample in its deployed state, for tests that only read it. */
export const addSampleScripts = ({ state }: PlatformStandIn): void => {
  addScript(state, 'exec-a-count-words')
  addScript(state, 'exec-a-label-text')
  addScript(state, 'exec-p-count-label')
  addScript(state, 'exec-f-feeds-count', {
    modules: { 'index.js': FLOW_CODE },
    crons: ['*/30 * * * *'],
    bindings: [{ type: 'service', name: 'P_COUNT_LABEL', service: 'exec-p-count-label' }],
  })
}
