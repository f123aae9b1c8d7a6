import {
  describeIssuesAt,
  type FlowEntry,
  flowEnds,
  flowEntry,
  flowIndex,
  flowMismatchOf,
  formatPath,
  type Issue,
  isJsonObject,
  issuesOf,
  lineInJson,
  loopGate,
  parseJson,
  StewardError,
} from '@steward/contract'
import { compileCondition } from '../pipeline/condition.ts'
import { scheduleIssues } from '../schedule/flow-timing.ts'

/** An entry of a registry: the flow, or why it is not one. */
export type ReadFlow = { name: string; id?: string } & (
  | { entry: FlowEntry }
  | { error: StewardError }
)

/** The references of a flow to its pipeline. */
export type FlowReferences = Pick<FlowEntry, 'pipeline' | 'loop' | 'with'>

export interface ReadFlowIndex {
  flows: ReadFlow[]
  /** The mistake in the file itself. */
  error?: StewardError
}

/**
 * Parses `flow-index.json`. Each entry is validated by itself, so that a mistake in one does not
 * hide the others. Reports all mistakes, each with its line. `checkReferences` adds the mistakes in
 * what an invalid entry names, so that all are reported at once.
 */
export const parseFlowIndex = (
  text: string,
  file: string,
  checkReferences: (flow: FlowReferences) => Issue[] = () => [],
): ReadFlowIndex => {
  const json = parseJson(text, file)
  if (!json.ok) return { flows: [], error: json.error }
  const lineOf = lineInJson(text)
  const errorOf = (issues: readonly Issue[]) =>
    new StewardError('invalid_definition', { file, reason: describeIssuesAt(issues, lineOf) })
  const entries =
    isJsonObject(json.value) && Array.isArray(json.value.flows) ? json.value.flows : []
  const around = flowIndex.safeParse(
    isJsonObject(json.value)
      ? { ...json.value, ...(entries.length > 0 && { flows: [] }) }
      : json.value,
  )
  const flows = entries.map((value: unknown, index): ReadFlow => {
    const path = `flows[${index}]`
    const { name, id } = namesOf(value)
    const named = { name: name ?? path, ...(id === undefined ? {} : { id }) }
    const parsed = flowEntry.safeParse(value)
    const own = parsed.success ? [] : issuesOf(parsed.error)
    const issues = [
      ...own,
      ...[...combinationIssues(value), ...filterIssues(value), ...timingIssues(value)].filter(
        ({ path }) => own.every((issue) => issue.path !== path),
      ),
      ...repeatedNames(value, entries.slice(0, index)),
    ]
    if (parsed.success && issues.length === 0) return { ...named, entry: parsed.data }
    const references = checkReferences(referencesOf(value)).filter((reference) =>
      issues.every((issue) => issue.path !== reference.path),
    )
    const all = [...issues, ...references].map((issue) => ({
      ...issue,
      path: issue.path === '' ? path : `${path}.${issue.path}`,
    }))
    return { ...named, error: errorOf(all) }
  })
  return { flows, ...(around.success ? {} : { error: errorOf(issuesOf(around.error)) }) }
}

/** Those references of an entry that are valid by themselves. */
const referencesOf = (value: unknown): FlowReferences => {
  if (!isJsonObject(value)) return {}
  const { pipeline, with: fields } = value
  return {
    ...(typeof pipeline === 'string' && { pipeline }),
    loop: loopGate.safeParse(value.loop).data,
    ...(isJsonObject(fields) && { with: fields }),
  }
}

/** Fields that do not go together are not checked by the schema while another field is wrong. */
const combinationIssues = (value: unknown): Issue[] => {
  if (!isJsonObject(value)) return []
  const ends = flowEnds.safeParse(value)
  if (!ends.success) return []
  const { pipeline, with: fields, filter, digest } = value
  const mismatch = flowMismatchOf({
    ...ends.data,
    pipeline: typeof pipeline === 'string' ? pipeline : undefined,
    loop: loopGate.safeParse(value.loop).data,
    with: fields,
    filter,
    digest,
  })
  return mismatch === undefined
    ? []
    : [{ path: formatPath(mismatch.path), message: mismatch.message }]
}

/** Mistakes in the filter, which only the engine understands. */
const filterIssues = (value: unknown): Issue[] => {
  if (!isJsonObject(value) || typeof value.filter !== 'string') return []
  const compiled = compileCondition(value.filter, 'filter')
  if (compiled.ok) return []
  return [{ path: 'filter', message: String(compiled.error.details.reason) }]
}

const timingIssues = (value: unknown): Issue[] =>
  isJsonObject(value) && isJsonObject(value.schedule) ? scheduleIssues(value.schedule) : []

const repeatedNames = (value: unknown, before: readonly unknown[]): Issue[] =>
  (['id', 'name'] as const).flatMap((key) => {
    const own = namesOf(value)[key]
    const isTaken = own !== undefined && before.some((other) => namesOf(other)[key] === own)
    return isTaken ? [{ path: key, message: `${own} is used twice` }] : []
  })

const namesOf = (value: unknown): { id?: string; name?: string } => {
  const { id, name } = isJsonObject(value) ? value : {}
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof name === 'string' ? { name } : {}),
  }
}
