import {
  actionsIn,
  describeIssuesAt,
  fail,
  type Issue,
  isJsonObject,
  issuesOf,
  type PipelineDefinition,
  parseName,
  pipelineDefinition,
  type Result,
  StewardError,
  stepIssues,
} from '@steward/contract'
import { lineInYaml, parseYamlDocument } from '@steward/contract/yaml'
import { LineCounter } from 'yaml'
import { z } from 'zod'
import { conditionIssues } from './compile-pipeline.ts'

/** A pipeline read from a file, with warnings for its author. */
export interface ParsedPipeline {
  definition: PipelineDefinition
  warnings: string[]
}

/** Mistakes in names of actions, which can be found only with the other definitions. */
export type CheckReference = (action: string, path: string) => Issue[]

/**
 * Parses `P_NAME.yaml`. Reports all mistakes, each with its line. `checkReference` adds those in
 * valid names; give it for a pipeline that is known to be invalid, so that all are reported at once.
 */
export const parsePipelineYaml = (
  text: string,
  file: string,
  checkReference?: CheckReference,
): Result<ParsedPipeline> => {
  const lines = new LineCounter()
  const document = parseYamlDocument(text, { lineCounter: lines, prettyErrors: false })
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
  const checked = checkPipeline(value, file, checkReference)
  if (checked.ok) return checked
  return wrong(describeIssuesAt(checked.issues, lineInYaml(text)))
}

/** Validates a pipeline in any notation: shape, action names, and rule 6 (two or more steps). */
export const checkPipeline = (
  value: unknown,
  file: string,
  checkReference: CheckReference = () => [],
): { ok: true; value: ParsedPipeline } | { ok: false; issues: Issue[] } => {
  const parsed = OUTLINE.safeParse(value)
  const steps: unknown[] = isJsonObject(value) && Array.isArray(value.actions) ? value.actions : []
  const issues = [
    ...(parsed.success ? [] : issuesOf(parsed.error)),
    ...stepIssues(steps, ['actions'], (action, path) => {
      const wrongName = actionIssues(action, path)
      return wrongName.length > 0 ? wrongName : checkReference(action, path)
    }),
    ...conditionIssues(steps, 'actions'),
  ]
  if (issues.length > 0) return { ok: false, issues }
  const definition = pipelineDefinition.parse(value)
  const warnings =
    actionsIn(definition.actions).length < 2
      ? [
          `${file}: ${definition.name} has one action; run the action itself, a pipeline is for two or more steps`,
        ]
      : []
  return { ok: true, value: { definition, warnings } }
}

/** The definition without its steps, which are checked one by one for better messages. */
const OUTLINE = pipelineDefinition.extend({
  actions: z.array(z.unknown()).min(1, 'a pipeline needs at least one action'),
})

const actionIssues = (action: string, path: string): Issue[] => {
  const name = parseName(action, 'action')
  if (name.ok) return []
  const isOther = action.startsWith('P_') || action.startsWith('F_')
  const message = isOther
    ? `${action} is not an action; a pipeline chains actions only, so it cannot contain itself or another`
    : name.error.message
  return [{ path, message }]
}
