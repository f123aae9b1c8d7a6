import { z } from 'zod'

const budgets = z.strictObject({
  perRunUsd: z.number().positive().optional(),
  perFlowUsd: z.number().positive().optional(),
  perDayUsd: z.number().positive().optional(),
})

const execution = z.strictObject({
  shell: z
    .strictObject({
      withoutSandbox: z.enum(['refuse', 'run']).default('refuse').meta({
        description: 'What to do where there is no sandbox. "run" is recorded as isolation: none.',
      }),
    })
    .prefault({}),
  fetch: z
    .strictObject({
      allowPrivateHosts: z
        .array(z.string())
        .default([])
        .meta({ description: 'Hosts (host or host:port) that may be private or loopback.' }),
    })
    .prefault({}),
  readFile: z
    .strictObject({
      roots: z
        .array(z.string())
        .default([])
        .meta({ description: 'More folders that actions may read.' }),
    })
    .prefault({}),
  history: z
    .strictObject({
      maxRuns: z.int().positive().default(100_000),
      maxAgeDays: z.int().positive().default(90),
      maxBytes: z
        .int()
        .positive()
        .default(2 * 1024 ** 3),
    })
    .prefault({}),
  budgets: budgets.prefault({}),
})

const edge = z.strictObject({
  subdomain: z
    .string()
    .optional()
    .meta({ description: 'A worker is at https://<worker>.<subdomain>.workers.dev' }),
  workers: z
    .record(z.string(), z.string())
    .default({})
    .meta({ description: 'Addresses of single workers, by worker name; wins over subdomain.' }),
})

/**
 * `settings.json` in the data home. Keys beside ours belong to others and are kept; an unknown key
 * inside our own sections is a slip, and a slip in a budget costs money.
 */
export const settings = z
  .looseObject({
    $schema: z.string().optional(),
    execution: execution.prefault({}),
    edge: edge.prefault({}),
  })
  .meta({ id: 'settings', title: 'Steward settings' })
export type Settings = z.infer<typeof settings>
