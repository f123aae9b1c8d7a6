import { z } from 'zod'

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

export const executionSettings = z.strictObject({
  shell: z
    .strictObject({
      withoutSandbox: z.enum(['refuse', 'run']).default('refuse').meta({
        description: 'Behaviour without a sandbox. "run" is recorded as isolation: none.',
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
        .meta({ description: 'Additional folders that actions may read.' }),
    })
    .prefault({})
    .meta({ description: 'The readFile capability.' }),
  destinations: z
    .strictObject({
      roots: z.array(z.string()).default([]).meta({
        description: 'Folders besides OUTPUT that destinations may write to.',
      }),
    })
    .prefault({})
    .meta({ description: 'Where flows may write on this machine.' }),
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
    .meta({ description: 'Retention of the run history.' }),
  budgets: budgets.prefault({}).meta({ description: 'Spending caps in USD; none unless set.' }),
})

export const edgeSettings = z.strictObject({
  accountId: z.string().optional().meta({
    description: "The platform account to deploy to; defaults to the login's only account.",
  }),
  subdomain: z
    .string()
    .optional()
    .meta({ description: 'A worker is at https://<worker>.<subdomain>.workers.dev' }),
  workers: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Addresses of single workers, by worker name; overrides subdomain.' }),
  history: z.enum(['flows', 'pipelines', 'all']).default('pipelines').meta({
    description:
      'Workers with a record of runs and idempotency keys in the D1 database ITEMS_DB: flows, also pipelines, or also actions.',
  }),
  relay: z.boolean().default(false).meta({
    description: 'true: also build the relay worker, through which paired phones answer.',
  }),
  resources: z
    .strictObject({
      kv: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Ids of KV namespaces by binding: SEEN_ITEMS, FLOW_STATE.' }),
      d1: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Ids of D1 databases by binding: ITEMS_DB, FLOW_DB, FEEDS_DB.' }),
    })
    .prefault({})
    .meta({ description: 'Ids of your account; built into worker configurations.' }),
})
