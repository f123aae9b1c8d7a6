import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type HashFile, hashInputs, hashText } from './hash-inputs.ts'
import type { BundleInput } from './label-inputs.ts'
import type { WorkerFacts } from './worker-facts.ts'
import type { WorkerPlan } from './worker-plan.ts'

/** Whether a worker directory is what a build would give: nothing that goes in changed, and nobody touched it. */
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
    // A file that was moved away: whether it is still needed is for the build to say.
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return false
    throw thrown
  }
}
