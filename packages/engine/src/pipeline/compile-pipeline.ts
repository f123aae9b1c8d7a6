import {
  actionsIn,
  type Issue,
  isJsonObject,
  type JsonObject,
  LIMITS,
  type PipelineDefinition,
  type PipelineStep,
  parseDuration,
} from '@steward/contract'
import { type Condition, compileCondition } from './condition.ts'

/** A step that is ready to run. `name` is its name in the history. */
export type CompiledStep = ActionStep | WhenStep | ParallelStep | EachStep

export interface ActionStep {
  kind: 'action'
  name: string
  with: JsonObject | undefined
  attempts: number
  delayMs: number
  onError: CompiledStep[] | undefined
}

export interface WhenStep {
  kind: 'when'
  name: string
  expression: string
  condition: Condition
}

export interface ParallelStep {
  kind: 'parallel'
  name: string
  branches: CompiledStep[][]
}

export interface EachStep {
  kind: 'each'
  name: string
  list: string
  steps: CompiledStep[]
  max: number | undefined
  concurrency: number
}

export interface PipelineProgram {
  steps: CompiledStep[]
  /** Whether every step is just the name of an action. */
  isPlain: boolean
  /** The actions it can run, each once. */
  actions: string[]
  input: PipelineDefinition['input']
}

const DEFAULT_DELAY_MS = 1000

/** Compiles a definition that was checked when it was read. */
export const compilePipeline = ({
  actions,
  input,
}: Pick<PipelineDefinition, 'actions' | 'input'>): PipelineProgram => ({
  steps: actions.map(compileStep),
  isPlain: actions.every((step) => typeof step === 'string'),
  actions: [...new Set(actionsIn(actions))],
  input,
})

const compileStep = (step: PipelineStep): CompiledStep => {
  if (typeof step === 'string') return compileAction({ action: step })
  if ('when' in step) return compileWhen(step.when)
  if ('parallel' in step) {
    const branches = step.parallel.map((branch) => branch.map(compileStep))
    return { kind: 'parallel', name: 'parallel', branches }
  }
  if ('each' in step) {
    return {
      kind: 'each',
      name: `each ${step.each}`,
      list: step.each,
      steps: step.do.map(compileStep),
      max: step.max,
      concurrency: step.concurrency ?? LIMITS.fanOutDefault,
    }
  }
  return compileAction(step)
}

const compileAction = ({
  action,
  with: values,
  retry,
  onError,
}: Extract<PipelineStep, { action: string }>): ActionStep => ({
  kind: 'action',
  name: action,
  with: values,
  attempts: retry?.attempts ?? 1,
  delayMs: parseDuration(retry?.delay ?? '') ?? DEFAULT_DELAY_MS,
  onError: onError === undefined ? undefined : [onError].flat().map(compileStep),
})

const compileWhen = (expression: string): WhenStep => {
  const compiled = compileCondition(expression)
  if (!compiled.ok) throw compiled.error
  return { kind: 'when', name: `when ${expression}`, expression, condition: compiled.value }
}

/** Every condition of a list of steps that does not compile. */
export const conditionIssues = (steps: unknown, at: string): Issue[] => {
  if (!Array.isArray(steps)) return []
  return steps.flatMap((step: unknown, index): Issue[] => {
    if (!isJsonObject(step)) return []
    const path = `${at}[${index}]`
    if (typeof step.when === 'string') {
      const compiled = compileCondition(step.when)
      if (compiled.ok) return []
      const { reason } = compiled.error.details
      return [{ path: `${path}.when`, message: String(reason) }]
    }
    const branches: unknown[] = Array.isArray(step.parallel) ? step.parallel : []
    return [
      ...conditionIssues(step.onError, `${path}.onError`),
      ...conditionIssues(step.do, `${path}.do`),
      ...branches.flatMap((branch, number) =>
        conditionIssues(branch, `${path}.parallel[${number}]`),
      ),
    ]
  })
}
