import type { z } from 'zod'
import { typesOfUnion } from './explain-issue.ts'

/** One mistake in a document that a person wrote: its path and a message. */
export interface Issue {
  path: string
  message: string
  /** The mistake is in the last key of the path, not in its value. */
  isKey?: true
}

/** The zod schema of a file or message. */
export type Schema<T> = z.ZodType<T>

/** Lists every mistake of a zod error; unions are reduced to the most relevant branch. */
export const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.flatMap((issue) => flatten(issue, []))

/** Every mistake of a document, each with its line if that is known. */
export const describeIssuesAt = (
  issues: readonly Issue[],
  lineOf: (path: string) => number | undefined,
): string =>
  issues
    .map((issue) => {
      const line = lineOf(issue.path)
      return `${line === undefined ? '' : `line ${line}: `}${describeIssues([issue])}`
    })
    .join('; ')

export const describeIssues = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')

const flatten = (issue: z.core.$ZodIssue, above: PropertyKey[]): Issue[] => {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => ({
      path: formatPath([...path, key]),
      message: messages[index] ?? 'unknown key',
    }))
  }
  if (issue.code === 'invalid_key') {
    const message = issue.issues.map((inner) => `the name ${inner.message}`).join('; ')
    return [{ path: formatPath(path), message, isKey: true }]
  }
  if (issue.code !== 'invalid_union' || hasOwnWords(issue.errors)) {
    return [{ path: formatPath(path), message: issue.message }]
  }
  // The writer most likely meant the branch that matched furthest.
  const closest = issue.errors.reduce((best, branch) =>
    depth(branch) > depth(best) ? branch : best,
  )
  return closest.flatMap((inner) => flatten(inner, path))
}

/** Whether a message about the whole union is clearer than one about a branch. */
const hasOwnWords = (branches: readonly (readonly z.core.$ZodIssue[])[]): boolean =>
  branches.length === 0 || typesOfUnion(branches) !== undefined

const depth = (branch: readonly z.core.$ZodIssue[]): number => {
  // A wrong literal value means that another branch was meant, at any depth.
  if (branch.some((issue) => issue.code === 'invalid_value' && issue.values.length === 1)) return -1
  return Math.max(0, ...branch.map((issue) => issue.path.length)) - branch.length / 100
}

/** The path of the object or array around it; undefined for the document itself. */
export const parentPath = (path: string): string | undefined =>
  path === '' ? undefined : path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0))

/** A key path in readable form: `a.b[0]`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text ? `${text}.${String(part)}` : String(part)
  }, '')
