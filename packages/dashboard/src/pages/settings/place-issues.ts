import type { Issue } from '@steward/contract'
import { isObject } from './read-schema.ts'
import type { Draft } from './setting-draft.ts'
import type { Shape } from './setting-shape.ts'

/** Mistakes that the daemon found in a value. */
export interface PlacedIssues {
  /** By the path of the form's field, each with the text that was refused. */
  atFields: ReadonlyMap<string, { message: string; text: string }>
  /** Mistakes that concern no field of the form. */
  elsewhere: readonly Issue[]
}

interface FormField {
  /** The path in the form. */
  path: string
  /** The path in the daemon's messages, such as `usage.budgets[0].usd`. */
  named: string
  /** The field is the name of a value in a map. */
  isKey: boolean
  text: string
}

/** Finds the field of each mistake. */
export const placeIssues = (
  shape: Shape,
  draft: Draft,
  path: string,
  issues: readonly Issue[],
): PlacedIssues => {
  const fields = listFields(shape, draft, path, path)
  const atFields = new Map<string, { message: string; text: string }>()
  const elsewhere: Issue[] = []
  for (const issue of issues) {
    const named = fields.filter((field) => field.named === issue.path)
    // A value with several fields has no field of its own, so its name stands for it.
    const field = named.find(({ isKey }) => isKey === (issue.isKey === true)) ?? named[0]
    if (field === undefined) elsewhere.push(issue)
    else if (!atFields.has(field.path))
      atFields.set(field.path, { message: asSentence(issue.message), text: field.text })
  }
  return { atFields, elsewhere }
}

/** The mistakes whose text has not been changed since. */
export const remainingErrors = (
  { atFields }: PlacedIssues,
  shape: Shape,
  draft: Draft,
  path: string,
): Map<string, string> => {
  const texts = new Map(listFields(shape, draft, path, path).map((field) => [field.path, field]))
  return new Map(
    [...atFields]
      .filter(([at, { text }]) => texts.get(at)?.text === text)
      .map(([at, { message }]) => [at, message]),
  )
}

/** The mistakes in an error of the daemon; none if it does not list them. */
export const readIssues = ({ issues }: Readonly<Record<string, unknown>>): Issue[] =>
  Array.isArray(issues) ? issues.filter(isIssue) : []

/** The mistakes without the path; undefined if any concerns another setting or a part of it. */
export const describeOwn = (issues: readonly Issue[], path: string): string | undefined =>
  issues.length > 0 && issues.every((issue) => issue.path === path)
    ? issues.map(({ message }) => asSentence(message)).join(' ')
    : undefined

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && typeof value.path === 'string' && typeof value.message === 'string'

const listFields = (shape: Shape, draft: Draft, path: string, named: string): FormField[] => {
  if (shape.kind === 'leaf' && draft.kind === 'leaf')
    return [{ path, named, isKey: false, text: draft.text }]
  if (shape.kind === 'object' && draft.kind === 'object')
    return shape.fields.flatMap(({ key, shape: own }) => {
      const part = draft.fields[key]
      return part === undefined ? [] : listFields(own, part, `${path}.${key}`, `${named}.${key}`)
    })
  if ((shape.kind === 'list' || shape.kind === 'map') && draft.kind === 'rows')
    return draft.rows.flatMap(({ key, value }, index) => {
      const own = `${path}.${index}`
      if (shape.kind === 'list') return listFields(shape.item, value, own, `${named}[${index}]`)
      const ownNamed = `${named}.${key.trim()}`
      return [
        { path: `${own}.key`, named: ownNamed, isKey: true, text: key },
        ...listFields(shape.item, value, own, ownNamed),
      ]
    })
  return []
}

const asSentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`
