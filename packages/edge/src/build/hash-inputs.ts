import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PLATFORM_VERSION } from '@steward/contract'
import { isMissing } from '@steward/platform'
import { version as bundlerVersion } from 'esbuild'
import type { BundleInput } from './label-inputs.ts'
import type { WorkerFacts } from './worker-facts.ts'
import type { WorkerPlan } from './worker-plan.ts'

export const hashText = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex')

/** Content hashes of files, each read once however many workers share it. */
export type HashFile = (path: string) => Promise<string>

export const createFileHashes = (): HashFile => {
  const known = new Map<string, Promise<string>>()
  return (path) => {
    const hash = known.get(path) ?? readFile(path).then(hashText)
    known.set(path, hash)
    return hash
  }
}

/** Hash of everything that determines a worker's files: our version, the plan, and every bundled file. */
export const hashInputs = async (
  plan: WorkerPlan,
  inputs: readonly BundleInput[],
  hashFile: HashFile,
): Promise<string> => {
  const { folder: _, module: __, ...definition } = plan
  return hashWith(definition, inputs, hashFile)
}

/** The same for the bundles alone, which do not depend on bindings and variables. */
export const hashCode = (
  { entry, containerEntry, sockets }: WorkerPlan,
  inputs: readonly BundleInput[],
  hashFile: HashFile,
): Promise<string> => hashWith({ entry, containerEntry, sockets }, inputs, hashFile)

const hashWith = async (
  definition: object,
  inputs: readonly BundleInput[],
  hashFile: HashFile,
): Promise<string> => {
  const files = await Promise.all(
    inputs.map(async ({ path, label }) => [label, await hashFile(path)]),
  )
  return hashText(JSON.stringify([PLATFORM_VERSION, bundlerVersion, definition, files]))
}

/** The bundles of a directory, if nothing that they consist of changed. */
export const readBundles = async (
  directory: string,
  facts: WorkerFacts,
  plan: WorkerPlan,
  known: { inputs: readonly BundleInput[]; code: string },
  hashFile: HashFile,
): Promise<Record<string, string> | undefined> => {
  const names = ['index.js', ...(plan.containerEntry === undefined ? [] : ['container.js'])]
  try {
    if ((await hashCode(plan, known.inputs, hashFile)) !== known.code) return undefined
    const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
    const isSame = names.every((name, at) => hashText(texts[at] ?? '') === facts.files[name])
    return isSame ? Object.fromEntries(names.map((name, at) => [name, texts[at] ?? ''])) : undefined
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

/** Whether a build would write the same worker directory: no input changed, and no file in it was edited. */
export const isUnchanged = async (
  directory: string,
  facts: WorkerFacts,
  plan: WorkerPlan,
  inputs: readonly BundleInput[],
  hashFile: HashFile,
): Promise<boolean> => {
  try {
    if ((await hashInputs(plan, inputs, hashFile)) !== facts.inputHash) return false
    for (const [name, hash] of Object.entries(facts.files)) {
      if (hashText(await readFile(join(directory, name))) !== hash) return false
    }
    return true
  } catch (thrown) {
    // A missing file may not be needed any more; the build decides.
    if (isMissing(thrown)) return false
    throw thrown
  }
}
