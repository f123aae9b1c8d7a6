import { z } from 'zod'
import { bucketName } from '../flow-destination.ts'
import { secretName, webUrl } from '../flow-source.ts'
import { modelAliases } from './model-aliases.ts'

export const SANDBOX_DRIVERS = ['bubblewrap', 'gvisor', 'docker', 'none'] as const
export type SandboxDriverName = (typeof SANDBOX_DRIVERS)[number]

const count = (most: number) => z.int().min(1).max(most)

const limits = z.strictObject({
  memoryMb: count(1_048_576).default(4096).meta({ description: 'Memory of one sandbox.' }),
  cpus: z
    .number()
    .min(0.05)
    .max(1024)
    .default(2)
    .meta({ description: 'Processors of one sandbox.' }),
  processes: count(100_000).default(512).meta({ description: 'Processes of one sandbox.' }),
  diskMb: count(1_048_576)
    .default(10_240)
    .meta({ description: 'Disk space that one session may use.' }),
  files: count(10_000_000).default(300_000).meta({
    description:
      'Files and folders that one session may have, because disks run out of inodes too.',
  }),
})

/** Registry addresses are visible inside sandboxes, so they must not contain a password. */
const registry = z
  .url({ protocol: /^https?$/ })
  .refine((address) => URL.parse(address)?.username === '', 'an address without user and password')

const packages = z.strictObject({
  registries: z
    .strictObject({
      cargo: registry.optional().meta({ description: 'A sparse index that mirrors crates.io.' }),
      gem: registry.optional().meta({ description: 'Instead of rubygems.org.' }),
      go: registry.optional().meta({ description: 'A module proxy, instead of proxy.golang.org.' }),
      npm: registry.optional().meta({ description: 'Instead of registry.npmjs.org.' }),
      pip: registry.optional().meta({ description: 'A simple index, instead of pypi.org/simple.' }),
    })
    .prefault({})
    .meta({ description: 'Your own registries; private addresses are allowed.' }),
  cacheMb: count(10_485_760).default(10_240).meta({
    description: 'Cache of installed packages; the least recently used are removed first.',
  }),
  cacheDays: count(3650)
    .default(30)
    .meta({ description: 'Cached packages unused for this long are removed.' }),
})

const webSearch = z.discriminatedUnion('provider', [
  z.strictObject({
    provider: z.literal('searxng').meta({ description: 'Your own SearXNG server.' }),
    url: z.url({ protocol: /^https?$/ }).meta({ description: 'A SearXNG that answers in JSON.' }),
  }),
  z.strictObject({
    provider: z.literal('brave').meta({ description: 'Its API, with a key.' }),
    url: z
      .url({ protocol: /^https?$/ })
      .default('https://api.search.brave.com')
      .meta({ description: 'The address of the API; the key is BRAVE_API_KEY.' }),
  }),
])

/** The names of its objects are the prefix, the session, the snapshot and a number. */
const snapshotBucket = z.strictObject({
  endpoint: webUrl.meta({
    description: 'Address of the service: https://s3.eu-central-1.amazonaws.com',
  }),
  bucket: bucketName.meta({ description: 'The bucket.' }),
  region: z.string().min(1).default('auto').meta({ description: 'Its region.' }),
  prefix: z
    .string()
    .regex(/^([A-Za-z0-9_-][A-Za-z0-9._-]*\/)*$/, 'must be empty, or folders that end with /')
    .max(256)
    .default('steward/')
    .meta({ description: 'Put before the names of objects.' }),
  pathStyle: z.boolean().default(true).meta({
    description: 'true: https://HOST/BUCKET/OBJECT; false: https://BUCKET.HOST/OBJECT.',
  }),
  accessKeyId: secretName.meta({ description: 'Name of the secret with the access key id.' }),
  secretAccessKey: secretName.meta({ description: 'Name of the secret with the secret key.' }),
})
export type SnapshotBucketSettings = z.infer<typeof snapshotBucket>

/** The section `hosted` of `settings.json`. */
export const hostedSettings = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .meta({ description: 'true: the daemon also serves the hosted agent API.' }),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(31_338)
    .meta({ description: 'The loopback port of the hosted agent API.' }),
  names: z
    .array(z.string().min(1).max(253))
    .max(32)
    .default([])
    .meta({ description: 'Its public host names if it is behind a proxy.' }),
  sessions: count(10_000)
    .default(32)
    .meta({ description: 'Sessions that one process runs concurrently.' }),
  isolation: z
    .enum(SANDBOX_DRIVERS)
    .default('bubblewrap')
    .meta({ description: 'How sandboxes are isolated. "none" isolates nothing.' }),
  limits: limits.prefault({}).meta({ description: 'Resource limits of one sandbox.' }),
  packages: packages
    .prefault({})
    .meta({ description: 'Installation and caching of environment packages.' }),
  snapshotMb: z.int().min(0).max(1_048_576).default(512).meta({
    description:
      'With Postgres or a bucket: the packed files of a session, up to this size, are stored after each turn, so that another machine can continue it. 0: off.',
  }),
  snapshotBucket: snapshotBucket.optional().meta({
    description: 'Files of sessions are stored in this S3-compatible bucket, not in the store.',
  }),
  modelAliases: modelAliases.default({}).meta({
    description:
      'Models that replace others: {"claude-*": "qwen3:8b"} runs agents that name a Claude model on qwen3:8b.',
  }),
  webhookPrivateHosts: z.array(z.string().min(1).max(300)).max(256).default([]).meta({
    description: 'Receivers of webhooks (host or host:port) at private addresses.',
  }),
  mcpPrivateHosts: z.array(z.string().min(1).max(300)).max(256).default([]).meta({
    description: 'MCP servers (host or host:port) at private addresses that agents may reach.',
  }),
  webSearch: webSearch.optional().meta({
    description: 'The provider of web_search; without one the tool reports that it is not set up.',
  }),
})
export type HostedSettings = z.infer<typeof hostedSettings>
