import type { z } from 'zod'
import { typesOfUnion } from './explain-issue.ts'

/** One mistake in a document a person wrote: where it is and what is wrong there. */
export interface Issue {
  path: string
  message: string
}

/** What a file or message must look like, as a zod schema. */
export type Schema<T> = z.ZodType<T>

/** Turns a zod error into every mistake it names, unions flattened to their most telling branch. */
export const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.flatMap((issue) => flatten(issue, []))

export const describeIssues = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')

const flatten = (issue: z.core.$ZodIssue, above: PropertyKey[]): Issue[] => {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: formatPath([...path, key]), message: 'unknown key' }))
  }
  if (issue.code !== 'invalid_union' || hasOwnWords(issue.errors)) {
    return [{ path: formatPath(path), message: issue.message }]
  }
  // The branch that got furthest is the one the writer meant.
  const closest = issue.errors.reduce((best, branch) =>
    depth(branch) > depth(best) ? branch : best,
  )
  return closest.flatMap((inner) => flatten(inner, path))
}

/** A union that says more as a whole than any of its branches does. */
const hasOwnWords = (branches: readonly (readonly z.core.$ZodIssue[])[]): boolean =>
  branches.length === 0 || typesOfUnion(branches) !== undefined

const depth = (branch: readonly z.core.$ZodIssue[]): number => {
  // A fixed value that differs means another branch was meant, however deep it stands.
  if (branch.some((issue) => issue.code === 'invalid_value' && issue.values.length === 1)) return -1
  return Math.max(0, ...branch.map((issue) => issue.path.length)) - branch.length / 100
}

/** A key path as people write it: `a.b[0]`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text ? `${text}.${String(part)}` : String(part)
  }, '')
