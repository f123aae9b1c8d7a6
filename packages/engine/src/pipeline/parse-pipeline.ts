import {
  describeIssuesAt,
  fail,
  type Issue,
  isJsonObject,
  issuesOf,
  type PipelineDefinition,
  parentPath,
  parseName,
  pipelineDefinition,
  type Result,
  StewardError,
} from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { type Document, isMap, isScalar, LineCounter } from 'yaml'

/** A pipeline read from a file, with warnings for its author. */
export interface ParsedPipeline {
  definition: PipelineDefinition
  warnings: string[]
}

/** Parses `P_NAME.yaml`. Reports all mistakes, each with its line. */
export const parsePipelineYaml = (text: string, file: string): Result<ParsedPipeline> => {
  const { document, lines } = readYaml(text)
  const wrong = (reason: string) => fail(new StewardError('invalid_definition', { file, reason }))
  if (document.errors.length > 0) {
    const found = document.errors.map(
      ({ pos, message }) => `line ${lines.linePos(pos[0]).line}: ${message}`,
    )
    return wrong(found.join('; '))
  }
  let value: unknown
  try {
    // Aliases may expand without bound, and a pipeline needs none.
    value = document.toJS({ maxAliasCount: 0 })
  } catch (cause) {
    return fail(new StewardError('invalid_definition', { file, reason: String(cause) }, cause))
  }
  const checked = checkPipeline(value, file)
  if (checked.ok) return checked
  return wrong(describeIssuesAt(checked.issues, (path) => lineIn(document, lines, path)))
}

/** The line of a path in a YAML text; what is missing has the line of the map that should have it. */
export const lineInYaml = (text: string): ((path: string) => number | undefined) => {
  const { document, lines } = readYaml(text)
  return (path) => lineIn(document, lines, path)
}

const readYaml = (text: string) => {
  const lines = new LineCounter()
  return { document: parseYamlDocument(text, { lineCounter: lines, prettyErrors: false }), lines }
}

/** Validates a pipeline in any notation: shape, action names, and rule 6 (two or more steps). */
export const checkPipeline = (
  value: unknown,
  file: string,
): { ok: true; value: ParsedPipeline } | { ok: false; issues: Issue[] } => {
  const parsed = pipelineDefinition.safeParse(value)
  const actions = isJsonObject(value) && Array.isArray(value.actions) ? value.actions : []
  const issues = [
    ...(parsed.success ? [] : issuesOf(parsed.error)),
    ...actions.flatMap((action: unknown, index) =>
      typeof action === 'string' ? actionIssues(action, `actions[${index}]`) : [],
    ),
  ]
  if (!parsed.success || issues.length > 0) return { ok: false, issues }
  const warnings =
    parsed.data.actions.length < 2
      ? [
          `${file}: ${parsed.data.name} has one action; run the action itself, a pipeline is for two or more steps`,
        ]
      : []
  return { ok: true, value: { definition: parsed.data, warnings } }
}

const actionIssues = (action: string, path: string): Issue[] => {
  const name = parseName(action, 'action')
  if (name.ok) return []
  const isOther = action.startsWith('P_') || action.startsWith('F_')
  const message = isOther
    ? `${action} is not an action; a pipeline chains actions only, so it cannot contain itself or another`
    : name.error.message
  return [{ path, message }]
}

const lineIn = (document: Document, lines: LineCounter, path: string): number | undefined => {
  for (let at: string | undefined = path; at !== undefined; at = parentPath(at)) {
    const offset = offsetOf(document, pathOf(at))
    if (offset !== undefined) return lines.linePos(offset).line
  }
  return undefined
}

/** Where the key of a member starts, or the value of an element. */
const offsetOf = (document: Document, path: Array<string | number>): number | undefined => {
  const key = path.at(-1)
  const around = path.length < 2 ? document.contents : document.getIn(path.slice(0, -1), true)
  const pair = isMap(around)
    ? around.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
    : undefined
  return rangeStart(pair?.key ?? document.getIn(path, true))
}

const pathOf = (path: string): Array<string | number> =>
  path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))

const rangeStart = (value: unknown): number | undefined => {
  if (typeof value !== 'object' || value === null || !('range' in value)) return undefined
  return Array.isArray(value.range) && typeof value.range[0] === 'number'
    ? value.range[0]
    : undefined
}
