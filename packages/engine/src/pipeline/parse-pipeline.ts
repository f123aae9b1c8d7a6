import {
  describeIssues,
  fail,
  type Issue,
  issuesOf,
  type PipelineDefinition,
  parseName,
  pipelineDefinition,
  type Result,
  StewardError,
} from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { LineCounter } from 'yaml'

/** A pipeline read from a file, with warnings for its author. */
export interface ParsedPipeline {
  definition: PipelineDefinition
  warnings: string[]
}

/** Parses `P_NAME.yaml`. Reports all mistakes, each with its line. */
export const parsePipelineYaml = (text: string, file: string): Result<ParsedPipeline> => {
  const lines = new LineCounter()
  const document = parseYamlDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
  })
  const wrong = (reasons: string[]) =>
    fail(new StewardError('invalid_definition', { file, reason: reasons.join('; ') }))
  const at = (offset: number | undefined) =>
    offset === undefined ? '' : `line ${lines.linePos(offset).line}: `
  if (document.errors.length > 0) {
    return wrong(document.errors.map((error) => `${at(error.pos[0])}${error.message}`))
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
  return wrong(
    checked.issues.map((issue) => {
      const where = document.getIn(pathOf(issue.path), true)
      return `${at(rangeStart(where))}${describeIssues([issue])}`
    }),
  )
}

/** Validates a pipeline in any notation: shape, action names, and rule 6 (two or more steps). */
export const checkPipeline = (
  value: unknown,
  file: string,
): { ok: true; value: ParsedPipeline } | { ok: false; issues: Issue[] } => {
  const parsed = pipelineDefinition.safeParse(value)
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error) }
  const issues = parsed.data.actions.flatMap((action, index) => {
    const name = parseName(action, 'action')
    const path = `actions[${index}]`
    if (name.ok) return []
    return action.startsWith('P_') || action.startsWith('F_')
      ? [
          {
            path,
            message: `${action} is not an action; a pipeline chains actions only, so it cannot contain itself or another`,
          },
        ]
      : [{ path, message: name.error.message }]
  })
  if (issues.length > 0) return { ok: false, issues }
  const warnings =
    parsed.data.actions.length < 2
      ? [
          `${file}: ${parsed.data.name} has one action; run the action itself, a pipeline is for two or more steps`,
        ]
      : []
  return { ok: true, value: { definition: parsed.data, warnings } }
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
