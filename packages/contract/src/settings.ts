import { z } from 'zod'
import { schemaAddress } from './json.ts'
import { LIMITS } from './limits.ts'

const budgets = z.strictObject({
  perRunUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most one run may spend on models.' }),
  perFlowUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most one flow may spend in a day, UTC.' }),
  perDayUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most everything together may spend in a day, UTC.' }),
})

const execution = z.strictObject({
  shell: z
    .strictObject({
      withoutSandbox: z.enum(['refuse', 'run']).default('refuse').meta({
        description: 'What to do where there is no sandbox. "run" is recorded as isolation: none.',
      }),
    })
    .prefault({})
    .meta({ description: 'The shell capability.' }),
  fetch: z
    .strictObject({
      allowPrivateHosts: z
        .array(z.string())
        .default([])
        .meta({ description: 'Hosts (host or host:port) that may be private or loopback.' }),
    })
    .prefault({})
    .meta({ description: 'The fetch capability.' }),
  readFile: z
    .strictObject({
      roots: z
        .array(z.string())
        .default([])
        .meta({ description: 'More folders that actions may read.' }),
    })
    .prefault({})
    .meta({ description: 'The readFile capability.' }),
  history: z
    .strictObject({
      maxRuns: z
        .int()
        .positive()
        .default(100_000)
        .meta({ description: 'Older runs beyond this count are pruned.' }),
      maxAgeDays: z
        .int()
        .positive()
        .default(90)
        .meta({ description: 'Runs older than this are pruned.' }),
      maxBytes: z
        .int()
        .positive()
        .default(2 * 1024 ** 3)
        .meta({ description: 'The oldest runs are pruned above this size.' }),
    })
    .prefault({})
    .meta({ description: 'How much of the run history is kept.' }),
  budgets: budgets.prefault({}).meta({ description: 'Spending caps in USD; none unless set.' }),
})

const edge = z.strictObject({
  accountId: z
    .string()
    .optional()
    .meta({ description: "The platform account to deploy to; else the login's only one." }),
  subdomain: z
    .string()
    .optional()
    .meta({ description: 'A worker is at https://<worker>.<subdomain>.workers.dev' }),
  workers: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Addresses of single workers, by worker name; wins over subdomain.' }),
  resources: z
    .strictObject({
      kv: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Ids of KV namespaces by binding: SEEN_ITEMS, FLOW_STATE.' }),
      d1: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Ids of D1 databases by binding: FLOW_DB, FEEDS_DB.' }),
    })
    .prefault({})
    .meta({ description: 'Ids that only your account knows; built into worker configurations.' }),
})

const target = z
  .strictObject({
    name: z.string().min(1).meta({ description: 'A label for people.' }),
    type: z.enum(['http', 'edge-kv']).meta({
      description: '"http" posts to {url}/api/observability/events; "edge-kv" puts a key.',
    }),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({ description: 'Base address.' }),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'For http; ${NAME} comes from the environment, then from .env.' }),
  })
  .refine(({ type, url }) => type !== 'http' || url !== undefined, {
    path: ['url'],
    message: 'an http target needs a url',
  })
export type ObservabilityTarget = z.infer<typeof target>

const PORT = 31337

/** Loose at the top: other tools of a shared settings file keep things here too. */
const observability = z.looseObject({
  server: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(PORT)
        .meta({ description: 'STEWARD_PORT wins over it.' }),
      enabled: z
        .boolean()
        .default(true)
        .meta({ description: 'false: the daemon serves nothing and ends.' }),
      host: z.string().default('127.0.0.1').meta({
        description: 'The address to listen on; any but loopback needs auth.mode "strict".',
      }),
    })
    .prefault({})
    .meta({ description: 'Where the daemon listens.' }),
  targets: z
    .array(target)
    .default([])
    .meta({ description: 'Where events and work state are pushed to.' }),
  logs: z
    .strictObject({
      maxBytes: z
        .int()
        .min(1024)
        .default(LIMITS.logBytes)
        .meta({ description: 'An event log is rotated when it is larger.' }),
      files: z.int().min(1).default(LIMITS.logFiles).meta({ description: 'Rotated logs kept.' }),
      maxAgeDays: z
        .int()
        .positive()
        .default(90)
        .meta({ description: 'Rotated logs older than this are removed.' }),
    })
    .prefault({})
    .meta({ description: 'How much of the event logs is kept.' }),
})

const auth = z.strictObject({
  mode: z.enum(['default', 'strict']).default('default').meta({
    description: '"strict" asks for the token on everything but /health.',
  }),
})

const sessions = z.strictObject({
  staleNativeMinutes: z
    .number()
    .positive()
    .default(LIMITS.staleNativeMs / 60_000)
    .meta({ description: 'Of a session in native mode.' }),
  staleStartingMinutes: z
    .number()
    .positive()
    .default(LIMITS.staleStartingMs / 60_000)
    .meta({ description: 'Of a session in starting mode.' }),
})

const watchdog = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'false: it never speaks.' }),
  silenceSeconds: z
    .number()
    .positive()
    .default(LIMITS.watchdogSilenceMs / 1000)
    .meta({ description: 'How long active background agents may be silent.' }),
})

const learning = z.strictObject({
  ladder: z.string().optional().meta({
    description: "The ladder's folder; MEMORY/LEARNING/LADDER in the data home unless set.",
  }),
})

/**
 * `settings.json` in the data home. Keys beside ours belong to others and are kept; an unknown key
 * inside our own sections is a slip, and a slip in a budget costs money.
 */
export const settings = z
  .looseObject({
    $schema: schemaAddress,
    execution: execution
      .prefault({})
      .meta({ description: 'Running actions, pipelines and flows.' }),
    edge: edge.prefault({}).meta({ description: 'Where deployed workers are.' }),
    observability: observability
      .prefault({})
      .meta({ description: 'The daemon: its server, its event logs, where events are pushed.' }),
    auth: auth.prefault({}).meta({ description: 'Who may call the daemon.' }),
    sessions: sessions
      .prefault({})
      .meta({ description: 'When a session without activity counts as stale.' }),
    watchdog: watchdog.prefault({}).meta({ description: 'Alerts about silent background agents.' }),
    learning: learning.prefault({}).meta({ description: 'Learning signals and the ladder.' }),
  })
  .meta({ title: 'Steward settings' })
export type Settings = z.infer<typeof settings>
