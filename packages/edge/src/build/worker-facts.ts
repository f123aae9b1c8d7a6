import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson, TIERS, WORKER_KINDS } from '@steward/contract'
import { isAbsent } from '@steward/platform'
import { z } from 'zod'

/**
 * `steward.json` of a worker directory: its machine-readable facts, and the sign that Steward built
 * it.
 */
const workerFacts = z.object({
  generator: z.literal('steward'),
  version: z.string(),
  name: z.string(),
  worker: z.string(),
  primitive: z.enum(WORKER_KINDS),
  tier: z.enum(TIERS),
  /** Required secrets, and those used if set. */
  secrets: z.array(z.string()),
  optionalSecrets: z.array(z.string()),
  /** Whether it needs the network: a sandbox gets it only then. */
  network: z.boolean(),
  /** Whether it contains the user's code and runs in its own process on the local edge. */
  apart: z.boolean().optional(),
  /** The flows that get their calls through it, for the inbox of webhooks. */
  serves: z.array(z.string()).optional(),
  /** The longest duration of one call, for an action. */
  timeoutMs: z.int().positive().optional(),
  /** Hash of all inputs; if equal, a build would produce the same files. */
  inputHash: z.string(),
  /** SHA-256 of each file, so that manual edits are noticed. */
  files: z.record(z.string(), z.string()),
})
export type WorkerFacts = z.infer<typeof workerFacts>

export const FACTS_FILE = 'steward.json'

/** The facts of a worker directory; `undefined` if Steward did not build it. */
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
