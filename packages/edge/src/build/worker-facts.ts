import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson, TIERS, WORKER_KINDS } from '@steward/contract'
import { isAbsent } from '@steward/platform'
import { z } from 'zod'

/** `steward.json` of a worker directory: what a machine wants to know of it, and the sign that it is ours. */
const workerFacts = z.object({
  generator: z.literal('steward'),
  version: z.string(),
  name: z.string(),
  worker: z.string(),
  primitive: z.enum(WORKER_KINDS),
  tier: z.enum(TIERS),
  /** Secrets the worker cannot do without, and those it uses when they are set. */
  secrets: z.array(z.string()),
  optionalSecrets: z.array(z.string()),
  /** Whether it has to reach others: a sandbox is given the network only then. */
  network: z.boolean(),
  /** Over all that went in; equal means that a build would give the same files. */
  inputHash: z.string(),
  /** SHA-256 of each file, so that a change by hand is noticed. */
  files: z.record(z.string(), z.string()),
})
export type WorkerFacts = z.infer<typeof workerFacts>

export const FACTS_FILE = 'steward.json'

/** The facts of a worker directory; nothing when it is not one that was built here. */
export const readWorkerFacts = async (directory: string): Promise<WorkerFacts | undefined> => {
  const file = join(directory, FACTS_FILE)
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    if (isAbsent(thrown)) return undefined
    throw thrown
  })
  if (text === undefined) return undefined
  const json = parseJson(text, file)
  const parsed = workerFacts.safeParse(json.ok ? json.value : undefined)
  return parsed.success ? parsed.data : undefined
}
