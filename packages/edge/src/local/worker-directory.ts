import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  LIMITS,
  nameOfWorker,
  ok,
  type Result,
  reasonOf,
  StewardError,
  VERSION_VARIABLE,
} from '@steward/contract'
import { isAbsent, isMissing } from '@steward/platform'
import { z } from 'zod'
import { readJsoncFile, readText } from '../build/read-jsonc.ts'

const consumer = z.object({
  queue: z.string(),
  max_batch_size: z.int().min(1).max(100).default(10),
  max_batch_timeout: z.number().min(0).max(60).default(5),
  max_retries: z.int().min(0).max(100).default(3),
  dead_letter_queue: z.string().optional(),
  retry_delay: z.int().min(0).default(0),
})

/** The part of a generated `wrangler.jsonc` that the local edge reads. */
const configuration = z.object({
  name: z.string(),
  main: z.string(),
  compatibility_date: z.string(),
  compatibility_flags: z.array(z.string()).default([]),
  vars: z.record(z.string(), z.string()).default({}),
  services: z.array(z.object({ binding: z.string(), service: z.string() })).default([]),
  triggers: z.object({ crons: z.array(z.string()).default([]) }).prefault({}),
  queues: z
    .object({
      producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
      consumers: z.array(consumer).default([]),
    })
    .prefault({}),
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string() })).default([]),
  d1_databases: z.array(z.object({ binding: z.string(), database_id: z.string() })).default([]),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })).default([]),
  durable_objects: z
    .object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) })
    .default({ bindings: [] }),
})
type WorkerConfiguration = z.infer<typeof configuration>

/** The part of a generated `steward.json` that the local edge reads. */
const facts = z.object({
  tier: z.enum(['isolate', 'sandbox']).default('isolate'),
  secrets: z.array(z.string()).default([]),
  optionalSecrets: z.array(z.string()).default([]),
  network: z.boolean().default(false),
  apart: z.boolean().default(false),
  timeoutMs: z.int().positive().default(LIMITS.actionTimeoutMs),
})

/** A built worker, read and validated. */
export interface WorkerDirectory {
  path: string
  /** The primitive's name: `A_LABEL_AND_RATE`. */
  name: string
  /** The worker's name: `exec-a-label-and-rate`. */
  worker: string
  tier: 'isolate' | 'sandbox'
  /** Whether it may reach the network. */
  network: boolean
  /** Whether it contains the user's code, which could loop endlessly. */
  apart: boolean
  /** The longest duration of one call, for an action. */
  timeoutMs: number
  /** Names of the secrets it gets, if they are set. */
  secrets: string[]
  configuration: WorkerConfiguration
  /** The bundled module; for the sandbox tier the one that runs in the sandbox. */
  code: string
}

/** Whether it runs in a process of its own, so that it can freeze no other worker. */
export const isApart = ({ tier, apart }: WorkerDirectory): boolean => tier === 'sandbox' || apart

/** Whether a worker is bound to one that is replaced alone. */
export const callsApart = (
  { configuration: { services } }: WorkerDirectory,
  all: readonly WorkerDirectory[],
): boolean =>
  services.some(({ service }) => all.some((each) => each.worker === service && isApart(each)))

/** Whether nothing changed between two reads. */
export const isSameDirectory = (a: WorkerDirectory, b: WorkerDirectory): boolean =>
  a.worker === b.worker && a.code === b.code && describe(a) === describe(b)

/** Everything but the code, which is large. */
const describe = ({ code: _, ...rest }: WorkerDirectory): string => JSON.stringify(rest)

/**
 * Whether one shared process serves both: workers apart have their own, and a pipeline that calls
 * them asks for its version.
 */
export const isSameHost = (
  before: readonly WorkerDirectory[],
  now: readonly WorkerDirectory[],
): boolean => {
  const [former, latter] = [before, now].map((all) => all.flatMap((each) => hostPart(each, all)))
  return (
    former !== undefined &&
    former.length === latter?.length &&
    former.every((part, at) => part.text === latter[at]?.text && part.code === latter[at]?.code)
  )
}

const hostPart = (
  directory: WorkerDirectory,
  all: readonly WorkerDirectory[],
): { text: string; code: string }[] => {
  const { worker, configuration, code } = directory
  if (isApart(directory)) {
    const isCalled = all.some((each) =>
      each.configuration.services.some(({ service }) => service === worker),
    )
    return isCalled ? [{ text: worker, code: '' }] : []
  }
  if (!callsApart(directory, all)) return [{ text: describe(directory), code }]
  const { [VERSION_VARIABLE]: _, ...vars } = configuration.vars
  return [{ text: describe({ ...directory, configuration: { ...configuration, vars } }), code }]
}

const CONTAINER_MODULE = 'container.js'

export interface WorkerDirectories {
  workers: WorkerDirectory[]
  problems: StewardError[]
}

/**
 * All worker directories of a folder, in name order; an unreadable one does not hide the others.
 */
export const readWorkerDirectories = async (folder: string): Promise<WorkerDirectories> => {
  const found: WorkerDirectories = { workers: [], problems: [] }
  for (const entry of (await listFolder(folder)).toSorted()) {
    const path = join(folder, entry)
    if (!(await isFile(join(path, 'wrangler.jsonc')))) continue
    const read = await readWorkerDirectory(path)
    if (read.ok) found.workers.push(read.value)
    else found.problems.push(read.error)
  }
  return found
}

const readWorkerDirectory = async (path: string): Promise<Result<WorkerDirectory>> => {
  const settings = await readJsoncFile(join(path, 'wrangler.jsonc'), configuration)
  if (!settings.ok) return settings
  const about = await readJsoncFile(join(path, 'steward.json'), facts)
  if (!about.ok) return about
  const { name: worker, main } = settings.value
  const name = nameOfWorker(worker)
  if (!name.ok) return name
  const { tier, network, apart, timeoutMs, secrets, optionalSecrets } = about.value
  const code = await readText(join(path, tier === 'sandbox' ? CONTAINER_MODULE : main))
  if (!code.ok) return code
  return ok({
    path,
    name: name.value,
    worker,
    tier,
    network,
    apart,
    timeoutMs,
    secrets: [...new Set(['AUTH_TOKEN', ...secrets, ...optionalSecrets])],
    configuration: settings.value,
    code: code.value,
  })
}

const listFolder = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw new StewardError('invalid_definition', { file: folder, reason: reasonOf(thrown) }, thrown)
  }
}

const isFile = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile()
  } catch (thrown) {
    if (isAbsent(thrown)) return false
    throw thrown
  }
}
