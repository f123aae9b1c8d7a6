import { z } from 'zod'
import { parseDuration } from './duration.ts'
import { isJsonObject } from './is-json-object.ts'
import { formatPath, type Issue, issuesOf } from './issues.ts'
import { LIMITS } from './limits.ts'

/** One step of a pipeline: the name of an action, or an object with one of four leading keys. */
export type PipelineStep =
  | string
  | {
      action: string
      with?: Record<string, unknown> | undefined
      retry?: { attempts: number; delay?: string | undefined } | undefined
      onError?: string | PipelineStep[] | undefined
    }
  | { when: string }
  | { parallel: PipelineStep[][] }
  | {
      each: string
      do: PipelineStep[]
      max?: number | undefined
      concurrency?: number | undefined
    }

const retry = z.strictObject({
  attempts: z
    .int()
    .min(1)
    .max(LIMITS.stepAttempts)
    .meta({ description: 'How often the action is tried in total.' }),
  delay: z
    .string()
    .refine((text) => parseDuration(text) !== undefined, 'must be a duration such as 10s or 5m')
    .optional()
    .meta({ description: 'The wait before the second attempt, then doubled; 1s unless given.' }),
})

/** The shapes of a step around any schema of a list of steps. */
const shapesAround = <Steps extends z.ZodType>(steps: Steps) => ({
  action: z.strictObject({
    action: z.string().meta({ description: 'The name of an action.' }),
    with: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Fields for this action only; {field} in a text is replaced.' }),
    retry: retry.optional().meta({ description: 'Try again after a failure that may pass.' }),
    onError: z
      .union([z.string(), steps])
      .optional()
      .meta({ description: 'An action, or steps, to run if this action fails.' }),
  }),
  when: z.strictObject({
    when: z
      .string()
      .min(1)
      .max(LIMITS.conditionChars)
      .meta({ description: 'A CEL expression; if it is false, the item is filtered.' }),
  }),
  parallel: z.strictObject({
    parallel: z
      .array(steps)
      .min(1)
      .max(LIMITS.parallelBranches)
      .meta({ description: 'Lists of steps that run at the same time on the same fields.' }),
  }),
  each: z.strictObject({
    each: z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'must be the name of a field')
      .meta({ description: 'The field with the list; it becomes the list of the results.' }),
    do: steps.meta({ description: 'Steps to run for every element of the list.' }),
    max: z
      .int()
      .min(1)
      .max(LIMITS.fanOutElements)
      .optional()
      .meta({ description: 'Use at most this many elements, from the start of the list.' }),
    concurrency: z
      .int()
      .min(1)
      .max(LIMITS.fanOutConcurrency)
      .optional()
      .meta({ description: 'Elements to work on at the same time; 4 unless given.' }),
  }),
})

const shallow = shapesAround(z.array(z.unknown()).min(1, 'needs at least one step'))

export const pipelineStep: z.ZodType<PipelineStep> = z
  .lazy(() => {
    const deep = shapesAround(z.array(pipelineStep).min(1, 'needs at least one step'))
    return z.union([z.string(), deep.action, deep.when, deep.parallel, deep.each])
  })
  .meta({ id: 'step', description: 'The name of an action, or another kind of step.' })

/** Every mistake in a list of steps. The leading key of a step decides what it was meant to be. */
export const stepIssues = (
  steps: readonly unknown[],
  at: readonly PropertyKey[],
  checkAction: (action: string, path: string) => Issue[],
  depth = 1,
): Issue[] =>
  steps.flatMap((step, index): Issue[] => {
    const path = [...at, index]
    if (typeof step === 'string') return checkAction(step, formatPath(path))
    if (!isJsonObject(step)) {
      return [{ path: formatPath(path), message: 'must be the name of an action or an object' }]
    }
    if (depth > LIMITS.pipelineDepth) {
      const message = `nests deeper than ${LIMITS.pipelineDepth} levels`
      return [{ path: formatPath(path), message }]
    }
    const kind = LEADING.find((key) => Object.hasOwn(step, key)) ?? 'action'
    const parsed = shallow[kind].safeParse(step)
    const own = parsed.success
      ? []
      : issuesOf(parsed.error).map((issue) => ({
          ...issue,
          path: joinPath(formatPath(path), issue.path),
        }))
    const inner = (list: unknown, ...keys: PropertyKey[]) =>
      Array.isArray(list) ? stepIssues(list, [...path, ...keys], checkAction, depth + 1) : []
    const named = (name: unknown, key: string) =>
      typeof name === 'string' ? checkAction(name, formatPath([...path, key])) : []
    const branches: unknown[] = Array.isArray(step.parallel) ? step.parallel : []
    return [
      ...own,
      ...named(step.action, 'action'),
      ...named(step.onError, 'onError'),
      ...inner(step.onError, 'onError'),
      ...inner(step.do, 'do'),
      ...branches.flatMap((branch, number) => inner(branch, 'parallel', number)),
    ]
  })

const LEADING = ['when', 'parallel', 'each', 'action'] as const

const joinPath = (start: string, end: string): string =>
  end === '' || end.startsWith('[') ? `${start}${end}` : `${start}.${end}`
