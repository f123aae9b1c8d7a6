import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { reasonOf, StewardError, unwrap } from '@steward/contract'
import { z } from 'zod'
import { readJsoncFile } from '../build/read-jsonc.ts'
import { readWorkerFacts, type WorkerFacts } from '../build/worker-facts.ts'

/** What deploy reads of a `wrangler.jsonc`; wrangler itself reads the rest. */
const configuration = z.looseObject({
  name: z.string(),
  services: z.array(z.object({ binding: z.string(), service: z.string() })).default([]),
  triggers: z.object({ crons: z.array(z.string()).default([]) }).prefault({}),
  queues: z
    .object({
      producers: z.array(z.object({ binding: z.string(), queue: z.string() })).default([]),
      consumers: z
        .array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() }))
        .default([]),
    })
    .prefault({}),
  kv_namespaces: z.array(z.object({ binding: z.string(), id: z.string() })).default([]),
  d1_databases: z
    .array(z.object({ binding: z.string(), database_name: z.string(), database_id: z.string() }))
    .default([]),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })).default([]),
  containers: z.array(z.looseObject({ class_name: z.string() })).default([]),
})
type DeployConfiguration = z.infer<typeof configuration>

/** A built worker directory, as deploy sees it. */
export interface WorkerToDeploy {
  /** The directory's own name: `a-label-and-rate`. */
  short: string
  directory: string
  configuration: DeployConfiguration
  facts: WorkerFacts
  /** Ids of this account, by the text that stands for them in the configuration. */
  ids?: Readonly<Record<string, string>>
  /** Hash of everything that is uploaded. */
  hash: string
}

/** Every worker directory in a folder, in name order; other folders are ignored. */
export const readWorkersToDeploy = async (folder: string): Promise<WorkerToDeploy[]> => {
  const workers: WorkerToDeploy[] = []
  for (const entry of (await listFolder(folder)).toSorted()) {
    const directory = join(folder, entry)
    if (!existsSync(join(directory, 'wrangler.jsonc'))) continue
    const facts = await readWorkerFacts(directory)
    if (facts === undefined) {
      const reason =
        'steward.json is missing or was written by another version; run `steward edge build` again, or move the folder away'
      throw new StewardError('invalid_definition', { file: directory, reason })
    }
    workers.push(await readWorker(directory, facts))
  }
  return workers
}

const readWorker = async (directory: string, facts: WorkerFacts): Promise<WorkerToDeploy> => {
  const file = join(directory, 'wrangler.jsonc')
  const read = unwrap(await readJsoncFile(file, configuration))
  return {
    short: basename(directory),
    directory,
    configuration: read,
    facts,
    hash: await hashDirectory(directory),
  }
}

const listFolder = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder)
  } catch (thrown) {
    const reason = `${reasonOf(thrown)}; create worker directories with \`steward edge build\``
    throw new StewardError('not_configured', { subject: `the folder ${folder}`, reason }, thrown)
  }
}

/** The entry is bundled into `index.js`, `steward.json` stays here, and the rest belongs to wrangler. */
const NOT_UPLOADED = new Set(['src', 'steward.json', '.wrangler', 'node_modules'])

/** SHA-256 of the names and bytes that a deploy would upload. An equal hash needs no upload. */
const hashDirectory = async (directory: string): Promise<string> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !NOT_UPLOADED.has(file.split('/')[0] ?? ''))
  const hash = createHash('sha256')
  for (const file of files.toSorted()) {
    const bytes = await readFile(join(directory, file))
    hash.update(`${JSON.stringify(file)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** The folder in which `steward edge build` puts worker directories by default. */
export const DEFAULT_WORKERS = 'workers'

/** The workers built in a folder, or none if it does not exist: for queries that work without them. */
export const readBuiltWorkers = async (folder: string): Promise<WorkerToDeploy[]> =>
  existsSync(folder) ? readWorkersToDeploy(folder) : []
