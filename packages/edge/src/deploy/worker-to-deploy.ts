import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describeIssues, issuesOf, reasonOf, StewardError } from '@steward/contract'
import { z } from 'zod'
import { readWorkerFacts, type WorkerFacts } from '../build/worker-facts.ts'
import { readJsonc } from '../local/read-jsonc.ts'
import { hashDirectory } from './hash-directory.ts'

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
export type DeployConfiguration = z.infer<typeof configuration>

/** A built worker directory, as deploy sees it. */
export interface WorkerToDeploy {
  /** The directory's own name: `a-label-and-rate`. */
  short: string
  directory: string
  configuration: DeployConfiguration
  facts: WorkerFacts
  /** Over all that is uploaded. */
  hash: string
}

/** Every worker directory in a folder, in name order; what is no worker directory is passed by. */
export const readWorkersToDeploy = async (folder: string): Promise<WorkerToDeploy[]> => {
  const workers: WorkerToDeploy[] = []
  for (const entry of (await listFolder(folder)).toSorted()) {
    const directory = join(folder, entry)
    if (!existsSync(join(directory, 'wrangler.jsonc'))) continue
    const facts = await readWorkerFacts(directory)
    if (facts === undefined) {
      const reason = `it was not made by this version of \`steward edge build\` (steward.json): build again, or move it away`
      throw new StewardError('invalid_definition', { file: directory, reason })
    }
    workers.push(await readWorker(directory, facts))
  }
  return workers
}

const readWorker = async (directory: string, facts: WorkerFacts): Promise<WorkerToDeploy> => {
  const file = join(directory, 'wrangler.jsonc')
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new StewardError('invalid_definition', { file, reason: reasonOf(thrown) }, thrown)
  })
  const json = readJsonc(text, file)
  if (!json.ok) throw json.error
  const parsed = configuration.safeParse(json.value)
  if (!parsed.success) {
    const reason = describeIssues(issuesOf(parsed.error))
    throw new StewardError('invalid_definition', { file, reason }, parsed.error)
  }
  return {
    short: basename(directory),
    directory,
    configuration: parsed.data,
    facts,
    hash: await hashDirectory(directory),
  }
}

const listFolder = async (folder: string): Promise<string[]> => {
  try {
    return await readdir(folder)
  } catch (thrown) {
    const reason = `${reasonOf(thrown)}; \`steward edge build\` makes the worker directories`
    throw new StewardError('not_configured', { subject: `the folder ${folder}`, reason }, thrown)
  }
}
