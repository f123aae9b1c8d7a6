import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nearestHint, shortName } from '@steward/contract'
import { isAbsent, isMissing } from '@steward/platform'
import type { EdgeCatalog, Mistake } from './catalog.ts'
import {
  createFileHashes,
  type HashFile,
  hashCode,
  isUnchanged,
  readBundles,
} from './hash-inputs.ts'
import { INPUT_LIST_FILE, type InputList, readInputList, renderInputList } from './input-list.ts'
import { type KeptBundles, makeWorker } from './make-worker.ts'
import { type BuildPlan, planWorkers } from './plan-workers.ts'
import type { EdgeResources } from './resources.ts'
import { RUNTIME_MODULES, type RuntimeModules } from './runtime-modules.ts'
import { sizeWarning } from './size-warning.ts'
import { openStaging, type Staging } from './staging.ts'
import { readWorkerFacts } from './worker-facts.ts'
import type { SkippedPrimitive, WorkerPlan } from './worker-plan.ts'

export interface BuildRequest {
  catalog: EdgeCatalog
  resources: EdgeResources
  /** The directory of worker directories. */
  out: string
  /** Defaults to Steward's own sources. */
  modules?: RuntimeModules
  /** Names of primitives. Without it, everything is built and directories of deleted primitives are removed. */
  only?: readonly string[] | undefined
  onProgress?: (progress: BuildProgress) => void
}

interface BuildProgress {
  name: string
  status: 'built' | 'unchanged'
  done: number
  total: number
}

/** One worker of a build; sizes are those of `index.js`, as the platform counts them. */
interface BuiltWorker {
  name: string
  worker: string
  directory: string
  status: 'built' | 'unchanged'
  gzipBytes: number
}

export interface BuildReport {
  out: string
  workers: BuiltWorker[]
  removed: string[]
  skipped: SkippedPrimitive[]
  warnings: string[]
}

export type BuildOutcome = { ok: true; report: BuildReport } | { ok: false; mistakes: Mistake[] }

/** Builds worker directories. If there is any mistake, nothing is written and all mistakes are returned. */
export const buildWorkers = async (request: BuildRequest): Promise<BuildOutcome> => {
  const { out } = request
  const plan = await planWorkers(request.catalog, request.resources)
  const wanted = selectWanted(plan, request.only)
  if (wanted.mistakes.length > 0) return { ok: false, mistakes: wanted.mistakes }
  await mkdir(out, { recursive: true })
  const lists = await readInputList(out)
  const staging = await openStaging(out)
  try {
    const made = await makeAll(request, wanted.workers, lists, staging)
    if (made.mistakes.length > 0) return { ok: false, mistakes: made.mistakes }
    const kept = new Set(plan.workers.map(({ name }) => shortName(name)))
    const removed = request.only === undefined ? await findGone(out, kept) : []
    await staging.commit(removed)
    for (const name of lists.keys()) if (!kept.has(shortName(name))) lists.delete(name)
    await staging.replaceFile(INPUT_LIST_FILE, renderInputList(out, lists))
    const { workers } = made
    const warnings = [
      ...wanted.doubts.map(({ subject, reason }) => `${subject}: ${reason}`),
      ...workers.flatMap(({ name, gzipBytes }) => sizeWarning(name, gzipBytes) ?? []),
    ]
    return { ok: true, report: { out, workers, removed, skipped: wanted.skipped, warnings } }
  } finally {
    await staging.discard()
  }
}

const selectWanted = (plan: BuildPlan, only: readonly string[] | undefined): BuildPlan => {
  if (only === undefined) return plan
  const known = new Set([
    ...plan.workers.map(({ name }) => name),
    ...plan.skipped.map(({ name }) => name),
    ...plan.mistakes.map(({ subject }) => subject),
  ])
  const unknown = only.filter((name) => !known.has(name))
  return {
    workers: plan.workers.filter(({ name }) => only.includes(name)),
    skipped: plan.skipped.filter(({ name }) => only.includes(name)),
    doubts: plan.doubts.filter(({ subject }) => only.includes(subject)),
    mistakes: [
      ...plan.mistakes.filter(({ subject }) => only.includes(subject)),
      ...unknown.map((subject) => ({
        subject,
        reason: `there is no such action, pipeline or flow${nearestHint(subject, known)}`,
      })),
    ],
  }
}

const makeAll = async (
  { out, modules = RUNTIME_MODULES, onProgress }: BuildRequest,
  plans: readonly WorkerPlan[],
  lists: InputList,
  staging: Staging,
): Promise<{ workers: BuiltWorker[]; mistakes: Mistake[] }> => {
  const hashFile = createFileHashes()
  const workers: BuiltWorker[] = []
  const mistakes: Mistake[] = []
  for (const plan of plans) {
    const { name } = plan
    const directory = join(out, shortName(name))
    const found = await lookAt(directory, plan, lists, hashFile)
    if (found.kind === 'foreign') {
      const reason = `${shortName(name)}/ was not created by steward edge build (no steward.json): move it away`
      mistakes.push({ subject: name, reason })
      continue
    }
    const built = { name, worker: plan.configuration.name, directory }
    if (found.kind === 'unchanged') {
      workers.push({ ...built, status: 'unchanged', gzipBytes: found.gzipBytes })
    } else {
      const made = await makeWorker(plan, modules, hashFile, found.kept)
      if (!made.ok) {
        mistakes.push(...made.mistakes)
        continue
      }
      const { files, inputs, gzipBytes } = made.worker
      await staging.add(shortName(name), files)
      lists.set(name, { inputs, gzipBytes, code: await hashCode(plan, inputs, hashFile) })
      workers.push({ ...built, status: 'built', gzipBytes })
    }
    onProgress?.({
      name,
      status: found.kind === 'unchanged' ? 'unchanged' : 'built',
      done: workers.length,
      total: plans.length,
    })
  }
  return { workers, mistakes }
}

type Found =
  | { kind: 'foreign' }
  /** `kept`: its bundles are still right. */
  | { kind: 'new' | 'changed'; kept?: KeptBundles | undefined }
  | { kind: 'unchanged'; gzipBytes: number }

const lookAt = async (
  directory: string,
  plan: WorkerPlan,
  lists: InputList,
  hashFile: HashFile,
): Promise<Found> => {
  const facts = await readWorkerFacts(directory)
  if (facts === undefined) return { kind: (await isThere(directory)) ? 'foreign' : 'new' }
  const known = lists.get(plan.name)
  if (known === undefined) return { kind: 'changed' }
  const same = await isUnchanged(directory, facts, plan, known.inputs, hashFile)
  if (same) return { kind: 'unchanged', gzipBytes: known.gzipBytes }
  const files = await readBundles(directory, facts, plan, known, hashFile)
  return { kind: 'changed', kept: files && { ...known, files } }
}

/** Generated directories whose primitive was deleted. Other directories are left alone. */
const findGone = async (out: string, kept: ReadonlySet<string>): Promise<string[]> => {
  const gone: string[] = []
  for (const name of (await readdir(out)).toSorted()) {
    if (kept.has(name) || name.startsWith('.')) continue
    if ((await readWorkerFacts(join(out, name))) !== undefined) gone.push(name)
  }
  return gone
}

const isThere = async (directory: string): Promise<boolean> =>
  readdir(directory).then(
    (names) => names.length > 0,
    (thrown: unknown) => {
      // A file in its place is there too.
      if (isAbsent(thrown)) return !isMissing(thrown)
      throw thrown
    },
  )
