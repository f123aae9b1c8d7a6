import { createHash } from 'node:crypto'
import { type Primitive, primitiveOf, StewardError } from '@steward/contract'
import { z } from 'zod'
import type { Catalog, LoadedAction } from '../catalog/index.ts'
import type { DefinitionSnapshot } from '../history/history.ts'

/** What a run executes: one action, or a pipeline's actions in order, and a snapshot of both. */
export interface RunPlan {
  primitive: Exclude<Primitive, 'flow'>
  name: string
  actions: LoadedAction[]
  definition: DefinitionSnapshot
  /** Warnings for the user, such as that the code changed since. */
  warnings: string[]
}

const snapshotBody = z.looseObject({ actions: z.array(z.string()) })

/** The chain according to the current files. */
export const currentPlan = async (catalog: Catalog, name: string): Promise<RunPlan> => {
  switch (primitiveOf(name)) {
    case 'action': {
      const action = await catalog.actions.load(name)
      return chainOf('action', name, action.manifest.version, [action])
    }
    case 'pipeline': {
      const { definition, entry } = catalog.pipelines.load(name)
      const actions = await loadActions(catalog, definition.actions, entry.path)
      return chainOf('pipeline', name, definition.version, actions)
    }
    case 'flow':
      throw new StewardError('invalid_input', {
        subject: name,
        reason: `start a flow with steward trigger ${name}`,
      })
    default:
      throw new StewardError('invalid_name', {
        name,
        reason: 'a name starts with A_ (action), P_ (pipeline) or F_ (flow)',
      })
  }
}

/**
 * The chain that a run was started with: the same actions in the same order, even if the pipeline
 * has changed.
 */
export const snapshotPlan = async (
  catalog: Catalog,
  record: { primitive: Primitive; name: string },
  definition: DefinitionSnapshot,
): Promise<RunPlan> => {
  const { actions: names } = snapshotBody.parse(definition.body)
  const actions = await loadActions(catalog, names, record.name)
  const primitive = record.primitive === 'action' ? 'action' : 'pipeline'
  const now = chainOf(primitive, record.name, definition.version, actions)
  if (now.definition.hash === definition.hash) return now
  const warnings = [
    `the code of ${record.name} changed since this run was started; the new code runs`,
  ]
  return { ...now, definition, warnings }
}

const loadActions = async (
  catalog: Catalog,
  names: readonly string[],
  file: string,
): Promise<LoadedAction[]> => {
  const loading = names.map((name) => catalog.actions.load(name))
  try {
    return await Promise.all(loading)
  } catch (thrown) {
    const loaded = await Promise.allSettled(loading)
    const errors = loaded.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    if (errors.length === 1) throw thrown
    const reason = errors
      .map((error) => (error instanceof Error ? error.message : String(error)))
      .join('; ')
    throw new StewardError('invalid_definition', { file, reason })
  }
}

/** The last chain made for each name, valid while its actions are the same loaded ones. */
const chains = new Map<string, RunPlan>()

const chainOf = (
  primitive: RunPlan['primitive'],
  name: string,
  version: string,
  actions: LoadedAction[],
): RunPlan => {
  const known = chains.get(name)
  if (known?.definition.version === version && isSame(known.actions, actions)) return known
  const hash = createHash('sha256').update(name)
  for (const action of actions) hash.update(action.hash)
  const body = {
    actions: actions.map(({ manifest }) => manifest.name),
    versions: actions.map(({ manifest }) => manifest.version),
    hashes: actions.map((action) => action.hash),
  }
  const definition = { version, hash: hash.digest('hex'), body }
  const chain = { primitive, name, actions, warnings: [], definition }
  chains.set(name, chain)
  return chain
}

const isSame = (a: readonly LoadedAction[], b: readonly LoadedAction[]): boolean =>
  a.length === b.length && a.every((action, index) => action === b[index])
