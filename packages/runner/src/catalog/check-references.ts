import { readFileSync } from 'node:fs'
import {
  type ActionManifestV2,
  actionsIn,
  describeIssuesAt,
  type FlowEntry,
  type Issue,
  lineInJson,
  nearestHint,
  type PipelineDefinition,
  StewardError,
  stepIssues,
} from '@steward/contract'
import { lineInYaml } from '@steward/contract/yaml'
import {
  type CheckReference,
  checkLoopGate,
  checkWith,
  type FlowReferences,
  lineInMarkdown,
  parseFlowIndex,
  undeclaredFields,
} from '@steward/engine'
import type { ActionCatalog, LoadedAction } from './action-catalog.ts'
import type { CatalogEntry } from './entry.ts'
import type { LoadedFlow } from './flow-catalog.ts'
import type { LoadedPipeline, PipelineCatalog } from './pipeline-catalog.ts'

/** The mistake in how a pipeline uses its actions; undefined if there is none. */
export const pipelineMistake = (
  { definition, entry }: Pick<LoadedPipeline, 'definition' | 'entry'>,
  actions: ActionCatalog,
): StewardError | undefined => {
  const issues = actionIssues(definition, actions)
  if (issues.length === 0) return undefined
  return describeMistake(entry, issues)
}

const describeMistake = ({ path }: CatalogEntry, issues: readonly Issue[]): StewardError => {
  const text = readFileSync(path, 'utf8')
  const lineOf = path.endsWith('.md') ? lineInMarkdown(text) : lineInYaml(text)
  return new StewardError('invalid_definition', {
    file: path,
    reason: describeIssuesAt(issues, lineOf),
  })
}

/** A field in an expression of a pipeline that none of its actions has; undefined if there is none. */
export const fieldMistake = (
  { definition, entry }: Pick<LoadedPipeline, 'definition' | 'entry'>,
  findLoaded: (name: string) => LoadedAction | undefined,
): StewardError | undefined => {
  const issues = undeclaredFields(definition, (name) => findLoaded(name)?.manifest)
  return issues.length === 0 ? undefined : describeMistake(entry, issues)
}

/** The mistake in how a flow uses its pipeline; undefined if there is none. */
export const flowMistake = (
  { flow, file }: Pick<LoadedFlow, 'flow' | 'file'>,
  pipelines: PipelineCatalog,
  actions: ActionCatalog,
): StewardError | undefined => {
  const issues = flowIssues(flow, pipelines, actions)
  if (issues.length === 0) return undefined
  const text = readFileSync(file, 'utf8')
  const path = pathOfFlow(text, flow)
  const lineOf = lineInJson(text)
  const reason = describeIssuesAt(issues, (within) => lineOf(`${path}.${within}`))
  return new StewardError('invalid_definition', { file, reason: `${flow.name}: ${reason}` })
}

/** Actions of a pipeline that do not exist or load, and fields that none of them has. */
export const actionIssues = (definition: PipelineDefinition, actions: ActionCatalog): Issue[] => {
  const issues = stepIssues(definition.actions, ['actions'], checkActionIn(actions))
  if (issues.length > 0) return issues
  return undeclaredFields(definition, (name) => findManifest(name, actions))
}

/** Whether an action that a pipeline names exists and loads. */
export const checkActionIn = (actions: ActionCatalog): CheckReference => {
  const entries = actions.entries()
  return (name, path) => {
    if (!entries.has(name)) {
      return [{ path, message: `${name} does not exist${nearestHint(name, entries.keys())}` }]
    }
    return findManifest(name, actions) === undefined
      ? [{ path, message: `${name} does not load; \`steward list\` shows why` }]
      : []
  }
}

/** How a flow and its pipeline do not fit. */
export const flowIssues = (
  { pipeline, loop, with: fields = {} }: FlowReferences,
  pipelines: PipelineCatalog,
  actions: ActionCatalog,
): Issue[] => {
  if (pipeline === undefined) return []
  const known = pipelines.entries()
  if (!known.has(pipeline)) {
    const message = `${pipeline} does not exist${nearestHint(pipeline, known.keys())}`
    return [{ path: 'pipeline', message }]
  }
  const loaded = findPipeline(pipeline, pipelines)
  const steps =
    loaded && actionsIn(loaded.definition.actions).map((name) => findManifest(name, actions))
  if (steps === undefined || steps.includes(undefined)) {
    return [{ path: 'pipeline', message: `${pipeline} does not load; \`steward list\` shows why` }]
  }
  const given = checkWith(fields, loaded?.definition.input)
  if (loop === undefined) return given
  const outputs = steps.flatMap((step) => (step === undefined ? [] : [step.output]))
  return [...given, ...checkLoopGate(loop, outputs)]
}

const findManifest = (name: string, actions: ActionCatalog): ActionManifestV2 | undefined => {
  try {
    return actions.describe(name)
  } catch {
    // Its own mistakes are reported where it is listed.
    return undefined
  }
}

const findPipeline = (name: string, pipelines: PipelineCatalog): LoadedPipeline | undefined => {
  try {
    return pipelines.load(name)
  } catch {
    return undefined
  }
}

const pathOfFlow = (text: string, { name }: FlowEntry): string => {
  const { flows } = parseFlowIndex(text, '')
  return `flows[${flows.findIndex((flow) => flow.name === name)}]`
}
