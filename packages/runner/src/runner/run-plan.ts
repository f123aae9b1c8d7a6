import { createHash } from 'node:crypto'
import {
  actionsIn,
  type JsonObject,
  type PipelineDefinition,
  type Primitive,
  pipelineDefinition,
  primitiveOf,
  StewardError,
} from '@steward/contract'
import { compilePipeline, type PipelineProgram } from '@steward/engine'
import { z } from 'zod'
import {
  type Catalog,
  type CatalogEntry,
  fieldMistake,
  type LoadedAction,
} from '../catalog/index.ts'
import type { DefinitionSnapshot } from '../history/history.ts'

/** What a run executes: one action, or a pipeline's actions in order, and a snapshot of both. */
export interface RunPlan {
  primitive: Exclude<Primitive, 'flow'>
  name: string
  program: PipelineProgram
  /** The actions of the program; for plain steps in their order. */
  actions: LoadedAction[]
  definition: DefinitionSnapshot
  /** Warnings for the user, such as that the code changed since. */
  warnings: string[]
}

/**
 * `steps` is the list as written, if it has more than names. Made when it is used: every command loads
 * this file, and few need the schema.
 */
const snapshotBody = () =>
  z.looseObject({
    actions: z.array(z.string()),
    steps: pipelineDefinition.shape.actions.optional(),
    input: pipelineDefinition.shape.input,
  })

/** The chain according to the current files. */
export const currentPlan = async (catalog: Catalog, name: string): Promise<RunPlan> => {
  switch (primitiveOf(name)) {
    case 'action': {
      const action = await catalog.actions.load(name)
      return chainOf('action', name, action.manifest.version, { actions: [name] }, [action])
    }
    case 'pipeline': {
      const { definition, entry } = catalog.pipelines.load(name)
      const actions = await loadActions(catalog, namesOf(definition), entry.path)
      checkFieldsOf(definition, entry, actions)
      return chainOf('pipeline', name, definition.version, definition, actions)
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

/** Refuses a pipeline with a typo in an expression before its first action costs money. */
const checkFieldsOf = (
  definition: PipelineDefinition,
  entry: CatalogEntry,
  actions: readonly LoadedAction[],
): void => {
  if (isPlainList(definition.actions) || checked.has(definition)) return
  const mistake = fieldMistake({ definition, entry }, (name) =>
    actions.find(({ manifest }) => manifest.name === name),
  )
  if (mistake !== undefined) throw mistake
  checked.add(definition)
}

const checked = new WeakSet<PipelineDefinition>()

/**
 * The chain that a run was started with: the same actions in the same order, even if the pipeline
 * has changed.
 */
export const snapshotPlan = async (
  catalog: Catalog,
  record: { primitive: Primitive; name: string },
  definition: DefinitionSnapshot,
): Promise<RunPlan> => {
  const { actions: names, steps = names, input } = snapshotBody().parse(definition.body)
  const actions = await loadActions(catalog, names, record.name)
  const primitive = record.primitive === 'action' ? 'action' : 'pipeline'
  const source = { actions: steps, input }
  const now = chainOf(primitive, record.name, definition.version, source, actions)
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
const chains = new Map<string, KnownChain>()

interface KnownChain {
  plan: RunPlan
  source: Pick<PipelineDefinition, 'actions' | 'input'>
}

const chainOf = (
  primitive: RunPlan['primitive'],
  name: string,
  version: string,
  source: Pick<PipelineDefinition, 'actions' | 'input'>,
  actions: LoadedAction[],
): RunPlan => {
  const known = chains.get(name)
  if (known?.plan.definition.version === version && isSame(known, source, actions))
    return known.plan
  const program = compilePipeline(source)
  const hash = createHash('sha256').update(name)
  for (const action of actions) hash.update(action.hash)
  const more = writtenMore(program, source)
  if (more !== undefined) hash.update(JSON.stringify(more))
  const body = {
    actions: actions.map(({ manifest }) => manifest.name),
    versions: actions.map(({ manifest }) => manifest.version),
    hashes: actions.map((action) => action.hash),
    ...more,
  }
  const definition = { version, hash: hash.digest('hex'), body }
  const plan = { primitive, name, program, actions, warnings: [], definition }
  chains.set(name, { plan, source })
  return plan
}

/** Plain lists are loaded in their order, with repetitions. */
const namesOf = ({ actions }: PipelineDefinition): string[] => {
  const names = actionsIn(actions)
  return isPlainList(actions) ? names : [...new Set(names)]
}

/** What a definition says beyond the names of its actions. */
const writtenMore = (
  { isPlain }: PipelineProgram,
  { actions, input }: Pick<PipelineDefinition, 'actions' | 'input'>,
): JsonObject | undefined => {
  if (isPlain && input === undefined) return undefined
  return { ...(isPlain ? {} : { steps: actions }), ...(input === undefined ? {} : { input }) }
}

const isSame = (
  { plan, source }: KnownChain,
  wanted: KnownChain['source'],
  actions: readonly LoadedAction[],
): boolean =>
  source.input === wanted.input &&
  plan.actions.length === actions.length &&
  plan.actions.every((action, index) => action === actions[index]) &&
  (source.actions === wanted.actions || (plan.program.isPlain && isPlainList(wanted.actions)))

const isPlainList = (steps: PipelineDefinition['actions']): boolean =>
  steps.every((step) => typeof step === 'string')
