import {
  type ActionManifestV2,
  type FieldsSpecV2,
  type Issue,
  isJsonObject,
  nearestHint,
  type PipelineDefinition,
  type PipelineStep,
} from '@steward/contract'
import { compileCondition } from './condition.ts'
import { fieldsIn } from './fill-fields.ts'

/** Fields that every flow gives to the pipeline of an item. */
export const OF_ITEMS = ['content', 'title', 'url', 'source_url', 'published_at', 'to', 'subject']
/** Fields that expressions inside `each` and `onError` see as well. */
const OF_BRANCHES = ['item', 'index', 'error']

/**
 * Fields in `when`, `with` and `each` that neither the pipeline's `input` nor any of its actions
 * declares: most likely typos. Actions that do not say what they return allow every field.
 */
export const undeclaredFields = (
  { actions, input = {} }: Pick<PipelineDefinition, 'actions' | 'input'>,
  manifestOf: (action: string) => Pick<ActionManifestV2, 'input' | 'output'> | undefined,
): Issue[] => {
  const used = usesIn(actions, 'actions')
  if (used.every(({ fields }) => fields.length === 0)) return []
  const known = new Set([...Object.keys(input), ...OF_ITEMS, ...OF_BRANCHES])
  let isOpen = false
  for (const { action, made } of actionStepsIn(actions)) {
    const manifest = manifestOf(action)
    const declared = [manifest && namesIn(manifest.input), manifest && namesIn(manifest.output)]
    isOpen ||= declared.includes(undefined)
    for (const name of [...made, ...declared.flatMap((names) => names ?? [])]) known.add(name)
  }
  if (isOpen) return []
  return used.flatMap(({ path, fields }) =>
    fields
      .filter((field) => !known.has(field))
      .map((field) => {
        const hint = nearestHint(field, known)
        return { path, message: `no action here has a field ${field}${hint}; declare it in input` }
      }),
  )
}

/** The names of declared fields; undefined if any field is possible. */
export const namesIn = (spec: FieldsSpecV2): string[] | undefined => {
  if (spec.type !== 'object') return Object.keys(spec)
  return isJsonObject(spec.properties) ? Object.keys(spec.properties) : undefined
}

/** Every action with the fields that its `with.schema` makes it return. */
const actionStepsIn = (
  steps: readonly PipelineStep[],
): { action: string; made: readonly string[] }[] =>
  steps.flatMap((step) => {
    if (typeof step === 'string') return [{ action: step, made: [] }]
    if ('when' in step) return []
    if ('parallel' in step) return step.parallel.flatMap(actionStepsIn)
    if ('each' in step) return actionStepsIn(step.do)
    const { action, with: values, onError = [] } = step
    const schema = isJsonObject(values?.schema) ? values.schema : {}
    const properties = isJsonObject(schema.properties) ? schema.properties : schema
    return [{ action, made: Object.keys(properties) }, ...actionStepsIn([onError].flat())]
  })

/** The fields that each expression uses, with the place of the expression. */
const usesIn = (
  steps: readonly PipelineStep[],
  at: string,
): { path: string; fields: readonly string[] }[] =>
  steps.flatMap((step, index) => {
    const path = `${at}[${index}]`
    if (typeof step === 'string') return []
    if ('when' in step) {
      const compiled = compileCondition(step.when)
      return [{ path: `${path}.when`, fields: compiled.ok ? compiled.value.fields : [] }]
    }
    if ('parallel' in step) {
      return step.parallel.flatMap((branch, number) =>
        usesIn(branch, `${path}.parallel[${number}]`),
      )
    }
    if ('each' in step) {
      return [{ path: `${path}.each`, fields: [step.each] }, ...usesIn(step.do, `${path}.do`)]
    }
    const { with: values = {}, onError = [] } = step
    const filled = Object.entries(values).map(([name, value]) => ({
      path: `${path}.with.${name}`,
      fields: fieldsIn(value),
    }))
    return [...filled, ...(typeof onError === 'string' ? [] : usesIn(onError, `${path}.onError`))]
  })
