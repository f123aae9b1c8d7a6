import { z } from 'zod'
import { backupInterval } from '../backup.ts'
import { LIMITS } from '../limits.ts'

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

/** Loose at the top level because other tools share this section. */
export const observabilitySettings = z.looseObject({
  server: z
    .strictObject({
      port: z
        .int()
        .min(0)
        .max(65_535)
        .default(PORT)
        .meta({ description: 'The port; STEWARD_PORT overrides it.' }),
      enabled: z
        .boolean()
        .default(true)
        .meta({ description: 'false: the daemon exits without serving.' }),
      host: z.string().default('127.0.0.1').meta({
        description: 'The address to listen on; any but loopback needs auth.mode "strict".',
      }),
    })
    .prefault({})
    .meta({ description: 'Where the daemon listens.' }),
  targets: z
    .array(target)
    .default([])
    .meta({ description: 'Targets that events and work state are pushed to.' }),
  traces: z
    .strictObject({
      endpoint: z
        .url({ protocol: /^https?$/ })
        .optional()
        .meta({
          description:
            'An OTLP/HTTP collector, such as http://localhost:4318. Nothing is exported without it.',
        }),
      headers: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: '${NAME} comes from the environment, then from .env.' }),
    })
    .prefault({})
    .meta({ description: 'Runs, steps and sessions as OpenTelemetry traces.' }),
  logs: z
    .strictObject({
      maxBytes: z
        .int()
        .min(1024)
        .default(LIMITS.logBytes)
        .meta({ description: 'Event logs above this size are rotated.' }),
      files: z
        .int()
        .min(1)
        .default(LIMITS.logFiles)
        .meta({ description: 'Number of rotated logs to keep.' }),
      maxAgeDays: z
        .int()
        .positive()
        .default(90)
        .meta({ description: 'Rotated logs older than this are removed.' }),
    })
    .prefault({})
    .meta({ description: 'Retention of the event logs.' }),
})

export const authSettings = z.strictObject({
  mode: z.enum(['default', 'strict', 'any-account']).default('default').meta({
    description:
      '"default": programs of your own account need no token to read, other accounts of this machine get only /health. "strict": everything but /health needs the token. "any-account": programs of every account count as your own.',
  }),
})

export const sessionsSettings = z.strictObject({
  staleNativeMinutes: z
    .number()
    .positive()
    .default(LIMITS.staleNativeMs / 60_000)
    .meta({ description: 'Minutes without activity after which a native session is stale.' }),
  staleStartingMinutes: z
    .number()
    .positive()
    .default(LIMITS.staleStartingMs / 60_000)
    .meta({ description: 'Minutes without activity after which a starting session is stale.' }),
  mostAtOnce: z.int().min(1).max(64).default(4).meta({
    description: 'How many sessions that Steward started may work at the same time.',
  }),
  idleMinutes: z.number().min(0).max(1440).default(10).meta({
    description:
      'How long the program of a started session is kept after its turn. A later message resumes it.',
  }),
  askHours: z.number().positive().max(24).default(12).meta({
    description: 'How long a started session waits for a permission before it is refused.',
  }),
  resume: z.boolean().default(true).meta({
    description: 'Continue interrupted work of started sessions when the daemon starts.',
  }),
})

export const watchdogSettings = z.strictObject({
  enabled: z.boolean().default(true).meta({ description: 'false: the watchdog is off.' }),
  silenceSeconds: z
    .number()
    .positive()
    .default(LIMITS.watchdogSilenceMs / 1000)
    .meta({ description: 'How long active background agents may be silent.' }),
})

export const storageSettings = z.strictObject({
  warnBelowMb: z
    .number()
    .nonnegative()
    .default(500)
    .meta({ description: 'Warn when the disk of the data home has less free space. 0: never.' }),
})

export const backupSettings = z.strictObject({
  folder: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Where the daemon puts backups; it makes none unless this is set.' }),
  every: backupInterval.default('day').meta({ description: 'How often a backup is made.' }),
  keep: z
    .int()
    .min(1)
    .default(7)
    .meta({ description: 'Number of backups to keep; older ones are removed.' }),
  secrets: z
    .boolean()
    .default(true)
    .meta({ description: 'Include .env, the token, keys of hosted agents and sign-ins.' }),
})
