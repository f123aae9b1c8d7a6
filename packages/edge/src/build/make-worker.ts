import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PLATFORM_VERSION } from '@steward/contract'
import { bundle, exportsOf } from './bundle.ts'
import type { Mistake } from './catalog.ts'
import { type HashFile, hashInputs, hashText } from './hash-inputs.ts'
import type { BundleInput } from './label-inputs.ts'
import type { RuntimeModules } from './runtime-modules.ts'
import { FACTS_FILE, type WorkerFacts } from './worker-facts.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { renderConfiguration } from './wrangler-configuration.ts'

/** A worker directory in memory. */
interface MadeWorker {
  files: Record<string, string>
  inputs: BundleInput[]
  gzipBytes: number
}

export type Made = { ok: true; worker: MadeWorker } | { ok: false; mistakes: Mistake[] }

/** Bundles of an earlier build. */
export type KeptBundles = Pick<MadeWorker, 'files' | 'inputs' | 'gzipBytes'>

/** Bundles a worker, unless `kept` are its bundles, and creates all its files. */
export const makeWorker = async (
  plan: WorkerPlan,
  modules: RuntimeModules,
  hashFile: HashFile,
  kept?: KeptBundles,
): Promise<Made> => {
  const { folder, containerEntry, sockets = false } = plan
  const entries = [
    { target: 'worker', out: 'index.js', sourcefile: 'src/index.ts', text: plan.entry },
    ...(containerEntry === undefined
      ? []
      : [
          {
            target: 'container',
            out: 'container.js',
            sourcefile: 'src/container.ts',
            text: containerEntry,
          } as const,
        ]),
  ] as const
  const bundles = await Promise.all(
    entries.map(async (entry) => {
      const code = kept?.files[entry.out]
      if (kept !== undefined && code !== undefined)
        return { ...entry, ok: true as const, code, inputs: kept.inputs }
      return { ...entry, ...(await bundle({ ...entry, folder, modules, sockets })) }
    }),
  )
  const reasons = new Set(bundles.flatMap((made) => (made.ok ? [] : made.reasons)))
  if (reasons.size > 0) {
    return { ok: false, mistakes: [...reasons].map((reason) => ({ subject: plan.name, reason })) }
  }
  const mistake = kept === undefined ? await missingExecute(plan) : undefined
  if (mistake !== undefined) return { ok: false, mistakes: [mistake] }
  const made = bundles.filter((one) => one.ok)
  const inputs = uniqueInputs(made.flatMap((one) => one.inputs))
  const files: Record<string, string> = {
    ...plan.files,
    'wrangler.jsonc': renderConfiguration(plan.configuration),
    ...Object.fromEntries(
      made.flatMap(({ sourcefile, text, out, code }) => [
        [sourcefile, text],
        [out, code],
      ]),
    ),
  }
  const facts = factsOf(plan, await hashInputs(plan, inputs, hashFile), files)
  return {
    ok: true,
    worker: {
      files: { ...files, [FACTS_FILE]: `${JSON.stringify(facts, null, 2)}\n` },
      inputs,
      gzipBytes: kept?.gzipBytes ?? gzipSync(files['index.js'] ?? '').byteLength,
    },
  }
}

/** A worker without `execute` would start, and fail at every call. */
const missingExecute = async ({ name, module }: WorkerPlan): Promise<Mistake | undefined> => {
  if (module === undefined) return undefined
  const names = await exportsOf(module)
  if (names.includes('execute') || names.includes('default')) return undefined
  const found = names.length === 0 ? 'nothing' : names.join(', ')
  const reason = `${basename(module)} exports ${found}; export a function named execute`
  return { subject: name, reason }
}

const factsOf = (
  plan: WorkerPlan,
  inputHash: string,
  files: Readonly<Record<string, string>>,
): WorkerFacts => ({
  generator: 'steward',
  version: PLATFORM_VERSION,
  name: plan.name,
  worker: plan.configuration.name,
  primitive: plan.primitive,
  tier: plan.tier,
  secrets: plan.secrets,
  optionalSecrets: plan.optionalSecrets,
  network: plan.network,
  ...(plan.apart === undefined ? {} : { apart: plan.apart }),
  ...(plan.serves === undefined ? {} : { serves: plan.serves }),
  ...(plan.timeoutMs === undefined ? {} : { timeoutMs: plan.timeoutMs }),
  inputHash,
  files: Object.fromEntries(
    Object.keys(files)
      .toSorted()
      .map((name) => [name, hashText(files[name] ?? '')]),
  ),
})

const uniqueInputs = (inputs: readonly BundleInput[]): BundleInput[] =>
  [...new Map(inputs.map((input) => [input.label, input])).values()].toSorted((a, b) =>
    a.label < b.label ? -1 : 1,
  )
